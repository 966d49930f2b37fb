"""Batches: fetched pages made into versions by threads, a batch at a time, ready to be written in
one transaction.

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

from treelace.store import ingest
from treelace.store.pages import PageState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from treelace.classes.pages import FetchedPage
    from treelace.store.ingest import Assign, Prepared
    from treelace.store.store import Store

    Batch = dict[str, list[FetchedPage]]
    """Pages by their addresses."""

MOST_PAGES = 64
MOST_BYTES = 16 * 2**20
SWITCH = 0.001
"""Seconds after which a thread that comes back from the kernel gets the interpreter; at Python's 5
ms it would wait longer than it works.
"""


class Batches:
    """Threads that prepare pages; `close` ends them, and leaves what has not begun.

    With `patience` a batch is made of what came within so many seconds, and comes out before the
    next one is begun: for pages that come slowly.
    """

    def __init__(
        self, store: Store, assign: Assign, *, workers: int, patience: float | None = None
    ) -> None:
        self._store = store
        self._assign = assign
        self._patience = patience
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="prepare")
        self._usual = sys.getswitchinterval()
        sys.setswitchinterval(min(self._usual, SWITCH))

    def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        sys.setswitchinterval(self._usual)

    def of(self, fetched: Iterable[FetchedPage]) -> Iterator[list[Prepared]]:
        """What came of the pages, in their order."""
        under_way: list[Future[Prepared]] = []
        before: Batch = {}
        for batch in self._cut(fetched):
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

    def _cut(self, fetched: Iterable[FetchedPage]) -> Iterator[Batch]:
        """A bounded number of pages at a time."""
        batch: Batch = {}
        count = size = 0
        began = 0.0
        for page in fetched:
            began = began if batch else time.monotonic()
            batch.setdefault(page.url, []).append(page)
            count, size = count + 1, size + len(page.body)
            is_late = self._patience is not None and time.monotonic() - began >= self._patience
            if count >= MOST_PAGES or size >= MOST_BYTES or is_late:
                yield batch
                batch, count, size = {}, 0, 0
        if batch:
            yield batch

    def _begin(self, batch: Batch) -> list[Future[Prepared]]:
        known = self._store.states(list(batch))
        memory = self._store.last_versions(
            [
                state
                for url, state in known.items()
                if any(page.digest != state.source for page in batch[url])
            ]
        )

        def work(url: str) -> Prepared:
            state = known.get(url) or PageState(url)
            return ingest.prepare(
                state, batch[url], memory, assign=self._assign, limits=self._store.limits
            )

        return [self._pool.submit(work, url) for url in batch]


def _results(under_way: list[Future[Prepared]]) -> list[Prepared]:
    return [one.result() for one in under_way]
