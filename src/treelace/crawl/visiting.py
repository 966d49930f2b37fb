"""Visiting: a whole crawl into a store. Fetch, version, classify, wrap, records; then look at what
is of no class yet.

Everything the crawl decides is in `crawler`, everything about classes in `sorting`; here they are
put together, and together with whoever stores.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from treelace.crawl.crawler import NEXT, Crawler, Report
from treelace.crawl.rendering import downloads
from treelace.crawl.urls import normal
from treelace.crawl.warc import WarcWriter, archived
from treelace.errors import UsageError
from treelace.store import times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from treelace.classes.pages import FetchedPage
    from treelace.crawl.scope import Scope
    from treelace.crawl.settings import CrawlSettings
    from treelace.crawl.sorting import Drift, Proposal, Sorter
    from treelace.store.frontier import Event
    from treelace.store.ingest import Prepared
    from treelace.store.store import Store

    Add = Callable[[Iterable[FetchedPage], Callable[[list[Prepared]], None]], Any]


@dataclass(slots=True)
class Crawled:
    """What a crawl did: fetching, storing, classes proposed, and classes whose pages are not what
    they were.
    """

    report: Report
    stored: Any
    proposals: list[Proposal] = field(default_factory=list)
    drift: dict[str, Drift] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.report}; {self.stored}"


def visit(
    store: Store,
    add: Add,
    scope: Scope,
    settings: CrawlSettings,
    *,
    only: Sequence[str] | None = None,
    is_due_only: bool = False,
    archive: WarcWriter | None = None,
    on_gone: Callable[[FetchedPage], None] | None = None,
    on_event: Callable[[Event], None] | None = None,
    progress: Callable[[Report], None] | None = None,
) -> tuple[Report, Any]:
    """Crawls a site into a store. `add` takes pages in and calls back with what became of each
    batch, when it is safe.

    Known pages are asked for again, those with an ETag or a date only for what changed; with
    `is_due_only` those whose time has come, with `only` these.
    """
    frontier = store.frontier.heard_by(on_event)
    with downloads(settings, scope.starts) as downloader:
        crawler = Crawler(
            scope,
            settings,
            frontier,
            downloader,
            on_unchanged=lambda page: _seen_again(store, page),
            on_gone=on_gone,
            progress=progress,
        )

        def on_safe(batch: list[Prepared]) -> None:
            crawler.stored([made.state.url for made in batch])
            crawler.prefer(_leading_on(batch))
            plan_next_looks(store, [made.state.url for made in batch])

        def pages() -> Iterator[FetchedPage]:
            # nothing is touched before `add` asks for the first page: by then it holds the right to
            # write
            now = datetime.now(UTC)
            frontier.revisit(
                [*scope.starts, *store.urls(due_by=now if is_due_only else None)]
                if only is None
                else only,
                now,
            )
            if only is None:
                frontier.retry(now)
            else:
                frontier.prefer(only, NEXT + 1)
            yield from crawler.pages()

        stored = add(archived(pages(), archive) if archive is not None else pages(), on_safe)
    return crawler.report, stored


def replay(source: Iterable[FetchedPage], add: Add) -> tuple[Report, Any]:
    """Takes pages from anywhere as if they had been fetched."""
    report = Report()

    def counted() -> Iterator[FetchedPage]:
        for page in source:
            report.outcomes["replayed"] += 1
            if 200 <= page.status < 300:
                yield page

    return report, add(counted(), lambda _: None)


def look_again(
    store: Store,
    add: Add,
    scope: Scope,
    settings: CrawlSettings,
    sorter: Sorter,
    proposals: Sequence[Proposal],
) -> None:
    """Fetches a few pages of each new class a second time: what differs within a minute is
    noise.
    """
    wanted = [url for proposal in proposals for url in sorter.samples(proposal.name)]
    if wanted:
        visit(store, add, scope, replace(settings, pages=len(wanted)), only=wanted)


def _seen_again(store: Store, page: FetchedPage) -> None:
    """The server says that nothing changed: the page was seen, no more."""
    with store.writing() as transaction:
        transaction.seen_again(page.url, page.time)
    plan_next_looks(store, [page.url])


def _leading_on(batch: Sequence[Prepared]) -> list[str]:
    """Where the records of these pages lead to: the pages of the records themselves."""
    found: dict[str, None] = {}
    for made in batch:
        for version in made.versions:
            for shown in version.shown or ():
                for link in shown.links():
                    try:
                        found[normal(link, base=made.state.url)] = None
                    except UsageError:
                        continue  # a link that leads to no page
    return list(found)


LEAST_WAIT = 3_600_000
MOST_WAIT = 30 * 24 * 3_600_000
"""Milliseconds between two looks at a page: an hour to thirty days."""


def next_look(first_seen: int, last_seen: int, versions: int) -> int:
    """When a page is due again: after half the time in which it changes once, by what was seen of
    it so far (times in milliseconds).

    A page that was seen to change n times in a time t changes once in t / (n + ½): the half tells
    pages that never changed, and were watched for long, from those that were seen once.

    >>> day = 24 * 3_600_000
    >>> [next_look(0, 10 * day, versions) // 3_600_000 - 240 for versions in (1, 2, 11)]
    [240, 80, 11]
    """
    changes = max(versions - 1, 0) + 0.5
    wait = (last_seen - first_seen) / changes / 2
    return last_seen + int(min(max(wait, LEAST_WAIT), MOST_WAIT))


def plan_next_looks(store: Store, urls: Sequence[str]) -> None:
    """Writes down when pages are due again."""
    due = {
        url: times.from_number(next_look(state.first_seen, state.last_seen, state.newest))
        for url, state in store.states(urls).items()
    }
    if due:
        with store.writing() as transaction:
            transaction.plan(due)
