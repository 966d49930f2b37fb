"""Site: the running system, as one object."""

from __future__ import annotations

import os
import re
from collections import deque
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.site.configured import ConfiguredClasses
from treelace.site.imported import Imported
from treelace.site.intake import Intake
from treelace.site.page_classes import PageClasses
from treelace.store import FetchedPage, Page, Store, Version
from treelace.store import settings as site_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from treelace.classes.repair import ClassRepair
    from treelace.crawl.settings import CrawlSettings
    from treelace.crawl.warc import WarcWriter
    from treelace.diff import Delta
    from treelace.monitor.judging import Judge
    from treelace.site.class_edits import ClassEdits
    from treelace.site.journal import Journal
    from treelace.site.round import Crawled
    from treelace.store.record_table import RecordTable
    from treelace.store.settings import Settings
    from treelace.tree import Tree

_FIRST_SETTINGS = """\
# A site of treelace. `treelace check` reads this file; docs/reference/treelace.toml.schema.json has every field.

[site]
url = {url}

[store]
url = {store}
"""


class Site:
    """A folder with `treelace.toml` and a store: everything about what is watched.

    Reading needs no lock; what adds versions holds the site's writer lock. Also a context manager.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        read_only: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.folder = Path(folder)
        self.limits = limits
        self.settings: Settings = site_settings.read(self.folder)
        self.store = Store.open(
            site_settings.store_place(self.settings, self.folder),
            read_only=read_only,
            limits=limits,
        )
        self.classes = self.store.classes
        self.configured = ConfiguredClasses(self.settings.classes, self.folder, self.classes)
        self.page_classes = PageClasses(self.store, self.configured)
        self.intake = Intake(self.store, workers=self.settings.store.workers or os.cpu_count() or 1)

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        url: str,
        *,
        store: str = site_settings.DEFAULT_STORE,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Site:
        """A new site: the folder, its `treelace.toml`, an empty store. A folder that is a site
        already is left as it is: `UsageError`.
        """
        import json

        path = Path(folder)
        if (path / site_settings.FILE).exists():
            raise UsageError(
                f"{path}: this is a site already; `treelace check --site {path}` looks at it"
            )
        if not re.match(r"[a-z][a-z0-9+.-]*://\S+$", url, re.IGNORECASE):
            raise UsageError(f"{url!r} is no address: write it in full, like https://shop.example/")
        path.mkdir(parents=True, exist_ok=True)
        text = _FIRST_SETTINGS.format(url=json.dumps(url), store=json.dumps(store))
        settings = site_settings.parse(text)
        Store.create(site_settings.store_place(settings, path), limits=limits).close()
        # the settings come last: a folder with them has a store
        half = path / f".{site_settings.FILE}.part"
        half.write_text(text, encoding="utf-8")
        half.replace(path / site_settings.FILE)
        return cls(path, limits=limits)

    def close(self) -> None:
        """Lets go of the store."""
        self.store.close()

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Site {self.settings.site.url} in {self.folder}>"

    def check(self) -> None:
        """Reads every wrapper that the settings name, and the judge; `WrapperError` or `UsageError`
        for one that cannot be used.
        """
        self.configured.check()
        judge = self.judge()
        if judge is not None:
            judge.load()

    def judge(self) -> Judge | None:
        """Who has a say in what is told; None where the settings name nobody."""
        from treelace.monitor.judging import Judge

        said = self.settings.alerts
        return (
            Judge(said.judge, seconds=said.judge_seconds, folder=self.folder)
            if said.judge
            else None
        )

    # pages in

    def add_pages(
        self,
        fetched: Iterable[FetchedPage],
        *,
        wait: bool = False,
        patience: float | None = None,
    ) -> Imported:
        """Takes pages in: each that changed becomes a version. One bad page is named in the answer
        and ends nothing.

        Pages are worked on by as many threads as there are cores, a batch at a time; one writes.
        The answer does not depend on how many there are. With `patience` no page waits longer than
        that many seconds for its batch to fill: for pages that come slowly. What is written is
        whole whenever the process dies; taking the same pages in again adds nothing twice.
        """
        return deque(self.adding_pages(fetched, wait=wait, patience=patience), maxlen=1).pop()

    def adding_pages(
        self,
        fetched: Iterable[FetchedPage],
        *,
        wait: bool = False,
        patience: float | None = None,
    ) -> Iterator[Imported]:
        """The same, with what was done so far after each batch: for those who show progress."""
        with self.store.writer(wait=wait):
            catalogue = self.page_classes.catalogue()
            done = Imported(failures=self.configured.take_problems())
            with closing(self.intake.take(fetched, catalogue, patience=patience)) as batches:
                for committed in batches:
                    done.add(committed)
                    yield done

    def rebuild_records(
        self, name: str, *, key: Sequence[str] | None = None, wait: bool = False
    ) -> int:
        """Builds the records of a kind anew from every version, with the wrapper of today; how many
        came, changed or went.

        `key` sets the columns that identify a record; an empty one lets them be chosen, by
        uniqueness and stability over the versions. One transaction: the old records are there until
        the new ones are.
        """
        from treelace.site.rebuild import choose_key, rebuild

        kind = self.store.records.kind(name)
        with self.store.writer(wait=wait):
            if kind.page_class is None:
                raise UsageError(f"{name} belongs to no class, so nothing says how to build it")
            known = self.page_classes.known(kind.page_class)
            if known.reader is None:
                raise UsageError(f"the class {known.name} has no wrapper")
            members = self.classes.members(known.id)
            if key is not None and not key:
                key = choose_key(self.store, kind, known.reader, members)
            with self.store.writing() as transaction:
                if key:
                    transaction.records.set_key(name, key)
                transaction.records.clear(name)
                return rebuild(transaction, self.store, known, members, only=kind.name)

    # crawling

    def crawl_settings(self, **changes: Any) -> CrawlSettings:
        """The settings of a crawl as `treelace.toml` has them, with changes."""
        from treelace.crawl.settings import CrawlSettings

        return CrawlSettings.of(self.settings.crawl, self.folder, **changes)

    def crawl(
        self,
        settings: CrawlSettings | None = None,
        *,
        source: Iterable[FetchedPage] | None = None,
        auto_accept: bool = False,
        is_due_only: bool = False,
        archive: WarcWriter | None = None,
        journal: Journal | None = None,
        wait: bool = False,
    ) -> Crawled:
        """Fetches the site (or takes `source`: a WARC file's pages, a folder's, any), keeps what
        changed, sorts pages into classes, extracts records.

        Pages of no class are clustered afterwards; what is big and tight enough is proposed as a
        class, or accepted where `auto_accept`.
        """
        steps = self.crawling(
            settings,
            source=source,
            auto_accept=auto_accept,
            is_due_only=is_due_only,
            archive=archive,
            journal=journal,
            wait=wait,
        )
        return deque(steps, maxlen=1).pop()

    def crawling(
        self,
        settings: CrawlSettings | None = None,
        *,
        source: Iterable[FetchedPage] | None = None,
        auto_accept: bool = False,
        is_due_only: bool = False,
        archive: WarcWriter | None = None,
        journal: Journal | None = None,
        wait: bool = False,
    ) -> Iterator[Crawled]:
        """The same, with what was done so far after each batch, and at the end: for those who show
        progress.
        """
        from treelace.site.round import Round

        alerts = self.store.alerts
        with self.store.writer(wait=wait):
            self.configured.read_files_again()
            before = alerts.newest()
            this = Round(self, settings or self.crawl_settings(), journal=journal, archive=archive)
            if source is not None:
                yield from this.replay(source, auto_accept=auto_accept)
            else:
                yield from this.fetch(auto_accept=auto_accept, is_due_only=is_due_only)
        if journal is not None:
            journal.alerts(alerts.alerts(after=before))
        yield this.done

    def journal(
        self, place: str | None = None, settings: CrawlSettings | None = None
    ) -> Journal | None:
        """The file for structured logs, at a place or where the settings say; None where nobody
        asks for one. No secret of `settings` gets there.
        """
        from treelace.site.journal import Journal

        path = (
            Path(place)
            if place
            else self.folder / self.settings.log.json
            if self.settings.log.json
            else None
        )
        return (
            None
            if path is None
            else Journal(path, secrets=(settings or self.crawl_settings()).secrets())
        )

    def repair(self, name: str, *, accept: bool = False, wait: bool = False) -> ClassRepair:
        """Re-attaches the wrapper of a class to its pages as they look now; what cannot be proved
        is left out and named.

        With `accept` the repaired wrapper is taken into use, and the records of the newest versions
        are stored.
        """
        from treelace.site import repairs

        self.configured.enter()
        known = self.page_classes.known(name)
        repaired = repairs.repair(self.store, known)
        if accept and repaired.wrapper is not None:
            with self.store.writer(wait=wait):
                repairs.take_into_use(self.store, known, repaired)
                self.page_classes.store_records(name)
        return repaired

    # what a person does to classes

    def rename_class(self, name: str, new: str) -> None:
        """Gives a class another name; its records, their history and the rules on them are found
        under the new one.
        """
        with self._editing(name) as edits:
            edits.rename(name, new)

    def merge_classes(self, name: str, other: str) -> int:
        """Puts the pages of `other` into `name`; the records of both are built anew from every
        version. How many came, changed or went.
        """
        with self._editing(name, other) as edits:
            return edits.merge(name, other)

    def split_class(self, name: str) -> list[str]:
        """Cuts a class in two where its pages are least alike; the records of each are built anew
        from every version. The names of both.
        """
        with self._editing(name) as edits:
            return edits.split(name)

    @contextmanager
    def _editing(self, *names: str) -> Iterator[ClassEdits]:
        from treelace.site.class_edits import ClassEdits

        for section in self.settings.classes:
            if section.name in names:
                raise UsageError(
                    f"the class {section.name} stands in {site_settings.FILE}: change it there"
                )
        with self.store.writer():
            yield ClassEdits(self.store, self.page_classes)
            with self.store.writing() as transaction:
                transaction.make_joined_views()

    def records(
        self, name: str, *, at: datetime | None = None, history: bool = False
    ) -> RecordTable:
        """The records of a kind as a table: those of today, of a time, or all there ever were with
        the times they were valid.
        """
        return self.store.records.table(name, at=at, history=history)

    # versions

    def pages(self, *, like: str | None = None) -> Iterator[Page]:
        """The pages, in the order of their addresses."""
        return self.store.pages(like=like)

    def history(self, url: str) -> list[Version]:
        """The versions of a page, oldest first."""
        return self.store.versions(url)

    def page(self, url: str, version: int | None = None, *, at: datetime | None = None) -> Tree:
        """A version of a page: by its number, by a time, else the newest."""
        if at is not None:
            version = self.store.number_at(url, at)
        return self.store.body(url, version).tree

    def diff(self, url: str, old: int, new: int) -> Delta:
        """What changed between two versions of a page, by its nodes' identities."""
        from treelace.store.chain import delta_between

        return delta_between(
            self.store.body(url, old), self.store.body(url, new), limits=self.limits
        )
