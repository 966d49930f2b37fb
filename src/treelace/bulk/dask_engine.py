"""Dask: tasks on the workers of a cluster, of this machine or of many.

A worker of the cluster does a task in a process that it guards, as the engine of this machine does.
What is lost with a worker or with the scheduler is begun again; what was done is found done.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from treelace.bulk.guard import Bounds, Guard
from treelace.bulk.model import Done, Outcome, Task
from treelace.errors import MissingError, StoreError

TRIES_OF_A_TASK = 20
"""How often a task is begun whose workers die or cannot write."""
AHEAD = 3
"""Tasks given to the cluster for each of its workers."""
OF_A_CLUSTER = {
    "distributed.scheduler.allowed-failures": TRIES_OF_A_TASK,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "60s",
}
"""How a cluster of this machine is set: nobody looks at how its workers wait, so they need not
measure themselves a hundred times a second.
"""
PATIENCE = 300.0
"""Seconds that a run waits for a scheduler that is gone, or for the first worker."""
LOOK_SECONDS = 1.0


class Answer(msgspec.Struct, frozen=True):
    """What came of a task on a worker, or why it could not be written there."""

    done: Done | None = None
    error: str = ""
    worker: str = ""


def do_task(task: bytes, bounds: bytes) -> bytes:
    """Does a task; runs on a worker of the cluster."""
    from distributed import get_worker

    guard = getattr(_HERE, "guard", None)
    if guard is None:
        guard = _HERE.guard = Guard(msgspec.msgpack.decode(bounds, type=Bounds))
    try:
        answer = Answer(guard.run(msgspec.msgpack.decode(task, type=Task)))
    except OSError as error:
        said = " ".join(str(error).split())
        answer = Answer(error=said, worker=get_worker().address)
    return msgspec.msgpack.encode(answer)


_HERE = threading.local()
"""The guard of each thread of a worker; it ends with the worker."""


class DaskEngine:
    """A cluster of this machine (`dask`), or the one whose scheduler is at an address."""

    def __init__(self, on: str, *, workers: int, bounds: Bounds) -> None:
        try:
            import distributed
        except ImportError as error:
            package, extra = "distributed", "cluster"
            raise MissingError("running on Dask", package=package, extra=extra) from error
        self._distributed: Any = distributed
        self._bounds = msgspec.msgpack.encode(bounds)
        self._cluster: Any = None
        self._client: Any = None
        self._address: Any = on
        if on == "dask":
            import dask

            with dask.config.set(OF_A_CLUSTER):
                self._cluster = self._distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    memory_limit=0,  # the guard has a bound of its own
                    silence_logs=50,
                )
            self._address = self._cluster
        self._has_ended = threading.Event()
        """That a task may have ended since the last look."""
        self._tries: Counter[str] = Counter()
        self._full: set[str] = set()
        self.notes: list[str] = []

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
        """The tasks as they end."""
        waiting = deque(tasks)
        under_way: dict[Any, Task] = {}
        while waiting or under_way:
            if self._client is None or self._client.status != "running":
                waiting.extendleft(reversed(under_way.values()))
                under_way.clear()
                self._connect()
            while waiting and len(under_way) < AHEAD * self._width():
                try:
                    future = self._submit(waiting[0])
                except Exception:  # noqa: BLE001 (the scheduler is gone, which the next look finds)
                    break
                under_way[future] = waiting.popleft()
            for future in self._ended(under_way):
                task = under_way.pop(future)
                outcome = self._outcome(task, future)
                if outcome is None:
                    waiting.append(task)
                else:
                    yield task, outcome

    def close(self) -> None:
        """Leaves the cluster; ends it where it is of this run."""
        for one in (self._client, self._cluster):
            if one is not None:
                with suppress(Exception):  # it is gone already
                    one.close(timeout=10)

    def _connect(self) -> None:
        """Waits for the scheduler, and for a worker."""
        until = time.monotonic() + PATIENCE
        while True:
            if self._client is not None:
                with suppress(Exception):  # it is gone already
                    self._client.close(timeout=1)
                self._client = None
            try:
                client = self._distributed.Client(
                    self._address, timeout=5, set_as_default=False, name="treelace-bulk"
                )
                client.wait_for_workers(1, timeout=max(1.0, until - time.monotonic()))
            except (OSError, TimeoutError, ValueError) as error:
                if time.monotonic() > until:
                    said = " ".join(str(error).split())
                    raise StoreError(f"{self._address}: no scheduler answers: {said}") from error
                time.sleep(LOOK_SECONDS)
                continue
            self._client = client
            return

    def _width(self) -> int:
        try:
            return max(1, int(sum(self._client.nthreads().values())))
        except Exception:  # noqa: BLE001 (a scheduler that is gone is found in the next look)
            return 1

    def _submit(self, task: Task) -> Any:
        where = None
        if self._full:
            others = [it for it in self._client.nthreads() if it not in self._full]
            where = others or None
        self._tries[task.name] += 1
        future = self._client.submit(
            do_task,
            msgspec.msgpack.encode(task),
            self._bounds,
            key=f"{task.stage}-{task.name}-{self._tries[task.name]}",
            pure=False,
            workers=where,
            allow_other_workers=where is not None,
        )
        future.add_done_callback(lambda _: self._has_ended.set())
        return future

    def _ended(self, under_way: dict[Any, Task]) -> list[Any]:
        self._has_ended.wait(LOOK_SECONDS)  # late, cancelled, lost: the states say which
        self._has_ended.clear()
        return [future for future in under_way if future.status != "pending"]

    def _outcome(self, task: Task, future: Any) -> Outcome | None:
        """What came of a task; None where it is to be begun again."""
        if future.status == "finished":
            try:
                answer = msgspec.msgpack.decode(future.result(timeout=30), type=Answer)
            except Exception:  # noqa: BLE001 (its worker died with the answer)
                return None
            if answer.done is not None:
                return answer.done
            if answer.worker not in self._full:
                self.notes.append(f"{answer.worker} cannot write: {answer.error}")
            self._full.add(answer.worker)
            error: Exception = OSError(answer.error)
        elif future.status == "error":
            found = future.exception()
            error = found if isinstance(found, Exception) else StoreError(str(found))
            if not isinstance(error, self._distributed.KilledWorker):
                return error
        else:
            error = StoreError("the scheduler was lost")
        return error if self._tries[task.name] >= TRIES_OF_A_TASK else None
