"""Long work: a command of treelace in a process of its own, which outlives a closed tab and is
stopped cleanly with the studio.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treelace.errors import UsageError

COMMANDS = {
    "crawl": ("crawl", "--no-progress"),
    "verify": ("verify",),
    "columns": ("classes", "columns", "--try", "--history", "--no-progress"),
    "rebuild": ("records", "--rebuild", "--no-progress"),
}
"""What may be started, and the words of its command."""
WRITES_LOG = ("crawl", "columns")
LINES_SHOWN = 15
SECONDS_TO_STOP = 20
LONGEST_OUTPUT = 20_000


@dataclass(frozen=True, slots=True)
class JobState:
    """How far a job is: what happened how often, the newest lines of its log, what it said. Jobs
    of a studio are numbered; 0 is none.
    """

    number: int
    what: str
    is_running: bool
    exit_code: int | None
    counts: dict[str, int]
    lines: list[dict[str, Any]]
    said: str

    def to_json(self) -> dict[str, Any]:
        """As the page and programs get it."""
        return {
            "number": self.number,
            "what": self.what,
            "running": self.is_running,
            "exit_code": self.exit_code,
            "counts": self.counts,
            "lines": self.lines,
            "said": self.said,
        }


NOTHING = JobState(0, "", False, None, {}, [], "")


class Job:
    """One command on one site."""

    def __init__(
        self,
        number: int,
        what: str,
        folder: Path | str,
        *,
        allow_private: bool,
        words: Sequence[str] = (),
        fields: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.number = number
        self.what = what
        self.fields = fields
        """The form it was started by: what it is about can be decided there when it ends."""
        self._place = Path(tempfile.mkdtemp(prefix="treelace-job-"))
        self._lock = threading.Lock()
        self._log, self._output = self._place / "log.jsonl", self._place / "output.txt"
        self._read = 0
        self._counts: Counter[str] = Counter()
        self._lines: deque[dict[str, Any]] = deque(maxlen=LINES_SHOWN)
        self._final: JobState | None = None
        command = [sys.executable, "-m", "treelace", *COMMANDS[what], "--site", str(folder)]
        if what in WRITES_LOG:
            command += ["--log-json", str(self._log)]
        if allow_private:
            command.append("--allow-private")
        command += words
        with self._output.open("wb") as output:
            # a session of its own: Ctrl-C in the terminal is for the studio, which then stops it
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "PYTHONUTF8": "1", "NO_COLOR": "1"},
            )

    @property
    def is_running(self) -> bool:
        """Whether it goes on."""
        return self._final is None and self._process.poll() is None

    def state(self) -> JobState:
        """How far it is."""
        with self._lock:
            if self._final is not None:
                return self._final
            code = self._process.poll()
            self._follow_log()
            said = self._output.read_bytes()[-LONGEST_OUTPUT:].decode("utf-8", "replace")
            lines = [*self._lines][::-1]
            counts = dict(self._counts)
            now = JobState(self.number, self.what, code is None, code, counts, lines, said)
            if code is not None:
                self._final = now
                shutil.rmtree(self._place, ignore_errors=True)
            return now

    def _follow_log(self) -> None:
        if not self._log.exists():
            return
        with self._log.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            said = json.loads(line)
            if "counts" in said:
                self._counts = Counter(said["counts"])
                continue
            self._counts[said.get("event", "")] += 1
            self._lines.append(
                {name: said.get(name) for name in ("time", "event", "url", "status", "note")}
            )

    def stop(self) -> None:
        """Asks it to stop; what it has done stays whole."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Stops it, and waits for its end."""
        self.stop()
        try:
            self._process.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.state()


class Jobs:
    """The jobs of a studio: one at a time on each site."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._started = 0

    def start(
        self,
        site: str,
        what: str,
        folder: Path | str,
        *,
        allow_private: bool,
        words: Sequence[str] = (),
        fields: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Starts a command with some more `words`; `UsageError` where one is under way."""
        if what not in COMMANDS:
            raise UsageError(f"{what} cannot be started here; what can: {', '.join(COMMANDS)}")
        with self._lock:
            known = self._jobs.get(site)
            if known is not None and known.is_running:
                raise UsageError(f"a {known.what} of {site} is under way: wait for it, or stop it")
            self._started += 1
            self._jobs[site] = Job(
                self._started,
                what,
                folder,
                allow_private=allow_private,
                words=words,
                fields=fields,
            )

    def stop(self, site: str) -> None:
        """Asks the job of a site to stop."""
        if site in self._jobs:
            self._jobs[site].stop()

    def state(self, site: str) -> JobState:
        """How far the newest job of a site is; `NOTHING` where there was none."""
        job = self._jobs.get(site)
        return NOTHING if job is None else job.state()

    def fields(self, site: str) -> Sequence[tuple[str, str]]:
        """The form that the newest job of a site was started by."""
        job = self._jobs.get(site)
        return () if job is None else job.fields

    def close(self) -> None:
        """Stops all of them."""
        for job in self._jobs.values():
            job.stop()
        for job in self._jobs.values():
            job.close()
