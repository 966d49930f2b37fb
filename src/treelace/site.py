"""Site: the running system, as one object."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treelace.errors import UsageError, WrapperError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.monitor.noticing import Noticer
from treelace.store import FetchedPage, Page, Store, Version, ingest, keys, times
from treelace.store import settings as site_settings
from treelace.store.alerts import Alerts
from treelace.store.batches import Batches
from treelace.store.classes import Classes
from treelace.store.ingest import Assigned
from treelace.store.recording import Place, Recording
from treelace.store.records import Records
from treelace.store.shown import rows_of
from treelace.store.store import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from treelace.crawl.crawler import Report
    from treelace.crawl.deciding import Decider
    from treelace.crawl.journal import Journal
    from treelace.crawl.repairing import SiteRepair
    from treelace.crawl.settings import CrawlSettings
    from treelace.crawl.sorting import Sorter
    from treelace.crawl.visiting import Crawled
    from treelace.crawl.warc import WarcWriter
    from treelace.diff import Delta
    from treelace.extract import Table
    from treelace.monitor.judging import Judge
    from treelace.store.body import Body
    from treelace.store.ingest import Applies, Assign, NewVersion, Prepared
    from treelace.store.records import Kind
    from treelace.store.settings import ClassSection, Settings
    from treelace.tree import Tree

PATIENCE = 2.0
"""Seconds that a page which was fetched waits for others, until they are written together."""
EXTRACT = "extract"
"""In the settings, instead of a wrapper's file: the likeliest table of each page."""
ENTRY_POINT = "entry-point:"
"""In the settings, before the name of a wrapper of another package."""

_FIRST_SETTINGS = """\
# A site of treelace. `treelace check` reads this file; docs/reference/treelace.toml.schema.json has every field.

[site]
url = {url}

[store]
url = {store}
"""


@dataclass(slots=True)
class Imported:
    """What an import did: fetches looked at, pages new, versions added, fetches that brought nothing new, and what failed."""

    fetches: int = 0
    new_pages: int = 0
    versions: int = 0
    records: int = 0
    same: int = 0
    known: int = 0
    alerts: int = 0
    late: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, made: Prepared) -> None:
        """Counts what came of the fetches of one page."""
        self.fetches += len(made.versions) + made.same + made.known + len(made.late) + len(made.failures)
        self.new_pages += bool(made.versions) and made.versions[0].link.number == 1
        self.versions += len(made.versions)
        self.same += made.same
        self.known += made.known
        self.late += [f"{page.url} of {page.time.isoformat()}: older than the newest version that is known: left out" for page in made.late]
        self.failures += [f"{page.url} of {page.time.isoformat()}: {error}" for page, error in made.failures]

    def __str__(self) -> str:
        words = [f"{self.versions:,} version{'s' if self.versions != 1 else ''} added"]
        words += [f"{self.new_pages:,} new page{'s' if self.new_pages != 1 else ''}"] if self.new_pages else []
        words += [f"{self.records:,} change{'s' if self.records != 1 else ''} of records"] if self.records else []
        words += [f"{self.alerts:,} alert{'s' if self.alerts != 1 else ''}"] if self.alerts else []
        words += [f"{count:,} {word}" for count, word in ((self.same, "unchanged"), (self.known, "known already")) if count]
        words += [f"{len(self.late):,} too old"] if self.late else []
        words += [f"{len(self.failures):,} failed"] if self.failures else []
        return ", ".join(words)


class _Extracts:
    """The extractor as a wrapper: slower, and not as steady, but it needs nothing learnt."""

    def apply(self, page: Tree, *, url: str = "") -> list[Table]:
        """The likeliest table of the page."""
        from treelace.extract import extract

        return extract(page, url=url)[:1]


def load_wrapper(data: str) -> Applies:
    """What extracts records, from the text that the store keeps of it."""
    if data == EXTRACT:
        return _Extracts()
    if data.startswith(ENTRY_POINT):
        from treelace.crawl import plugins
        from treelace.wrappers.foreign import ForeignWrapper

        name = data.removeprefix(ENTRY_POINT)
        return ForeignWrapper(plugins.load(plugins.WRAPPERS, name), name)
    from treelace.wrappers import Wrapper

    wrapper: Applies = Wrapper.from_json(data)
    return wrapper


class Site:
    """A folder with `treelace.toml` and a store: everything about what is watched.

    Reading needs no lock; what adds versions holds the site's writer lock. Also a context manager.
    """

    def __init__(self, folder: str | os.PathLike[str], *, read_only: bool = False, limits: Limits = DEFAULT_LIMITS) -> None:
        self.folder = Path(folder)
        self.limits = limits
        self.settings: Settings = site_settings.read(self.folder)
        self.store = Store.open(site_settings.store_place(self.settings, self.folder), read_only=read_only, limits=limits)
        self.records = Records(self.store)
        self.classes = Classes(self.store)
        self.assign: Assign = self._known_class
        """Says which class a page is of, and what extracts its records; by the settings, unless someone who knows more replaces it."""
        self._assigned: dict[int | None, Assigned | None] = {}
        self._problems: list[str] = []

    @classmethod
    def create(cls, folder: str | os.PathLike[str], url: str, *, store: str = site_settings.DEFAULT_STORE, limits: Limits = DEFAULT_LIMITS) -> Site:
        """A new site: the folder, its `treelace.toml`, an empty store. A folder that is a site already is left as it is: `UsageError`."""
        import json

        path = Path(folder)
        if (path / site_settings.FILE).exists():
            raise UsageError(f"{path}: this is a site already; `treelace check --site {path}` looks at it")
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

    # classes

    def _known_class(self, page: FetchedPage, tree: Tree, class_id: int | None) -> Assigned | None:
        """The class the page has, else the first of the settings whose pattern its address matches."""
        del tree
        if class_id is None:
            section = self._section(page.url)
            if section is None:
                return None
            class_id = self._numbers[section.name]
        if class_id not in self._assigned:
            self._assigned[class_id] = self._assign(class_id)
        return self._assigned[class_id]

    def _section(self, url: str) -> ClassSection | None:
        return next((it for it in self.settings.classes if it.urls and re.fullmatch(it.urls, url)), None)

    def _assign(self, class_id: int) -> Assigned:
        one = next(it for it in self.classes.all() if it.id == class_id)
        section = next((it for it in self.settings.classes if it.name == one.name), None)
        stored = self.classes.wrapper(class_id)
        wrapper = None if stored is None else load_wrapper(stored.data)
        regions = getattr(wrapper, "regions", ())
        otherwise = (keys.NODE,) if regions and regions[0].kind == "page" else ()  # a page that is one record is known by its address
        return Assigned(class_id, one.name, wrapper, (tuple(section.key) if section is not None else ()) or otherwise)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The classes of the settings, in the store; a wrapper whose file has changed is a new version of it."""
        numbers = {}
        for section in self.settings.classes:
            number = self.classes.ensure(section.name, url_pattern=section.urls or None)
            numbers[section.name] = number
            try:
                data = self._wrapper_data(section.wrapper)
            except (WrapperError, UsageError) as error:
                has_one = self.classes.wrapper(number) is not None
                rest = "its last good version is used" if has_one else "its pages are kept, and their records wait for it"
                self._problems.append(f"{section.name}: {error}; {rest}")
                continue
            if data:
                self.classes.add_wrapper(number, data, why=f"{site_settings.FILE}: {section.wrapper}")
        return numbers

    def _wrapper_data(self, said: str) -> str:
        """What the store keeps of a wrapper of the settings; raises where it cannot be used."""
        data = said if not said or said == EXTRACT or said.startswith(ENTRY_POINT) else self._wrapper_file(said)
        if data:
            load_wrapper(data)
        return data

    def _enter_classes(self) -> list[str]:
        """Puts the classes of the settings into the store, before threads ask for them; what is wrong with their wrappers, once."""
        if self.settings.classes:
            assert self._numbers is not None
        problems, self._problems = self._problems, []
        return problems

    def check(self) -> None:
        """Reads every wrapper that the settings name, and the judge; `WrapperError` or `UsageError` for one that cannot be used."""
        for section in self.settings.classes:
            self._wrapper_data(section.wrapper)
        judge = self.judge()
        if judge is not None:
            judge.load()

    def judge(self) -> Judge | None:
        """Who has a say in what is told; None where the settings name nobody."""
        from treelace.monitor.judging import Judge

        said = self.settings.alerts
        return Judge(said.judge, seconds=said.judge_seconds, folder=self.folder) if said.judge else None

    def _wrapper_file(self, name: str) -> str:
        """The text of a wrapper's file that can be used; errors name the file."""
        try:
            data = (self.folder / name).read_text(encoding="utf-8")
            load_wrapper(data)
        except (OSError, UnicodeDecodeError) as error:
            raise WrapperError(f"{self.folder / name}: the wrapper cannot be read: {error}") from error
        except WrapperError as error:
            raise WrapperError(f"{self.folder / name}: {error}") from error
        return data

    # pages in

    def add_pages(
        self,
        fetched: Iterable[FetchedPage],
        *,
        wait: bool = False,
        patience: float | None = None,
        on_batch: Callable[[Imported, list[Prepared]], None] | None = None,
    ) -> Imported:
        """Takes pages in: each that changed becomes a version. One bad page is named in the answer and ends nothing.

        Pages are worked on by as many threads as there are cores, a batch at a time; one writes. The answer does not depend on how many there are.
        With `patience` no page waits longer than that many seconds for its batch to fill: for pages that come slowly.
        What is written is whole whenever the process dies; taking the same pages in again adds nothing twice.
        """
        done = Imported()
        done.failures += self._enter_classes()
        noticer = Noticer(self.store, self.records)
        fresh: Counter[int | None] = Counter()
        workers = self.settings.store.workers or os.cpu_count() or 1
        with self.store.writer(wait=wait), closing(Batches(self.store, self.assign, workers=workers, patience=patience)) as batches:
            for prepared in batches.of(fetched):
                with self.store.database.writing() as connection:
                    numbers = self.store.add(prepared, connection)
                    done.records += self._store_records(prepared, numbers, noticer, connection)
                    self._notice_drift(prepared, noticer, connection)
                    self._train(prepared, fresh, connection)
                for made in prepared:
                    done.add(made)
                if on_batch is not None:
                    on_batch(done, prepared)
            noticer.settle()
            done.alerts = noticer.told
        return done

    def _train(self, prepared: list[Prepared], fresh: Counter[int | None], connection: Connection) -> None:
        """Learns a dictionary for a class that has none, once enough of its pages have come in."""
        came = Counter(made.state.class_id for made in prepared if made.state.id is None and made.versions)
        for class_id, count in came.items():
            before, fresh[class_id] = fresh[class_id], fresh[class_id] + count
            if before // SAMPLES < fresh[class_id] // SAMPLES and self.store.dictionary_for(class_id) is None:
                self.store.train(class_id, connection)

    def _store_records(self, prepared: list[Prepared], numbers: dict[str, int], noticer: Noticer, connection: Connection) -> int:
        """Stores what the versions show, in the order of their times, and asks the rules about it; how many records came, changed or went."""
        found = [(version, made) for made in prepared for version in made.versions if version.shown is not None or noticer.has_rules]
        found.sort(key=lambda pair: pair[0].time)
        places = [self._place(version, made, numbers[made.state.url]) for version, made in found]
        recording = Recording(self.records, connection)
        fresh = {numbers[made.state.url] for _, made in found if made.versions[0].link.number == 1}
        recording.look_ahead([(version.shown or (), place) for (version, _), place in zip(found, places, strict=True)], new=fresh)
        count = 0
        for (version, made), place in zip(found, places, strict=True):
            changes = [] if version.shown is None else recording.page(version.shown, place)
            count += len(changes)
            if not noticer.has_rules:
                continue
            recording.flush()  # rules look at what a record was
            noticer.version(
                connection,
                page_id=place.page_id,
                url=place.url,
                number=place.version,
                time=place.time,
                changes=changes,
                past=partial(self._past, version.link.number, made),
                new=version.body,
                rates=made.rates,
            )
        recording.flush()
        return count

    def _past(self, number: int, made: Prepared) -> Iterator[Body]:
        """The last versions before one that is being stored, the newest first."""
        from treelace.monitor.noise import WINDOW

        here = {version.link.number: version.body for version in made.versions}
        stored = min(here, default=number) - 1
        yield from (here[earlier] for earlier in range(number - 1, stored, -1))
        if stored > 0:
            yield self.store.body(made.state.url, stored)
            yield from reversed([body for _, body in self.store.bodies(made.state.url, stored - WINDOW, stored - 1)])

    def _notice_drift(self, prepared: list[Prepared], noticer: Noticer, connection: Connection) -> None:
        """Asks the rules about classes whose pages are not what they were, in the transaction of the versions that show it."""
        drifted: dict[str, dict[str, Prepared]] = {}
        for made in prepared:
            if made.drift and made.assigned is not None and made.versions:
                drifted.setdefault(made.assigned.name, {})[made.state.url] = made
        for name, pages in drifted.items():
            noticer.drift(connection, name, {url: made.drift for url, made in pages.items()}, min(made.versions[-1].time for made in pages.values()))

    def _place(self, version: NewVersion, made: Prepared, page_id: int) -> Place:
        assigned = made.assigned or Assigned(None, "", None)
        return Place(page_id, made.state.url, version.link.number, version.time, assigned.class_id, assigned.name, assigned.key)

    def rebuild_records(self, name: str, *, key: Sequence[str] | None = None, wait: bool = False) -> int:
        """Builds the records of a kind anew from every version, with the wrapper of today; how many came, changed or went.

        `key` sets the columns that identify a record; an empty one lets them be chosen, by uniqueness and stability over the versions.
        One transaction: the old records are there until the new ones are.
        """
        from treelace.crawl.rebuilding import rebuild

        kind = self.records.kind(name)
        with self.store.writer(wait=wait):
            if kind.page_class is None:
                raise UsageError(f"{name} belongs to no class, so nothing says how to build it")
            page_class = self.classes.get(kind.page_class)
            self._assigned.clear()
            assigned = self._assign(page_class.id)
            if assigned.wrapper is None:
                raise UsageError(f"the class {page_class.name} has no wrapper")
            members = self.classes.members(page_class.id)
            if key is not None and not key:
                key = self._choose_key(kind, assigned.wrapper, members)
            with self.store.database.writing() as connection:
                if key:
                    self.records.set_key(connection, name, key)
                self.records.clear(connection, name)
                return rebuild(connection, self.store, self.records, assigned, members, only=kind.name)

    def _choose_key(self, kind: Kind, wrapper: Applies, members: Sequence[str]) -> tuple[str, ...]:
        """The key that the versions of the page with most of them speak for."""
        most = max(members, key=lambda url: self.store.page(url).newest)
        number = self.records.number_of(kind.name, kind.page_class or kind.name)
        rows = []
        for _, body in self.store.bodies(most):
            tables = ingest.apply_to(wrapper, body.tree, most)
            if len(tables) >= number:
                rows.append(rows_of(tables[number - 1]))
        return keys.choose(kind.columns, rows)

    # crawling

    def sorter(self) -> Sorter:
        """Who says which class a page is of, and proposes classes."""
        from treelace.crawl.sorting import Sorter

        numbers = self._numbers  # the classes of the settings are in the store
        keys = {section.name: tuple(section.key) for section in self.settings.classes if section.name in numbers and section.key}
        return Sorter(self.store, self.classes, load_wrapper, keys=keys)

    def crawl_settings(self, **changes: Any) -> CrawlSettings:
        """The settings of a crawl as `treelace.toml` has them, with changes."""
        from treelace.crawl.settings import USER_AGENT, CrawlSettings

        said = self.settings.crawl
        given: dict[str, Any] = {
            "delay": said.delay,
            "concurrency": said.concurrency,
            "depth": said.depth,
            "pages": said.pages,
            "seconds": said.seconds,
            "user_agent": said.user_agent or USER_AGENT,
            "headers": tuple(said.headers.items()),
            "cookies": tuple(said.cookies.items()),
            "proxy": said.proxy,
            "render": tuple(said.render) if isinstance(said.render, list) else ("",) if said.render else (),
            "login": str(self.folder / said.login) if said.login else "",
            "obeys_robots": said.obeys_robots,
        }
        return CrawlSettings(**{**given, **{name: value for name, value in changes.items() if value is not None}})

    def crawl(
        self,
        settings: CrawlSettings | None = None,
        *,
        source: Iterable[FetchedPage] | None = None,
        auto_accept: bool = False,
        is_due_only: bool = False,
        archive: WarcWriter | None = None,
        journal: Journal | None = None,
        progress: Callable[[Report], None] | None = None,
        wait: bool = False,
    ) -> Crawled:
        """Fetches the site (or takes `source`: a WARC file's pages, a folder's, any), keeps what changed, sorts pages into classes, extracts records.

        Pages of no class are clustered afterwards; what is big and tight enough is proposed as a class, or accepted where `auto_accept`.
        """
        from treelace.crawl.joining import join_details
        from treelace.crawl.scope import Scope
        from treelace.crawl.visiting import Crawled, look_again, replay, visit

        said = self.settings.crawl
        settings = settings or self.crawl_settings()
        scope = Scope(starts=(self.settings.site.url,), hosts=tuple(said.hosts), include=tuple(said.include), exclude=tuple(said.exclude))

        def add(pages: Iterable[FetchedPage], on_safe: Callable[[list[Prepared]], None]) -> Imported:
            def on_batch(_: Imported, prepared: list[Prepared]) -> None:
                sorter.note(prepared)
                on_safe(prepared)
                if journal is not None:
                    journal.stored(prepared)

            return self.add_pages(pages, on_batch=on_batch, patience=None if source is not None else PATIENCE)

        usual = self.assign

        def assign(page: FetchedPage, tree: Tree, class_id: int | None) -> Assigned | None:
            if self._section(page.url) is not None:  # what the settings say of an address goes before what a page looks like
                return usual(page, tree, None)
            return sorter.assign(page, tree, class_id) or usual(page, tree, class_id)

        with self.store.writer(wait=wait):
            self.__dict__.pop("_numbers", None)  # a wrapper's file may have been edited since the last round
            self._assigned.clear()
            sorter = self.sorter()
            for name in sorter.left("fill"):  # what a crawl that was killed has left
                sorter.fill_in(name, self.records)
            self.assign = assign
            noticed = Alerts(self.store)
            before = noticed.newest()
            try:
                if source is not None:
                    report, stored = replay(source, add)
                else:
                    report, stored = visit(
                        self.store,
                        add,
                        scope,
                        settings,
                        is_due_only=is_due_only,
                        archive=archive,
                        on_gone=self._page_is_gone,
                        on_event=None if journal is None else journal.crawled,
                        progress=progress,
                    )
                fresh = {one.name: one for one in sorter.propose()}
                unseen = [fresh.get(name) or sorter.proposal(name) for name in sorter.left("look")]
                if source is None:
                    look_again(self.store, add, scope, settings, sorter, unseen)
                for proposal in unseen:
                    sorter.quieten(proposal.name)
                waiting = [one.name for one in self.classes.all() if one.state == "proposed"] if auto_accept else []
                for name in waiting:
                    sorter.accept(name)
                    sorter.fill_in(name, self.records)
                proposals = [fresh.get(name) or sorter.proposal(name) for name in dict.fromkeys([*fresh, *waiting])]
                join_details(self.store, self.records, self.classes)
            finally:
                self.assign = usual
        if journal is not None:
            journal.alerts(noticed.alerts(after=before))
        return Crawled(report, stored, proposals, sorter.drift)

    def journal(self, place: str | None = None, settings: CrawlSettings | None = None) -> Journal | None:
        """The file for structured logs, at a place or where the settings say; None where nobody asks for one. No secret of `settings` gets there."""
        from treelace.crawl.journal import Journal

        path = Path(place) if place else self.folder / self.settings.log.json if self.settings.log.json else None
        return None if path is None else Journal(path, secrets=(settings or self.crawl_settings()).secrets())

    def repair(self, name: str, *, accept: bool = False, wait: bool = False) -> SiteRepair:
        """Re-attaches the wrapper of a class to its pages as they look now; what cannot be proved is left out and named.

        With `accept` the repaired wrapper is taken into use, and the records of the newest versions are stored.
        """
        from treelace.crawl import repairing

        sorter = self.sorter()
        repaired = repairing.repair(self.store, self.classes, sorter, name)
        if accept and repaired.wrapper is not None:
            with self.store.writer(wait=wait):
                repairing.accept(self.store, self.classes, sorter, repaired)
                sorter.fill_in(name, self.records)
        return repaired

    def _page_is_gone(self, page: FetchedPage) -> None:
        """The page shows nothing any more: what only it showed ends."""
        state = self.store.states([page.url]).get(page.url)
        if state is not None and state.id is not None:
            time = times.to_number(page.time)
            noticer = Noticer(self.store, self.records)
            with self.store.database.writing() as connection:
                changes = self.records.remove_page(connection, Place(state.id, page.url, 0, time))
                noticer.page_is_gone(connection, page_id=state.id, number=state.newest, time=time, changes=changes)

    # what a person does to classes

    def rename_class(self, name: str, new: str) -> None:
        """Gives a class another name; its records, their history and the rules on them are found under the new one."""
        with self._deciding(name) as decider:
            decider.rename(name, new)

    def merge_classes(self, name: str, other: str) -> int:
        """Puts the pages of `other` into `name`; the records of both are built anew from every version. How many came, changed or went."""
        with self._deciding(name, other) as decider:
            return decider.merge(name, other)

    def split_class(self, name: str) -> list[str]:
        """Cuts a class in two where its pages are least alike; the records of each are built anew from every version. The names of both."""
        with self._deciding(name) as decider:
            return decider.split(name)

    @contextmanager
    def _deciding(self, *names: str) -> Iterator[Decider]:
        from treelace.crawl.deciding import Decider
        from treelace.crawl.joining import join_details

        for section in self.settings.classes:
            if section.name in names:
                raise UsageError(f"the class {section.name} stands in {site_settings.FILE}: change it there")
        with self.store.writer():
            yield Decider(self.store, self.classes, self.records, self.sorter())
            self._assigned.clear()
            join_details(self.store, self.records, self.classes)

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

        return delta_between(self.store.body(url, old), self.store.body(url, new), limits=self.limits)


class KeepPages:
    """An extension for your own Scrapy spiders: every page they fetch goes into a site, sorted and wrapped like those of `treelace crawl`.

        EXTENSIONS = {"treelace.site.KeepPages": 500}

    The site is the current folder, or what `TREELACE_SITE` names. Pages are stored when the spider is done, and whenever a hundred have come.
    `TREELACE_AUTO_ACCEPT = True` takes proposed classes into use.
    """

    def __init__(self, folder: str, *, auto_accept: bool = False) -> None:
        self._folder = folder
        self._auto_accept = auto_accept
        self._waiting: list[FetchedPage] = []

    @classmethod
    def from_crawler(cls, crawler: Any) -> KeepPages:
        """What Scrapy calls."""
        from scrapy import signals

        folder = crawler.settings.get("TREELACE_SITE") or "."
        site_settings.read(Path(folder))  # a folder that is no site is said before anything is fetched
        made = cls(folder, auto_accept=crawler.settings.getbool("TREELACE_AUTO_ACCEPT"))
        crawler.signals.connect(made.came, signal=signals.response_received)
        crawler.signals.connect(made.store, signal=signals.spider_closed)
        return made

    def came(self, response: Any) -> None:
        """A response of the spider."""
        from treelace.crawl.settings import is_page_type

        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, values in response.headers.items() for value in values)
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        if 200 <= response.status < 300 and is_page_type(kind) and not response.url.endswith("/robots.txt"):
            self._waiting.append(FetchedPage(response.url, times.from_number(times.now()), response.status, response.body, kind, headers))
        if len(self._waiting) >= 100:
            self.store()

    def store(self) -> None:
        """Stores what has come."""
        pages, self._waiting = self._waiting, []
        if pages:
            with Site(self._folder) as site:
                site.crawl(source=pages, auto_accept=self._auto_accept, wait=True)
