"""Renders pages with Chromium while crawling, where the settings ask for it.

The page itself is fetched as every page is (robots.txt, throttling, redirects, limits); then a
browser gets it from memory and runs its scripts. What they load goes through the gate: public
addresses only, checked at the moment of connecting. Pictures, films and fonts are not loaded. Every
page has a browser's context of its own; cookies and local storage of a login are there, and cookies
go where their domain says.

What is kept, in the store and in a WARC file, is the final HTML, marked with a header
`X-Treelace-Rendered`. Not promised: that a page's scripts draw the same every time; that a page
which changes nothing in its HTML but much in what its scripts load could be asked whether it has
changed (so conditional requests are not made for rendered pages).
"""

from __future__ import annotations

import queue
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import msgspec

from treelace.crawl.downloader import Downloader, ScrapyDownloader
from treelace.crawl.gate import Gate
from treelace.crawl.guard import Guard
from treelace.crawl.ipc import Job, Outcome
from treelace.crawl.login import storage_state
from treelace.crawl.settings import CrawlSettings, from_environment
from treelace.crawl.urls import origin
from treelace.errors import LimitError, TreelaceError
from treelace.limits import DEFAULT_LIMITS, Limits

RENDERED = "X-Treelace-Rendered"
AT_ONCE = 4
"""Pages in the browser at once, at most."""
_LOOK = 0.05
"""Seconds between two looks at what is ready."""


@contextmanager
def downloads(settings: CrawlSettings, homes: Sequence[str] = ()) -> Iterator[Downloader]:
    """The downloader of a crawl: Scrapy, with a browser if set; `homes` are its own addresses."""
    with ScrapyDownloader(settings) as plain:
        if not settings.render:
            yield plain
            return
        with RenderingDownloader(plain, settings, homes) as rendering:
            yield rendering


class RenderingDownloader:
    """A downloader whose HTML pages have been through a browser."""

    def __init__(
        self, inner: Downloader, settings: CrawlSettings, homes: Sequence[str] = ()
    ) -> None:
        self._inner = inner
        self._settings = settings
        self._homes = {origin(home) for home in homes}
        self._patterns = [re.compile(pattern) for pattern in settings.render]
        self._ready: queue.Queue[Outcome] = queue.Queue()
        self._stack = ExitStack()

    def __enter__(self) -> RenderingDownloader:
        from treelace.render.browser import Browser, Visitor

        settings = self._settings
        with ExitStack() as stack:
            guard = Guard(allow_private=settings.allow_private)
            gate = stack.enter_context(
                Gate(guard, settings.seconds, settings.bytes, from_environment(settings.proxy))
            )
            visitor = Visitor(
                proxy=gate.url,
                user_agent=settings.user_agent,
                state=storage_state(settings.login) if settings.login else None,
                headers={
                    home: {name: from_environment(value) for name, value in settings.headers}
                    for home in self._homes
                    if settings.headers
                },
                cookies=tuple(
                    (home, name, from_environment(value))
                    for home in sorted(self._homes)
                    for name, value in settings.cookies
                ),
                checks_certificates=settings.checks_certificates,
            )
            self._browser = stack.enter_context(Browser(visitor=visitor))
            self._pool = stack.enter_context(ThreadPoolExecutor(min(settings.concurrency, AT_ONCE)))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._stack.close()

    def ask(self, job: Job) -> None:
        """Takes a job; does not wait."""
        # the same HTML may show something else: what its scripts load has no ETag that we would
        # know of
        self._inner.ask(
            msgspec.structs.replace(job, etag="", last_modified="")
            if self._is_wanted(job.url)
            else job
        )

    def next(self, seconds: float) -> Outcome | None:
        """The next outcome, or None where none came in time."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self._ready.get_nowait()
            except queue.Empty:
                left = deadline - time.monotonic()
            if left <= 0:
                return None
            outcome = self._inner.next(min(left, _LOOK))
            if outcome is None:
                continue
            if not (
                200 <= outcome.status < 300 and self._is_wanted(outcome.url) and _is_html(outcome)
            ):
                return outcome
            self._pool.submit(self._render, outcome)

    def _is_wanted(self, url: str) -> bool:
        return any(pattern.search(url) for pattern in self._patterns)

    def _render(self, outcome: Outcome) -> None:
        host = urlsplit(outcome.url).hostname or ""
        try:
            made = self._rendered(outcome)
        except LimitError as error:
            what = (
                f"not rendered within {self._settings.seconds:g} s"
                if "seconds" in str(error)
                else f"the rendered page: {error}"
            )
            made = msgspec.structs.replace(
                outcome, status=0, body=b"", headers=(), failure=f"{host}: {what}"
            )
        except Exception as error:  # noqa: BLE001 (a page that breaks the browser is a page that failed)
            said = (
                " ".join(str(error).split())
                if isinstance(error, TreelaceError)
                else f"{type(error).__name__}: {error}"
            )
            made = msgspec.structs.replace(
                outcome, status=0, body=b"", headers=(), failure=f"{host}: {said}"
            )
        self._ready.put(made)

    def _rendered(self, outcome: Outcome) -> Outcome:
        limits = replace(DEFAULT_LIMITS, seconds=self._settings.seconds, bytes=self._settings.bytes)
        set_cookies = [value for name, value in outcome.headers if name.lower() == "set-cookie"]
        seen = self._browser.render(
            _text(outcome, limits), url=outcome.url, set_cookies=set_cookies, limits=limits
        )
        kept = tuple(
            (name, value)
            for name, value in outcome.headers
            if name.lower() not in ("content-type", "content-length", "content-encoding")
        )
        headers = (
            *kept,
            ("Content-Type", "text/html; charset=utf-8"),
            (RENDERED, self._browser.version),
        )
        return msgspec.structs.replace(
            outcome, body=seen.html.encode("utf-8", "replace"), headers=headers
        )


def _text(outcome: Outcome, limits: Limits) -> str:
    """The page as text, read in the encoding that our own parser finds."""
    encoding = outcome.page().tree(limits=limits).encoding or "utf-8"
    try:
        return outcome.body.decode(encoding, "replace")
    except LookupError:  # an encoding of the web that Python does not have
        return outcome.body.decode("utf-8", "replace")


def _is_html(outcome: Outcome) -> bool:
    return outcome.header("content-type").partition(";")[0].strip().lower() in (
        "text/html",
        "application/xhtml+xml",
        "",
    )
