"""Downloads pages through Scrapy in a process of its own; answers come in any order."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO, Protocol

import msgspec

from treelace.crawl.ipc import Job, Outcome, read_messages, write_message
from treelace.crawl.login import Login
from treelace.crawl.settings import CrawlSettings, from_environment
from treelace.errors import CrawlError, MissingError


class Downloader(Protocol):
    """What a crawl needs of whoever fetches: any object with these two verbs will do."""

    def ask(self, job: Job) -> None:
        """Takes a job; does not wait."""

    def next(self, seconds: float) -> Outcome | None:
        """The next outcome of any job, or None where none came in time."""


class ScrapyDownloader:
    """Scrapy, in a process that lives as long as the `with` block."""

    def __init__(self, settings: CrawlSettings) -> None:
        self._settings = settings
        self._outcomes: queue.Queue[Outcome | None] = queue.Queue()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ScrapyDownloader:
        import importlib.util

        if importlib.util.find_spec("scrapy") is None:
            raise MissingError("crawling", package="scrapy", extra="crawl")
        for _, value in (
            *self._settings.headers,
            *self._settings.cookies,
            ("", self._settings.proxy),
        ):
            from_environment(value)  # a secret that is not set is said here, not by the process
        if self._settings.login:
            Login.read(self._settings.login)
        command = [sys.executable, "-m", "treelace.crawl.spider"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._process = process
        if process.stdin is not None and process.stdout is not None:
            process.stdin.write(msgspec.json.encode(self._settings) + b"\n")
            process.stdin.flush()
            threading.Thread(target=self._listen, args=(process.stdout,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def ask(self, job: Job) -> None:
        """Takes a job; does not wait."""
        if self._process is None or self._process.stdin is None:
            raise CrawlError("a downloader works inside its `with` block")
        try:
            write_message(self._process.stdin, job)
        except OSError as error:
            raise CrawlError(
                "the downloader ended unexpectedly; run the same command again to go on where it"
                " stopped"
            ) from error

    def next(self, seconds: float) -> Outcome | None:
        """The next outcome, or None where none came in time."""
        try:
            outcome = self._outcomes.get(timeout=seconds)
        except queue.Empty:
            return None
        if outcome is None:
            raise CrawlError(
                "the downloader ended unexpectedly; run the same command again to go on where it"
                " stopped"
            )
        return outcome

    def _listen(self, answers: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            for outcome in read_messages(answers, Outcome):
                self._outcomes.put(outcome)
        self._outcomes.put(None)
