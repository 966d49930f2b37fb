"""A crawl of real servers on loopback, by Scrapy in its process: what is fetched, what is not, and
what is said about it.
"""

from __future__ import annotations

import gzip
import time
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.servers import Answer, Server, redirect, self_signed
from treelace.classes.pages import Fetched, Gone, NotModified, Parsed
from treelace.crawl.crawler import Crawler
from treelace.crawl.downloader import Downloader, ScrapyDownloader
from treelace.crawl.endings import Endings
from treelace.crawl.ipc import Job, Outcome
from treelace.crawl.report import Report
from treelace.crawl.scope import Scope
from treelace.crawl.settings import CrawlSettings
from treelace.crawl.spider import scrapy_settings
from treelace.store.frontier import Address, Frontier
from treelace.store.store import Store

LONG_AGO = datetime(1970, 1, 2, tzinfo=UTC)


class Notebook:
    """Writes down what came."""

    def __init__(self) -> None:
        self.pages: dict[str, Fetched] = {}
        self.same: list[str] = []
        self.lost: list[str] = []

    def read(
        self,
        scope: Scope,
        settings: CrawlSettings,
        frontier: Frontier,
        downloader: Downloader,
        **options: Any,
    ) -> Report:
        crawler = Crawler(scope, settings, frontier, downloader, **options)
        for arrival in crawler.arrivals():
            match arrival:
                case Parsed(page):
                    self.pages[page.url] = page
                case NotModified(page):
                    self.same.append(page.url)
                case Gone(page):
                    self.lost.append(page.url)
                case None:
                    continue
            crawler.stored([page.url])
        return crawler.report


def frontier_in(folder: Path) -> Frontier:
    place = folder / "store.sqlite"
    return (Store.open(place) if place.exists() else Store.create(place)).frontier


def crawl(
    folder: Path, start: str, notebook: Notebook, *, scope: Scope | None = None, **settings: object
) -> Report:
    chosen = CrawlSettings(
        **({"allow_private": True, "delay": 0, "seconds": 10, "longest_pause": 3} | settings)
    )  # type: ignore[arg-type]
    with ScrapyDownloader(chosen) as downloader:
        return notebook.read(
            scope or Scope(starts=(start,)), chosen, frontier_in(folder), downloader
        )


def page(*links: str, text: str = "") -> Answer:
    return Answer(
        "".join([f"<p>{text}", *(f'<a href="{link}">to {link}</a>' for link in links)]).encode()
    )


def test_a_site_is_crawled_and_what_does_not_belong_is_not(tmp_path):
    site = {
        "/": page(
            "/a",
            "/b#x",
            "b",
            "/paper.pdf",
            "http://other.invalid/",
            "/private/x",
            "mailto:a@b.example",
            text="home",
        ),
        "/a": page("/", "/gone", "/moved", text="a"),
        "/b": Answer(b'<a rel=nofollow href="/never">x</a><link rel=next href="/b?page=2">b'),
        "/b?page=2": page(text="b2"),
        "/moved": redirect("/new-home", 301),
        "/new-home": page(text="new"),
        "/private/x": page(text="no"),
        "/robots.txt": Answer(
            b"User-agent: *\nDisallow: /private/\nSitemap: /bad\n", content_type="text/plain"
        ),
        "/never": page(text="never"),
    }
    with Server(site) as server:
        site["/robots.txt"] = Answer(
            f"User-agent: *\nDisallow: /private/\nSitemap: {server.url}/sitemap.xml".encode(),
            content_type="text/plain",
        )
        site["/sitemap.xml"] = Answer(
            f"<urlset><url><loc>{server.url}/hidden</loc></url></urlset>".encode(),
            content_type="application/xml",
        )
        site["/hidden"] = page(text="named by the sitemap only")
        server.answers.update(site)
        notebook = Notebook()
        report = crawl(tmp_path, server.url, notebook)
        paths = sorted(url.removeprefix(server.url) for url in notebook.pages)
        assert paths == ["/", "/a", "/b", "/b?page=2", "/hidden", "/new-home"]
        assert notebook.lost == [], "not there once may be a slip"
        frontier_in(tmp_path).retry(LONG_AGO)
        crawl(tmp_path, server.url, notebook)
        assert notebook.lost == [f"{server.url}/gone"]
        assert server.asked.pop("/gone") == 2 and server.asked.pop("/robots.txt") == 2
    assert (
        not server.asked["/private/x"]
        and not server.asked["/never"]
        and not server.asked["/paper.pdf"]
    )
    assert set(server.asked.values()) == {1}
    assert report.outcomes == {"fetched": 6, "read": 1, "redirected": 1, "gone": 1, "skipped": 1}


def test_what_has_not_changed_is_not_sent_again(tmp_path):
    def tagged(handler):
        return (
            Answer(b"", 304)
            if handler.headers.get("If-None-Match") == '"1"'
            else Answer(b"<p>tea", headers={"ETag": '"1"'})
        )

    with Server({"/": tagged}) as server:
        notebook = Notebook()
        crawl(tmp_path, server.url, notebook)
        frontier_in(tmp_path).revisit([f"{server.url}/"], LONG_AGO)
        report = crawl(tmp_path, server.url, notebook)
    assert notebook.same == [f"{server.url}/"]
    assert report.outcomes == {"unchanged": 1}


def test_a_packed_sitemap_is_read(tmp_path):
    with Server({"/": page("/tea")}) as server:
        named = f"<urlset><url><loc>{server.url}/only-there</loc></url></urlset>"
        server.answers.update(
            {
                "/robots.txt": Answer(f"Sitemap: {server.url}/map.xml.gz".encode()),
                "/map.xml.gz": Answer(
                    gzip.compress(named.encode()), headers={"Content-Type": "application/gzip"}
                ),
                "/only-there": page(text="there"),
                "/tea": page(text="tea"),
            }
        )
        notebook = Notebook()
        crawl(tmp_path, server.url, notebook)
    assert f"{server.url}/only-there" in notebook.pages


def test_a_calendar_without_end_is_left(tmp_path):
    months = ["January", "February", "March"]

    def month(handler):
        number = int(handler.path.rpartition("/")[2])
        return page(f"/calendar/{number + 1}", text=f"{months[number % 3]} {2000 + number}")

    with Server({"/": page("/calendar/1", "/tea/1")}) as server:
        server.answers.update({f"/calendar/{number}": month for number in range(1, 500)})
        server.answers.update(
            {
                f"/tea/{number}": page(f"/tea/{number + 1}", text=f"Tea {'x' * number}")
                for number in range(1, 41)
            }
        )
        notebook = Notebook()
        report = crawl(tmp_path, server.url, notebook, depth=100)
    assert sum("/calendar/" in url for url in notebook.pages) < 40
    assert sum("/tea/" in url for url in notebook.pages) == 40
    assert any("a trap was left" in line and "/calendar/0" in line for line in report.problems)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda server: redirect("/x?2") if server else None, "redirects in a circle"),
        (lambda server: Answer(server.drip()), "/x: not done within 1 s"),
        (lambda server: Answer(b"x" * 400_000), "/x: the body has more than 300,000 bytes"),
        (
            lambda server: Answer(
                gzip.compress(bytes(40_000_000)), headers={"Content-Encoding": "gzip"}
            ),
            "/x: the body has more than 300,000 bytes",
        ),
        (lambda server: Answer(b"", 503), "/x: answered 503"),
        (
            lambda server: Answer(b"half", headers={"Content-Length": "5000"}),
            "/x: the exchange broke off",
        ),
    ],
    ids=["circle", "drip", "large", "bomb", "5xx", "cut"],
)
def test_what_goes_wrong_is_one_line_and_the_rest_goes_on(tmp_path, answer, words):
    with Server({"/": page("/x", "/fine", text="home"), "/fine": page(text="fine")}) as server:
        server.answers["/x"] = answer(server)
        server.answers["/x?2"] = redirect("/x")
        notebook = Notebook()
        report = crawl(tmp_path, server.url, notebook, seconds=1.0, bytes=300_000, attempts=2)
    assert f"{server.url}/fine" in notebook.pages
    assert [line for line in report.problems if words in line], report.problems
    assert all("\n" not in line for line in report.problems)


def test_a_page_that_is_no_page_is_left(tmp_path):
    with Server({"/": page("/x"), "/x": Answer(b"\x89PNG", content_type="image/png")}) as server:
        notebook = Notebook()
        report = crawl(tmp_path, server.url, notebook)
    assert report.outcomes["not a page"] == 1 and len(notebook.pages) == 1


def test_a_storm_of_failures_ends_the_asking(tmp_path):
    with Server({"/": page(*(f"/{number}" for number in range(100)))}) as server:
        server.answers.update({f"/{number}": Answer(b"", 500) for number in range(100)})
        report = crawl(tmp_path, server.url, Notebook(), storm=6)
        assert sum(server.asked.values()) < 40
    assert [
        line for line in report.problems if "6 failures in a row" in line and "left alone" in line
    ]


def test_private_addresses_are_not_reached(tmp_path):
    with Server({"/": page(text="secret")}) as server:
        report = crawl(tmp_path, server.url, Notebook(), allow_private=False)
        assert not server.asked
    assert report.problems == [
        "127.0.0.1: 127.0.0.1 is not a public address; --allow-private permits it"
    ]


def test_an_invalid_certificate_and_an_unreachable_host_are_said(tmp_path):
    with Server({"/": page(text="x")}, certificate=self_signed(tmp_path)) as server:
        report = crawl(tmp_path, server.url, Notebook())
        port = server.port
    assert report.problems == ["127.0.0.1: the certificate is not valid"]
    (tmp_path / "store.sqlite").unlink()
    report = crawl(tmp_path, f"http://127.0.0.1:{port}/", Notebook(), attempts=1)
    assert report.problems == ["127.0.0.1: cannot connect (Connection refused)"]


class Script:
    """A downloader without a network: answers by URL, in order, the last one again and again."""

    def __init__(self, answers: dict[str, list[Outcome | tuple[int, dict[str, str]]]]) -> None:
        self.answers = answers
        self.asked: list[tuple[float, str]] = []
        self.jobs: list[Job] = []
        self.now = 1_000_000.0

    def ask(self, job: Job) -> None:
        self.asked.append((self.now, job.url))
        self.jobs.append(job)

    def next(self, seconds: float) -> Outcome | None:
        if not self.jobs:
            self.now += seconds
            return None
        job = self.jobs.pop(0)
        script = self.answers.get(job.url, [(404, {})])
        status, headers = script.pop(0) if len(script) > 1 else script[0]
        headers = {"content-type": "text/html", **headers}
        return Outcome(
            job.number, job.url, datetime.now(UTC), status, b"<p>x", tuple(headers.items())
        )


def test_a_host_that_asks_for_patience_gets_it(tmp_path):
    start = "http://a.example/"
    script = Script({start: [(503, {"retry-after": "120"}), (200, {})]})
    settings = CrawlSettings(longest_pause=300)
    report = Notebook().read(
        Scope(starts=(start,)), settings, frontier_in(tmp_path), script, clock=lambda: script.now
    )
    times = [when for when, url in script.asked if url == start]
    assert len(times) == 2 and 119 <= times[1] - times[0] <= 130
    assert report.outcomes["fetched"] == 1


def test_a_crawl_delay_is_kept(tmp_path):
    start = "http://a.example/"
    frontier = frontier_in(tmp_path)
    frontier.add([Address(url=f"{start}{number}", due=LONG_AGO) for number in range(4)])
    script = Script({f"{start}{number}": [(200, {})] for number in range(4)} | {start: [(200, {})]})
    plain = script.next

    def with_robots(seconds: float) -> Outcome | None:
        outcome = plain(seconds)
        if outcome and outcome.url.endswith("robots.txt"):
            return Outcome(
                outcome.number, outcome.url, outcome.time, 200, b"User-agent: *\nCrawl-delay: 5"
            )
        return outcome

    script.next = with_robots  # type: ignore[method-assign]
    Notebook().read(
        Scope(starts=(start,)), CrawlSettings(), frontier, script, clock=lambda: script.now
    )
    times = [when for when, url in script.asked if not url.endswith("robots.txt")]
    assert len(times) == 5
    assert all(later - sooner >= 4.9 for sooner, later in pairwise(times))


def test_the_first_pause_begins_when_the_host_was_reached(tmp_path):
    seen: list[float] = []

    def slow_robots(_):
        time.sleep(0.5)  # connecting took so long
        seen.append(time.monotonic())
        return Answer(status=404)

    def start(_):
        seen.append(time.monotonic())
        return Answer(b"<p>tea")

    with Server({"/robots.txt": slow_robots, "/": start}) as server:
        crawl(tmp_path, server.url, Notebook(), delay=0.6)
    assert seen[1] - seen[0] >= 0.59


def test_a_delay_beyond_the_patience_is_said(tmp_path):
    start = "http://a.example/"
    frontier = frontier_in(tmp_path)
    frontier.add([Address(url=f"{start}{number}", due=LONG_AGO) for number in range(4)])
    script = Script({f"{start}{number}": [(200, {})] for number in range(4)} | {start: [(200, {})]})
    plain = script.next

    def with_robots(seconds: float) -> Outcome | None:
        outcome = plain(seconds)
        if outcome and outcome.url.endswith("robots.txt"):
            body = b"User-agent: *\nCrawl-delay: 900"
            return Outcome(outcome.number, outcome.url, outcome.time, 200, body)
        return outcome

    script.next = with_robots  # type: ignore[method-assign]
    report = Notebook().read(
        Scope(starts=(start,)), CrawlSettings(), frontier, script, clock=lambda: script.now
    )
    assert report.outcomes["fetched"] == 1
    assert any("4 addresses wait for the next crawl" in line for line in report.problems)


def test_what_was_under_way_when_a_crawl_died_is_asked_for_again(tmp_path):
    frontier = frontier_in(tmp_path)
    frontier.add(
        [
            Address(url="http://a.example/1", due=LONG_AGO),
            Address(url="http://a.example/2", due=LONG_AGO),
        ]
    )
    now = datetime.now(UTC)
    assert len(frontier.take(now, 5)) == 2
    assert frontier.take(now, 5) == []
    assert frontier_in(tmp_path).release() == 2
    assert [entry.url for entry in frontier.take(now, 5)] == [
        "http://a.example/1",
        "http://a.example/2",
    ]


def test_a_page_that_was_not_stored_is_fetched_again(tmp_path):
    with Server({"/": page("/a"), "/a": page(text="a")}) as server:
        settings = CrawlSettings(allow_private=True, delay=0)
        with ScrapyDownloader(settings) as downloader:
            crawler = Crawler(
                Scope(starts=(server.url,)), settings, frontier_in(tmp_path), downloader
            )
            next(filter(None, crawler.arrivals()))  # killed before anything was stored
        notebook = Notebook()
        crawl(tmp_path, server.url, notebook)
        assert {url.removeprefix(server.url) for url in notebook.pages} == {"/", "/a"}
        assert server.asked["/"] == 2 and frontier_in(tmp_path).counts() == {"done": 2}


def test_scope_says_why():
    scope = Scope(
        starts=("https://shop.example/",),
        hosts=(".cdn.example",),
        include=("/tea",),
        exclude=("cart",),
    )
    assert scope.refusal("https://shop.example/") == ""
    assert scope.refusal("https://shop.example/tea/1") == ""
    assert scope.refusal("https://x.cdn.example/tea") == ""
    assert scope.refusal("https://shop.example/cups") == "not included"
    assert scope.refusal("https://shop.example/tea/cart") == "excluded by cart"
    assert scope.refusal("https://shop.example/tea.jpg") == "a file, not a page"
    assert scope.refusal("https://shop.example/tea/a/b/a/b/a/b/a/b") == "its path goes in circles"


def test_secrets_go_to_the_sites_own_host_alone(tmp_path):
    start = "http://a.example/"
    frontier = frontier_in(tmp_path)
    frontier.add([Address(url="http://b.example/x", due=LONG_AGO)])
    script = Script({start: [(200, {})], "http://b.example/x": [(200, {})]})
    plain, told = script.ask, dict[str, bool]()

    def ask(job: Job) -> None:
        told[job.url] = job.has_secrets
        plain(job)

    script.ask = ask  # type: ignore[method-assign]
    scope = Scope(starts=(start,), hosts=("b.example",))
    Notebook().read(scope, CrawlSettings(), frontier, script, clock=lambda: script.now)
    assert told[start] and not told["http://b.example/x"]
    assert not told["http://a.example/robots.txt"]


def test_robots_txt_is_asked_for_as_often_as_a_page(tmp_path):
    start = "http://a.example/"
    script = Script({})
    plain = script.next

    def broken(seconds: float) -> Outcome | None:
        outcome = plain(seconds)
        said = "http://a.example/certificate: the exchange broke off (reset)"
        return outcome and Outcome(outcome.number, outcome.url, outcome.time, failure=said)

    script.next = broken  # type: ignore[method-assign]
    settings = CrawlSettings(attempts=3)
    frontier = frontier_in(tmp_path)
    scope = Scope(starts=(start,))
    report = Notebook().read(scope, settings, frontier, script, clock=lambda: script.now)
    assert [url for _, url in script.asked] == ["http://a.example/robots.txt"] * 3
    assert report.outcomes == {"failed": 1}


def test_failures_count_from_the_last_answer_on(tmp_path):
    """Two failures in a row are a storm here; there never are two without an answer between."""
    places = [f"http://a.example/{number}" for number in range(4)]
    answers = {place: [(500 if number % 2 else 200, {})] for number, place in enumerate(places)}
    frontier = frontier_in(tmp_path)
    frontier.add([Address(url=place, due=LONG_AGO) for place in places])
    script = Script(answers)  # type: ignore[arg-type]
    settings = CrawlSettings(storm=2, attempts=1, concurrency=1)
    scope = Scope(starts=(places[0],))
    report = Notebook().read(scope, settings, frontier, script, clock=lambda: script.now)
    assert report.outcomes["fetched"] == 2 and report.outcomes["failed"] == 2
    assert not any("left alone" in problem for problem in report.problems)


def test_a_line_of_the_log_has_its_note_or_none(tmp_path):
    endings = Endings(frontier_in(tmp_path), Report())
    lines = [endings.line(LONG_AGO, "skipped", "u", note=note).note for note in ("a file", "")]
    assert lines == ["a file", None]


def test_scrapy_leaves_to_the_crawl_what_the_crawl_decides():
    made = scrapy_settings(CrawlSettings())
    for name in ("ROBOTSTXT_OBEY", "REDIRECT_ENABLED", "RETRY_ENABLED", "METAREFRESH_ENABLED"):
        assert made[name] is False, name
