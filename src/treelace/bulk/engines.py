"""Engines: who does the tasks of a stage. Nothing of the stages knows which one it is."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

from treelace.bulk.guard import Bounds, Guard
from treelace.bulk.model import Done, Outcome, Task
from treelace.bulk.tasks import perform
from treelace.bulk.watching import Watch
from treelace.errors import UsageError

TRIES_OF_A_TASK = 2
"""How often a task is begun that fails for no fault of a page: a disk that is full for a moment."""


class Engine(Protocol):
    """Does tasks, in any order; `close` ends what is under way."""

    notes: list[str]
    """What a person should know of its workers."""

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
        """The tasks, each with what came of it, as they end."""
        ...

    def close(self) -> None:
        """Ends it."""
        ...


def engine(on: str, *, workers: int | None, bounds: Bounds) -> Engine:
    """The engine of this name: threads, processes, dask, or the address of a scheduler."""
    count = workers or os.cpu_count() or 1
    if on == "threads":
        return Pool(count, _Here)
    if on == "processes":
        return Pool(count, lambda: Guard(bounds))
    if on == "dask" or "://" in on:
        from treelace.bulk.dask_engine import DaskEngine

        return DaskEngine(on, workers=count, bounds=bounds)
    raise UsageError(f"--on is threads, processes, dask or tcp://…, not {on!r}")


class Worker(Protocol):
    """Does one task at a time."""

    def run(self, task: Task) -> Done:
        """Does it."""
        ...

    def close(self) -> None:
        """Ends it."""
        ...


class _Here:
    """Does tasks in this process."""

    def run(self, task: Task) -> Done:
        return perform(task, Watch())

    def close(self) -> None:
        return


class Pool:
    """So many threads; each has a worker, which may be a process."""

    def __init__(self, count: int, make: Callable[[], Worker]) -> None:
        self._count = count
        self._make = make
        self._workers: deque[Worker] = deque()
        self._every: list[Worker] = []
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="bulk")
        self._is_closed = False
        self.notes: list[str] = []

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
        """The tasks as they end; no more are begun than there are workers, and a few."""
        waiting = deque(tasks)
        under_way: dict[Future[Done], Task] = {}
        while waiting or under_way:
            while waiting and len(under_way) < self._count + 2:
                task = waiting.popleft()
                under_way[self._threads.submit(self._do, task)] = task
            ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in ended:
                task = under_way.pop(future)
                error = future.exception()
                if error is None:
                    yield task, future.result()
                elif isinstance(error, Exception):
                    yield task, error
                else:
                    raise error

    def close(self) -> None:
        """Ends the workers and the threads."""
        self._is_closed = True
        with self._lock:
            for worker in self._every:
                worker.close()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _do(self, task: Task) -> Done:
        with self._lock:
            worker = self._workers.popleft() if self._workers else None
            if worker is None:
                worker = self._make()
                self._every.append(worker)
        try:
            for left in reversed(range(TRIES_OF_A_TASK)):
                try:
                    return worker.run(task)
                except OSError:
                    if not left or self._is_closed:
                        raise
            raise UsageError("a task is tried at least once")
        finally:
            with self._lock:
                self._workers.append(worker)
