"""Batches: many pages on threads, a batch at a time, ready for one transaction.

While one batch is written, the next is worked on: parsing, matching, packing let go of the
interpreter, so threads are enough for all cores. What a batch sees of the store is read when it is
begun, and two batches under way never share a page. So what comes out is the same for any number of
threads.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from treelace.classes.pages import Gone, NotModified
from treelace.crawl.urls import check_address
from treelace.site.pipeline import fetched_of, follow, is_of_page, set_aside
from treelace.store.pages import PageState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from treelace.classes.catalogue import Catalogue
    from treelace.classes.pages import Arrival
    from treelace.limits import Limits
    from treelace.site.pipeline import PageOutcome
    from treelace.store import Store
    from treelace.store.last_versions import LastVersions

    Batch = dict[str, list[Arrival]]
    """Pages by their addresses."""

MOST_PAGES = 64
MOST_BYTES = 16 * 2**20
"""What a batch may hold: memory is bounded by two of them."""
SWITCH_SECONDS = 0.001
"""Python's switch interval: at its 5 ms a thread back from the kernel waits too long."""


class Batches:
    """Threads that follow pages; `close` ends them, and leaves what has not begun.

    With `patience` a batch is made of what came within so many seconds, and comes out before the
    next one is begun: for pages that come slowly.
    """

    def __init__(
        self, store: Store, catalogue: Catalogue, *, workers: int, patience: float | None = None
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._patience = patience
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="follow")
        self._usual = sys.getswitchinterval()
        sys.setswitchinterval(min(self._usual, SWITCH_SECONDS))

    def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        sys.setswitchinterval(self._usual)

    def of(self, arrivals: Iterable[Arrival | None]) -> Iterator[list[PageOutcome]]:
        """The outcomes of the pages, in order; a None says that nothing came for a while."""
        under_way: list[Future[PageOutcome]] = []
        before: Batch = {}
        for batch in self._cut(arrivals):
            if not before.keys().isdisjoint(batch):
                yield _results(under_way)
                under_way = []
            coming = self._begin(batch)
            if under_way:
                yield _results(under_way)
            under_way, before = coming, batch
            if self._patience is not None:
                yield _results(under_way)
                under_way = []
        if under_way:
            yield _results(under_way)

    def _cut(self, arrivals: Iterable[Arrival | None]) -> Iterator[Batch]:
        """A bounded number of pages at a time."""
        batch: Batch = {}
        count = size = 0
        began = 0.0
        for arrival in arrivals:
            began = began if batch else time.monotonic()
            if arrival is not None:
                fetched = fetched_of(arrival)
                batch.setdefault(fetched.url, []).append(arrival)
                count, size = count + 1, size + len(fetched.body)
            is_late = self._patience is not None and time.monotonic() - began >= self._patience
            if batch and (count >= MOST_PAGES or size >= MOST_BYTES or is_late):
                yield batch
                batch, count, size = {}, 0, 0
        if batch:
            yield batch

    def _begin(self, batch: Batch) -> list[Future[PageOutcome]]:
        states = self._store.states(list(batch))
        changed = [state for url, state in states.items() if _may_change(state, batch[url])]
        last = self._store.last_versions(changed)
        return [
            self._pool.submit(
                _follow,
                states.get(url) or PageState(url),
                arrivals,
                last,
                self._catalogue,
                self._store.limits,
            )
            for url, arrivals in batch.items()
        ]


def _follow(
    state: PageState,
    arrivals: list[Arrival],
    last: LastVersions,
    catalogue: Catalogue,
    limits: Limits,
) -> PageOutcome:
    """The way of one page, which ends no other one's: whatever breaks, the page is set aside."""
    try:
        check_address(state.url)
        return follow(state, arrivals, last, catalogue, limits)
    except Exception as error:
        if not is_of_page(error):
            raise
        return set_aside(state.url, map(fetched_of, arrivals), error)


def _may_change(state: PageState, arrivals: list[Arrival]) -> bool:
    """Whether there may be a new version, so that the last one is needed."""
    return any(
        not isinstance(one, Gone | NotModified) and fetched_of(one).digest != state.source
        for one in arrivals
    )


def _results(under_way: list[Future[PageOutcome]]) -> list[PageOutcome]:
    return [one.result() for one in under_way]
