"""A round: a site's pages come in and are stored; then classes are proposed for the rest."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from treelace.classes.model import ClassState
from treelace.classes.pages import GONE, Gone, Parsed
from treelace.classes.proposals import MOST_PAGES
from treelace.crawl.crawler import FIRST_OF_ALL, Crawler
from treelace.crawl.hosts import NoPast
from treelace.crawl.rendering import downloads
from treelace.crawl.report import Report
from treelace.crawl.scope import Scope
from treelace.errors import CrawlError, UsageError
from treelace.site.intake import Imported, drifted
from treelace.site.known_drift import note_drift
from treelace.site.looks import PageLooks
from treelace.site.page_classes import SEE_TWICE, STORE_RECORDS
from treelace.store.frontier import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from treelace._kernel import Features
    from treelace.classes.pages import Arrival, Fetched
    from treelace.classes.proposals import Proposal
    from treelace.crawl.settings import CrawlSettings
    from treelace.crawl.warc import WarcWriter
    from treelace.site.base import SiteBase
    from treelace.site.intake import Committed
    from treelace.site.journal import Journal

LONGEST_WAIT_FOR_BATCH = 2.0
"""Seconds that a page which was fetched waits for others, until they are written together."""


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a crawl did: fetching, storing, classes proposed, and classes that drifted, with the
    pages that their wrappers do not know any more and why.
    """

    report: Report
    stored: Imported
    proposals: tuple[Proposal, ...]
    drift: Mapping[str, Mapping[str, str]]
    in_none: Mapping[str, int]
    """How many pages are of no class, by the reason."""
    read_on: Mapping[str, int]
    """How many pages are of another design than their class, and its wrapper still reads them."""
    refused: Mapping[str, int]
    """How many records of a class were read and not kept: the checks of its wrapper refuse them."""
    new_keys: Mapping[str, int]
    """How many records of a kind have other keys and the same names: they are the same records."""
    emptied: Mapping[str, int]
    """How many lists of a class had rows and have none now."""

    def __str__(self) -> str:
        return f"{self.report}; {self.stored}"


class Round:
    """One crawl of a site, under its writer lock, in steps."""

    def __init__(
        self,
        site: SiteBase,
        settings: CrawlSettings,
        *,
        journal: Journal | None = None,
        archive: WarcWriter | None = None,
        stop: Callable[[], str] | None = None,
    ) -> None:
        said = site.settings.crawl
        self._site = site
        self._settings = settings
        self._scope = Scope(
            starts=(site.settings.site.url,),
            hosts=tuple(said.hosts),
            include=tuple(said.include),
            exclude=tuple(said.exclude),
        )
        self._journal = journal
        self._archive = archive
        self._stop = stop or str
        self._classes = site.page_classes
        self._sketches: dict[str, Features] = {}
        self._looks = PageLooks(site.store)
        self._report = Report()
        self._stored = Imported()
        self._proposals: tuple[Proposal, ...] = ()
        self._drift: dict[str, dict[str, str]] = {}
        self._in_none: Mapping[str, int] = {}
        self._read_on: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._new_keys: Counter[str] = Counter()
        self._emptied: Counter[str] = Counter()

    @property
    def done(self) -> Crawled:
        """What it did so far."""
        drift = {name: dict(pages) for name, pages in self._drift.items()}
        read_on = dict(self._read_on)
        return Crawled(
            self._report.copy(),
            self._stored,
            self._proposals,
            drift,
            self._in_none,
            read_on,
            dict(self._refused),
            dict(self._new_keys),
            dict(self._emptied),
        )

    def replay(self, source: Iterable[Fetched], *, auto_accept: bool) -> Iterator[Crawled]:
        """Takes the pages of a source as if they had been fetched; a step for each batch."""
        self._finish_earlier_rounds()
        for committed in self._take(self._replayed(source)):
            self._stored = self._stored.plus(committed)
            self._note(committed)
            yield self.done
        self._propose(auto_accept=auto_accept, sees_twice=False)

    def fetch(self, *, auto_accept: bool, is_due_only: bool) -> Iterator[Crawled]:
        """Fetches the pages of the site; a step for each batch."""
        self._finish_earlier_rounds()
        frontier, now = self._site.store.frontier, datetime.now(UTC)
        due = self._site.store.urls(due_by=now if is_due_only else None)
        frontier.revisit([*self._scope.starts, *due], now)
        frontier.retry(now)
        for committed in self._crawl(self._settings, self._report):
            self._stored = self._stored.plus(committed)
            yield self.done
        self._fetch_looks()
        self._propose(auto_accept=auto_accept, sees_twice=True)

    def fetch_only(self, urls: Sequence[str]) -> Iterator[Crawled]:
        """Fetches these pages and follows no link; a step for each batch."""
        for url in urls:
            if refusal := self._scope.refusal(url):
                raise UsageError(f"{url}: {refusal}")
        self._finish_earlier_rounds()
        frontier, now = self._site.store.frontier, datetime.now(UTC)
        frontier.add(Address(url=url, due=now) for url in urls)
        for committed in self._crawl(self._prefer(urls), self._report):
            self._stored = self._stored.plus(committed)
            yield self.done
        self._fetch_looks()

    def _fetch_looks(self) -> None:
        """Fetches the style sheets and images of the pages that came, where it is set."""
        homes, past = self._scope.starts, self._site.host_rights or NoPast()
        self._looks.fetch(self._settings, homes, past, check_stop=self._check_stop)

    def _check_stop(self) -> None:
        if why := self._stop():
            raise CrawlError(f"the round was stopped: {why}")

    def _prefer(self, urls: Sequence[str]) -> CrawlSettings:
        """Puts pages before all others; the settings for a crawl of them alone."""
        frontier = self._site.store.frontier
        frontier.revisit(urls, datetime.now(UTC))
        frontier.prefer(urls, FIRST_OF_ALL)
        return replace(self._settings, pages=len(urls), depth=0)

    def _finish_earlier_rounds(self) -> None:
        """Does what a round that was killed has left, and what new settings ask for."""
        self._classes.adopt()
        for name in self._classes.unfinished(STORE_RECORDS):
            self._store_records(name)

    def _replayed(self, source: Iterable[Fetched]) -> Iterator[Arrival]:
        for page in source:
            is_gone = page.status in GONE
            self._report.outcomes["gone" if is_gone else "replayed"] += 1
            if page.is_page or is_gone:
                yield Gone(page) if is_gone else page

    def _crawl(self, settings: CrawlSettings, report: Report) -> Iterator[Committed]:
        """Crawls into the store, and tells the crawler what is safe."""
        store = self._site.store
        opened = self._site.downloads or downloads
        with opened(settings, self._scope.starts) as downloader:
            crawler = Crawler(
                self._scope,
                settings,
                store.frontier,
                downloader,
                report=report,
                limits=store.limits,
                past=self._site.host_rights,
            )
            for committed in self._take(self._arriving(crawler), patience=LONGEST_WAIT_FOR_BATCH):
                crawler.stored(committed.urls)
                crawler.prefer(committed.record_links())
                self._note(committed)
                self._log(crawler)
                yield committed

    def _arriving(self, crawler: Crawler) -> Iterator[Arrival | None]:
        for arrival in crawler.arrivals():
            self._check_stop()
            self._log(crawler)
            if self._archive is not None and isinstance(arrival, Parsed):
                self._archive.page(arrival.fetched)
            yield arrival

    def _take(
        self, arrivals: Iterable[Arrival | None], *, patience: float | None = None
    ) -> Iterator[Committed]:
        catalogue = self._classes.catalogue(sketches_all=True)
        problems = self._site.configured.take_problems()
        self._stored = replace(self._stored, failures=(*self._stored.failures, *problems))
        with closing(self._site.intake.take(arrivals, catalogue, patience=patience)) as batches:
            yield from batches

    def _note(self, committed: Committed) -> None:
        """Remembers for the end of the round: drifted pages, and looks of pages of no class."""
        note_drift(self._site.store, committed.outcomes)
        for name, reads in drifted(committed.outcomes).items():
            self._drift.setdefault(name, {}).update(
                (url, read.drift) for url, read in reads.items()
            )
        self._new_keys.update(committed.new_keys)
        for outcome in committed.outcomes:
            for read in outcome.read:
                known = read.versioned.classified.page_class
                if read.is_read_on and known is not None:
                    self._read_on[known.name] += 1
                if read.is_emptied and known is not None:
                    self._emptied[known.name] += 1
                if read.refused and known is not None:
                    self._refused[known.name] += read.refused
                page = read.versioned.classified.page
                if self._settings.looks and page.tree.format == "html":
                    self._looks.see(outcome.state.url, page.tree)
                if outcome.state.class_id is None and page.tree.format == "html":
                    self._sketches.pop(outcome.state.url, None)
                    self._sketches[outcome.state.url] = page.sketch
        for url in list(self._sketches)[:-MOST_PAGES]:
            del self._sketches[url]
        if self._journal is not None:
            self._journal.stored(committed.outcomes)

    def _log(self, crawler: Crawler) -> None:
        for event in crawler.take_log():
            if self._journal is not None:
                self._journal.crawled(event)

    def _propose(self, *, auto_accept: bool, sees_twice: bool) -> None:
        """Proposes classes, finds the noise in their pages, and takes all that wait into use where
        `auto_accept`; what is new, or newly in use.
        """
        classes, store = self._classes, self._site.store
        proposed = classes.propose(self._sketches)
        self._in_none = proposed.in_none
        fresh = {one.name: one for one in proposed.classes}
        unseen = classes.unfinished(SEE_TWICE)
        if sees_twice:
            self._see_twice([url for name in unseen for url in classes.pages_to_see_twice(name)])
        for name in unseen:
            classes.leave_out_noise(name)
        waiting = [one.name for one in store.classes.all() if one.state is ClassState.PROPOSED]
        for name in waiting if auto_accept else ():
            classes.accept(name)
            self._store_records(name)
        named = dict.fromkeys([*fresh, *(waiting if auto_accept else ())])
        self._proposals = tuple(fresh.get(name) or classes.proposal(name) for name in named)
        with store.writing() as transaction:
            transaction.make_joined_views()
            transaction.make_sort_indexes()

    def _see_twice(self, urls: Sequence[str]) -> None:
        """Fetches a few pages of new classes a second time, untold in report, journal, archive."""
        if urls:
            settings = self._prefer(urls)
            told, self._journal, self._archive = (self._journal, self._archive), None, None
            for _ in self._crawl(settings, Report()):
                pass
            self._journal, self._archive = told

    def _store_records(self, name: str) -> None:
        done = self._classes.store_records(name)
        if done.unread:
            self._drift.setdefault(name, {}).update(done.unread)
        if done.refused:
            self._refused[name] += done.refused
