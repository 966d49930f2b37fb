"""Judging: someone else's say in what is told. Off unless the settings name a judge.

A judge hears of an alert after it is recorded and before it is delivered. It may veto it, or say
how much it weighs, which decides the order. It can lose nothing: the alert is on record before it
is asked, a judge that fails or takes too long is told of and the alert goes out, and its verdict is
kept with the alert, the veto too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treelace import plugins
from treelace.errors import TreelaceError

_MAX_ANSWER = 1 << 16
"""Bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict: whether to tell, its weight (more is first), and why; or a failure."""

    tells: bool = True
    rank: float | None = None
    why: str = ""
    error: str = ""

    @classmethod
    def read(cls, said: Any) -> Verdict:
        """The verdict that an answer means: true or false, a number, or an object with `tell`,
        `rank` and `why`; nothing is no objection.

        >>> Verdict.read(False).tells, Verdict.read(0.3).rank
        (False, 0.3)
        >>> Verdict.read({"tell": False, "why": "a sale, as every Friday"}).why
        'a sale, as every Friday'
        """
        if said is None or isinstance(said, bool):
            return cls(tells=said is not False)
        if isinstance(said, (int, float)):
            return cls(rank=float(said))
        if not isinstance(said, dict) or not isinstance(said.get("tell", True), bool):
            raise TypeError(
                'an answer is true, false, a number, or {"tell": …, "rank": …, "why": …}'
            )
        rank = said.get("rank")
        return cls(
            said.get("tell", True),
            None if rank is None else float(rank),
            " ".join(str(said.get("why") or "").split())[:500],
        )

    def written(self, judge: str) -> dict[str, Any]:
        """As it is kept with the alert."""
        told = {
            "judge": judge,
            "tell": self.tells,
            "rank": self.rank,
            "why": self.why,
            "error": self.error,
        }
        return {name: value for name, value in told.items() if value not in (None, "")}


class Judge:
    """A judge of the settings: the name of an entry point in `treelace.judges`, `module:function`,
    or a command as a list of words.

    A function gets the alert as a mapping; a command gets it as JSON on standard input and answers
    with JSON on standard output, or with nothing. One that took longer than `seconds` is not asked
    again by this object: a round does not wait for each alert.
    """

    def __init__(
        self, said: str | Sequence[str], *, seconds: float = 10.0, folder: Path | None = None
    ) -> None:
        self.name = said if isinstance(said, str) else said[0]
        self._seconds = seconds
        self._is_late = False
        self._said = said
        self._folder = folder

    def load(self) -> Callable[[Mapping[str, Any]], Any]:
        """What answers for an alert; `UsageError` where it cannot be found."""
        if not isinstance(self._said, str):
            command = list(self._said)
            return lambda alert: _run(command, alert, self._seconds, self._folder)
        judge: Callable[[Mapping[str, Any]], Any] = plugins.load(plugins.JUDGES, self._said)
        return lambda alert: _within(self._seconds, lambda: judge(alert))

    def verdict(self, alert: Mapping[str, Any]) -> Verdict:
        """What it says of an alert; never raises."""
        if self._is_late:
            return Verdict(
                error=f"it was too slow for an alert before (more than {self._seconds:g} s)"
            )
        try:
            return Verdict.read(self.load()(alert))
        except (TimeoutError, subprocess.TimeoutExpired):
            self._is_late = True
            return Verdict(error=f"no answer within {self._seconds:g} s")
        except Exception as error:  # noqa: BLE001 (someone else's code: the alert goes out)
            return Verdict(error=(" ".join(str(error).split()) or type(error).__name__)[:500])


def _within(seconds: float, work: Callable[[], Any]) -> Any:
    """A function's result, if in time; a late thread is left behind and ends with the process."""
    found: list[Any] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception as error:  # noqa: BLE001 (raised again where it is waited for)
            failed.append(error)

    thread = threading.Thread(target=run, name="treelace judge", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError
    if failed:
        raise failed[0]
    return found[0]


def _run(command: list[str], alert: Mapping[str, Any], seconds: float, folder: Path | None) -> Any:
    """A command's answer; it has its own session, so that all it started ends with it."""
    with (
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as answer,
        tempfile.TemporaryFile() as complaint,
    ):
        asked.write(json.dumps(alert, ensure_ascii=False, default=str).encode())
        asked.seek(0)
        process = subprocess.Popen(
            command,
            stdin=asked,
            stdout=answer,
            stderr=complaint,
            cwd=folder,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        finally:
            if process.poll() is None:
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        answer.seek(0)
        complaint.seek(0)
        if code:
            lines = complaint.read(_MAX_ANSWER).decode("utf-8", "replace").split("\n")
            last = next((line for line in reversed(lines) if line.strip()), "")
            raise TreelaceError(f"exit code {code} {last}".strip())
        text = answer.read(_MAX_ANSWER).decode("utf-8", "replace").strip()
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise TreelaceError(f"its answer is no JSON: {text[:80]!r}") from None
