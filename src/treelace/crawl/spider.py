"""The downloader process: Scrapy, jobs on standard input, answers on standard output.

It decides nothing. Which page comes next, robots.txt, redirects, retries and what an answer means
is the business of the crawl, which survives its death; concurrency, throttling by the site's own
speed, TLS, decompression, cookies and proxies are Scrapy's. A process of its own, because Twisted's
reactor cannot be started twice, and because pages are then worked on while the next ones come in.

Every TCP connection of the process passes the guard after DNS, with the address it goes to.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import IO, Any
from urllib.parse import urlsplit

import msgspec

from treelace.crawl.guard import Guard
from treelace.crawl.ipc import Job, Outcome, read_messages, write_message
from treelace.crawl.login import Login
from treelace.crawl.settings import CrawlSettings, from_environment
from treelace.crawl.urls import origin
from treelace.errors import CrawlError


def main() -> None:
    """Reads the settings from the first line of standard input, then jobs until it ends."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the crawl, which ends us by closing our input
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whoever prints must not print into the answers
    settings = msgspec.json.decode(sys.stdin.buffer.readline(), type=CrawlSettings)
    logging.disable(logging.CRITICAL)

    from scrapy.crawler import CrawlerProcess

    process = CrawlerProcess(scrapy_settings(settings), install_root_handler=False)
    process.crawl(spider_class(), crawl_settings=settings, jobs=sys.stdin.buffer, answers=answers)
    guard_reactor(settings)
    bound_headers()
    process.start(install_signal_handlers=False)


def scrapy_settings(settings: CrawlSettings) -> dict[str, Any]:
    """Scrapy's settings for ours."""
    return {
        "ROBOTSTXT_OBEY": False,  # the crawl asks, by RFC 9309
        "REDIRECT_ENABLED": False,
        "RETRY_ENABLED": False,
        "METAREFRESH_ENABLED": False,
        "HTTPERROR_ALLOW_ALL": True,
        "COOKIES_ENABLED": True,
        "CONCURRENT_REQUESTS": settings.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": settings.concurrency,
        "DOWNLOAD_DELAY": settings.delay,
        "RANDOMIZE_DOWNLOAD_DELAY": False,  # it would halve some pauses
        "AUTOTHROTTLE_ENABLED": settings.delay > 0,
        "AUTOTHROTTLE_START_DELAY": settings.delay,
        "AUTOTHROTTLE_MAX_DELAY": 60.0,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": 1.0,
        "DOWNLOAD_TIMEOUT": settings.seconds,
        "DOWNLOAD_MAXSIZE": settings.bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_VERIFY_CERTIFICATES": settings.checks_certificates,
        "DNS_TIMEOUT": settings.seconds,
        "USER_AGENT": settings.user_agent,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "EXTENSIONS": {
            "scrapy.extensions.logstats.LogStats": None,
            "scrapy.extensions.memusage.MemoryUsage": None,
        },
        "HTTPPROXY_ENABLED": bool(settings.proxy),
    }


MOST_HEADERS = 500
MOST_HEADER_BYTES = 2**18
"""Lines and bytes before the body of an answer; cookies are among them."""


def guard_reactor(settings: CrawlSettings) -> None:
    """Guards every TCP connection of this process, where Twisted has an address, not a name."""
    import twisted.internet

    reactor: Any = twisted.internet.reactor
    guard = Guard(allow_private=settings.allow_private)
    proxy = urlsplit(from_environment(settings.proxy)).hostname if settings.proxy else None
    connect = reactor.connectTCP

    def guarded(host: str, port: int, *rest: Any, **options: Any) -> Any:
        if host != proxy:
            guard.check(host, host=host)
        return connect(host, port, *rest, **options)

    reactor.connectTCP = guarded


def bound_headers() -> None:
    """Ends every answer of this process whose headers do not end: Twisted takes any number.

    The bound is in the parser that all others inherit from: Scrapy gives answers one of its own.
    """
    import twisted.web._newclient

    client: Any = twisted.web._newclient
    parser = client.HTTPParser
    take_data, take_header = parser.dataReceived, parser.headerReceived

    def data_received(self: Any, data: bytes) -> None:
        take_data(self, data)
        if self.state in (client.STATUS, client.HEADER):
            self.header_bytes = getattr(self, "header_bytes", 0) + len(data)
            if self.header_bytes > MOST_HEADER_BYTES:
                raise client.ParseError("longer headers than a page needs", b"")

    def header_received(self: Any, name: bytes, value: bytes) -> None:
        self.header_lines = getattr(self, "header_lines", 0) + 1
        if self.header_lines > MOST_HEADERS:
            raise client.ParseError("more headers than a page needs", b"")
        take_header(self, name, value)

    parser.dataReceived, parser.headerReceived = data_received, header_received


class JobSpider:
    """What our spider does: a request for each job that comes in, and each answer sent out."""

    crawler: Any  # Scrapy's, which sets it

    def __init__(
        self, *, crawl_settings: CrawlSettings, jobs: IO[bytes], answers: IO[bytes], **rest: Any
    ) -> None:
        super().__init__(**rest)
        self.asked = crawl_settings
        self.answers = answers
        self.lock = threading.Lock()
        self.waiting: asyncio.Queue[Job] = asyncio.Queue()
        self.jobs = jobs
        self.login = Login.read(crawl_settings.login) if crawl_settings.login else Login()
        self.greeted: set[str] = set()

    async def start(self) -> AsyncIterator[Any]:
        """A request for each job, as long as jobs come."""
        from scrapy import Request

        loop = asyncio.get_running_loop()
        threading.Thread(target=self.listen, args=(loop,), daemon=True).start()
        while True:
            job = await self.waiting.get()
            # one jar for hosts that may see our secrets, one for all others: what the site set
            # for us stays with the site
            meta = {
                "handle_httpstatus_all": True,
                "job": job,
                "cookiejar": "home" if job.has_secrets else "elsewhere",
            }
            if self.asked.proxy:
                meta["proxy"] = from_environment(self.asked.proxy)
            yield Request(
                job.url,
                headers=self.headers(job),
                cookies=self.cookies(job),
                callback=self.fetched,
                errback=self.failed,
                dont_filter=True,
                meta=meta,
            )

    def cookies(self, job: Job) -> Any:
        """The cookies that a host gets from us, with the first request: after that they are in
        Scrapy's jar, where the site may replace them.
        """
        if job.url.endswith("/robots.txt") or origin(job.url) in self.greeted:
            return []
        self.greeted.add(origin(job.url))
        ours = (
            {name: from_environment(value) for name, value in self.asked.cookies}
            if job.has_secrets
            else {}
        )
        return [
            *self.login.jar_for(job.url, time.time()),
            *({"name": name, "value": value, "path": "/"} for name, value in ours.items()),
        ]

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Reads jobs on a thread of its own; ends the process when no more can come."""
        for job in read_messages(self.jobs, Job):
            loop.call_soon_threadsafe(self.waiting.put_nowait, job)
        # the crawl has ended or died; what is under way is asked for again by the next one
        os._exit(0)

    def headers(self, job: Job) -> dict[str, str]:
        """The headers of the settings, and what the page was when it was last asked for."""
        headers = self.asked.request_headers(has_secrets=job.has_secrets)
        headers.pop("Cookie", None)  # they are in the jar
        if job.etag:
            headers["If-None-Match"] = job.etag
        if job.last_modified:
            headers["If-Modified-Since"] = job.last_modified
        return headers

    def fetched(self, response: Any) -> None:
        """Sends an answer of the site out."""
        job = response.meta["job"]
        if job.url.endswith("/robots.txt"):
            self.begin_pause(response.meta["download_slot"])
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
        )
        latency = int(1000 * response.meta.get("download_latency", 0.0))
        self.send(
            Outcome(
                job.number,
                job.url,
                datetime.now(UTC),
                response.status,
                response.body,
                headers,
                milliseconds=latency,
            )
        )

    def begin_pause(self, host: str) -> None:
        """Counts the pause after the first request of a host from its answer: Scrapy counts from
        the moment it begins to connect, and the host saw that request only when that was done.
        """
        if slot := self.crawler.engine.downloader.slots.get(host):
            slot.lastseen = time.monotonic()

    def failed(self, failure: Any) -> None:
        """Sends out why there was no answer."""
        job = failure.request.meta["job"]
        self.send(
            Outcome(
                job.number,
                job.url,
                datetime.now(UTC),
                failure=told(failure.value, self.asked, job.url),
            )
        )

    def send(self, outcome: Outcome) -> None:
        """Writes one outcome for the crawler."""
        try:
            write_message(self.answers, outcome)
        except OSError:
            os._exit(0)  # nobody listens any more


def spider_class() -> type[Any]:
    """The spider; a function, because Scrapy is an optional part and is imported here only."""
    from scrapy import Spider

    class PageSpider(JobSpider, Spider):
        """Fetches what the crawler asks for."""

        name = "treelace"

    return PageSpider


def told(error: BaseException, settings: CrawlSettings, url: str) -> str:
    """What went wrong in one line, without the names of Scrapy's and Twisted's classes; by the host
    where all its pages share it, else by the address.
    """
    host = urlsplit(url).hostname or ""
    kind, text = type(error).__name__, " ".join(str(error).split())
    for secret in settings.secrets():
        text = text.replace(secret, "***")
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, CrawlError):
            return f"{host}: {str(inner).partition(': ')[2]}"
        inner = inner.__cause__ or inner.__context__
    if kind == "DownloadTimeoutError" or "took longer than" in text:
        return f"{url}: not done within {settings.seconds:g} s"
    if kind == "CannotResolveHostError":
        return f"{host}: the host cannot be found"
    if kind == "DownloadConnectionRefusedError":
        return f"{host}: cannot connect (Connection refused)"
    if kind in ("DownloadCancelledError", "IgnoreRequest"):
        return f"{url}: the body has more than {settings.bytes:,} bytes"
    if "certificate" in text.lower() or "VerificationError" in text:
        return f"{host}: the certificate is not valid"
    return f"{url}: the exchange broke off ({text[:200] or kind})"


if __name__ == "__main__":
    main()
