"""Guard: a worker in a process of its own, watched; what it dies of twice is set aside by name."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import IO

import msgspec

from treelace.bulk.model import Done, Task
from treelace.bulk.watching import last_seen
from treelace.bulk.worker import Answer, Order, read_frame, write_frame
from treelace.errors import StoreError

WORK = "import sys; from treelace.bulk.worker import main; main(sys.argv[1])"
TRIES = 2
"""How often a page may end its process before it is set aside."""
START_SECONDS = 600.0
"""Until a worker has come to the first page: it loads what it needs, and reads earlier results."""
LOOK_SECONDS = 0.5
"""How often a worker is looked at."""
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Bounds(msgspec.Struct, frozen=True):
    """What one page, or one class, may take of a worker: seconds, and bytes of memory."""

    seconds: float = 300.0
    memory: int = 2**30


class Death(Exception):  # noqa: N818 (it is none of an error's kind: the guard goes on)
    """A worker ended before its task did."""


class Guard:
    """One worker; `close` ends it."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        handle, self._labels = tempfile.mkstemp(prefix="treelace-")
        os.close(handle)
        self.is_closed = False

    def run(self, task: Task) -> Done:
        """Does a task, if need be without the pages that its process dies of."""
        aside: dict[str, str] = {}
        tries: Counter[str] = Counter()
        while True:
            try:
                return self._try(task, aside)
            except Death as death:
                if self.is_closed:
                    raise StoreError("the run was stopped") from death
                _, label = last_seen(self._labels)
                tries[label] += 1
                if tries[label] < TRIES:
                    continue
                if not label or label in aside:
                    raise StoreError(f"{task.stage} {task.name}: {death}") from death
                aside[label] = f"set aside after {TRIES} tries: {death}"

    def close(self) -> None:
        """Ends the worker, whatever it does."""
        self.is_closed = True
        self._end()
        Path(self._labels).unlink(missing_ok=True)

    def _try(self, task: Task, aside: dict[str, str]) -> Done:
        if self.is_closed:
            raise Death("the run was stopped")
        with open(self._labels, "wb"):
            pass  # no label yet
        process = self._process or self._begin()
        assert process.stdin is not None
        try:
            write_frame(process.stdin, msgspec.msgpack.encode(Order(task, aside)))
        except OSError as error:
            self._end()
            raise Death("the process of its worker is gone") from error
        answer = msgspec.msgpack.decode(self._answer(process), type=Answer)
        if answer.done is not None:
            return answer.done
        raise (OSError if answer.kind == "OSError" else StoreError)(answer.error)

    def _answer(self, process: subprocess.Popen[bytes]) -> bytes:
        count, since = -1, time.monotonic()
        while True:
            try:
                frame = self._answers.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                now, _ = last_seen(self._labels)
                if now != count:
                    count, since = now, time.monotonic()
                patience = self._bounds.seconds if count > 0 else START_SECONDS
                if time.monotonic() - since > patience:
                    self._end()
                    said = f"it took longer than {patience:g} seconds"
                    raise Death(said) from None
                if _memory(process.pid) > self._bounds.memory:
                    self._end()
                    said = f"it took more than {self._bounds.memory:,} bytes of memory"
                    raise Death(said) from None
                continue
            if frame is None:
                code = process.wait()
                self._end()
                how = f"signal {-code}" if code < 0 else f"exit code {code}"
                raise Death(f"it ended the process ({how})")
            return frame

    def _begin(self) -> subprocess.Popen[bytes]:
        self._answers = queue.Queue()
        self._process = process = subprocess.Popen(
            [sys.executable, "-c", WORK, self._labels],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the run, which ends its workers
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        assert process.stdout is not None
        threading.Thread(target=_listen, args=(process.stdout, self._answers), daemon=True).start()
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:
                        continue


def _listen(answers: IO[bytes], to: queue.Queue[bytes | None]) -> None:
    try:
        while (frame := read_frame(answers)) is not None:
            to.put(frame)
    except (OSError, ValueError):
        pass
    to.put(None)


def _memory(pid: int) -> int:
    """Bytes that a process has in memory; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return 0
