"""Alone: one run at a time writes to an output.

On a disk the system's lock says who does; it ends with the process. Object storage has no locks, so
a run leaves a sign of life there again and again, and another one that finds a fresh sign does not
begin. Two that begin at the same moment read what they wrote: the last one goes on. If that ever
fails, two runs write the same bytes under the same names.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO
from uuid import uuid4

import msgspec

from treelace.bulk.storage import Storage, is_far, local_path
from treelace.errors import StoreError

BEAT = 20.0
"""Seconds between two signs of life."""
LOST = 5 * BEAT
"""Seconds without a sign after which a run counts as dead."""
SIGN = "work/run.json"


class _Sign(msgspec.Struct, frozen=True):
    run: str
    beat: float
    """Seconds since 1970 by the clock of the run; 0 where it has ended."""


@contextmanager
def alone(out: str) -> Iterator[None]:
    """Holds an output; `StoreError` where another run is writing there."""
    with _with_sign(Storage(out)) if is_far(out) else _with_lock(out):
        yield


@contextmanager
def _with_lock(out: str) -> Iterator[None]:
    folder = local_path(out) / "work"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as file:
        _lock(file, out)
        yield


def _lock(file: IO[bytes], out: str) -> None:
    try:
        import fcntl
    except ImportError:
        return  # no such locks on this system
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise StoreError(f"{out}: another run is writing there") from error


@contextmanager
def _with_sign(storage: Storage) -> Iterator[None]:
    mine, is_over = uuid4().hex, threading.Event()
    silent = abs(time.time() - _sign(storage).beat)  # clocks may differ a little
    if silent < LOST:
        raise StoreError(
            f"{storage.place}: another run is writing there; its last sign of life is"
            f" {silent:.0f} s old (after {LOST:.0f} s it counts as dead)"
        )
    _leave(storage, mine)
    if _sign(storage).run != mine:
        raise StoreError(f"{storage.place}: another run began to write there at the same moment")

    def beat() -> None:
        while not is_over.wait(BEAT):
            try:
                _leave(storage, mine)
            except StoreError:
                continue  # the storage is away: the run itself will say so

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        _leave(storage, "", at=0.0)  # no name: what a run leaves is the same each time


def _sign(storage: Storage) -> _Sign:
    try:
        return msgspec.json.decode(storage.read(SIGN), type=_Sign)
    except (FileNotFoundError, msgspec.MsgspecError):
        return _Sign("", 0.0)


def _leave(storage: Storage, run: str, *, at: float | None = None) -> None:
    storage.write(SIGN, msgspec.json.encode(_Sign(run, time.time() if at is None else at)))
