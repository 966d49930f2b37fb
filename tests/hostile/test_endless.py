"""Answers without end: headers, cookies, links, sitemaps; what they cost has a bound."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from treelace.crawl.downloader import ScrapyDownloader
from treelace.crawl.fetch import fetch
from treelace.crawl.ipc import Job, Outcome
from treelace.crawl.links import MOST_LINKS, links_of
from treelace.crawl.settings import CrawlSettings, FetchSettings
from treelace.errors import TreelaceError
from treelace.tree import parse

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MOST_SENT = 32 * 2**20
"""Bytes that a server gets rid of before we hang up, what lies in buffers included."""


class Raw:
    """A server that says one thing to whoever asks: once, or until the other side hangs up."""

    def __init__(self, head: bytes, *, then: bytes = b"", tail: bytes = b"") -> None:
        self.head, self.then, self.tail = head, then, tail
        self.sent = 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}/"

    def __enter__(self) -> Raw:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                with suppress(OSError), connection:
                    connection.recv(65_536)
                    connection.sendall(self.head)
                    while self.then and self.sent < 2**30:
                        self.sent += connection.send(self.then)
                    connection.sendall(self.tail)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1)


@contextmanager
def downloader() -> Iterator[ScrapyDownloader]:
    settings = CrawlSettings(allow_private=True, delay=0.0, seconds=30.0, obeys_robots=False)
    with ScrapyDownloader(settings) as made:
        yield made


def ask(made: ScrapyDownloader, url: str) -> Outcome:
    made.ask(Job(1, url))
    outcome = made.next(60.0)
    assert outcome is not None
    return outcome


def peak(made: ScrapyDownloader) -> int:
    """The most memory the process had so far, in kilobytes."""
    assert made._process is not None
    status = Path(f"/proc/{made._process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


ENDLESS = [b"X-Tea: " + b"y" * 1000 + b"\r\n", b"Set-Cookie: a=b\r\n" * 100, b"z" * 1000]


@pytest.mark.parametrize("line", ENDLESS, ids=["lines", "cookies", "one line"])
def test_headers_without_end_are_a_failure_and_cost_little(line: bytes):
    """They took 642 MB."""
    with Raw(OK + b"Content-Length: 6\r\n\r\n<p>tea") as good, downloader() as made:
        assert ask(made, good.url).status == 200
        before = peak(made)
        with Raw(OK, then=line) as endless:
            assert ask(made, endless.url).failure
            assert endless.sent < MOST_SENT
        assert peak(made) < before + 64 * 1024
        assert ask(made, good.url).status == 200, "and the next page comes"


@pytest.mark.parametrize("line", ENDLESS, ids=["lines", "cookies", "one line"])
def test_one_page_with_headers_without_end_is_a_failure(line: bytes):
    with Raw(OK, then=line) as endless:
        with pytest.raises(TreelaceError):
            fetch(endless.url, FetchSettings(allow_private=True, seconds=30.0))
        assert endless.sent < MOST_SENT


def test_twenty_thousand_cookies_are_a_failure_and_four_hundred_are_not():
    """Twenty pages with four hundred new cookies each: the next request still goes out."""

    def answer(count: int, page: int) -> bytes:
        cookies = b"".join(b"Set-Cookie: c%d-%d=tea\r\n" % (page, n) for n in range(count))
        return OK + cookies + b"Content-Length: 6\r\n\r\n<p>tea"

    with downloader() as made:
        with Raw(answer(20_000, 0)) as many:
            assert ask(made, many.url).failure
        start = time.monotonic()
        for page in range(20):
            with Raw(answer(400, page)) as some:
                assert ask(made, some.url).status == 200
        assert time.monotonic() - start < 60


@pytest.mark.parametrize("count", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["page", "sitemap"])
def test_links_without_end_are_cut_off(kind: str, count: int):
    """10⁵ links took 46 s, a sitemap of 10⁶ addresses more than 200 s."""
    if kind == "page":
        tree = parse("".join(f"<a href=/{n}>x</a>" for n in range(count)), format="html")
    else:
        urls = "".join(f"<url><loc>http://a.example/{n}</loc></url>" for n in range(count))
        head = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        tree = parse(f"{head}{urls}</urlset>", format="xml")
    start = time.process_time()
    assert len(links_of(tree, "http://a.example/")) == MOST_LINKS
    assert time.process_time() - start < 10
