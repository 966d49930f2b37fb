"""One page's way: each page is parsed once and sketched once, wherever it comes from, and what
needs no look gets none.
"""

from __future__ import annotations

import pickle
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from tests.crawl.servers import Answer, Server
from treelace import tree
from treelace.classes.catalogue import Catalogue
from treelace.classes.layout import sketch_of
from treelace.classes.pages import Fetched, Gone, NotModified, Parsed
from treelace.crawl.settings import CrawlSettings
from treelace.site import Site, pipeline
from treelace.site.pipeline import Failed, KnownAlready, Read, TooOld, Unchanged

HOME = "https://shop.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
COUNT = 5


def tea(number: int, price: int) -> bytes:
    items = "".join(f"<li>taste {number}.{it}</li>" for it in range(4))
    return (
        f"<html><head><title>tea {number}</title></head><body><nav><a href='/'>home</a></nav>"
        f"<main class=tea><h1>tea {number}</h1><b class=price>€{price}.50</b>"
        f"<ul class=tastes>{items}</ul><p>from garden {number * 7}</p></main></body></html>"
    ).encode()


def looks(day: int, price: int = 3) -> list[Fetched]:
    time = MONDAY + timedelta(days=day)
    return [
        Fetched(f"{HOME}/tea/{number}", time, 200, tea(number, price + number), "text/html")
        for number in range(COUNT)
    ]


@pytest.fixture
def work(monkeypatch):
    """How often each body was parsed, and how many sketches were taken."""
    done: Counter[object] = Counter()

    def counted_parse(body, **options):
        done[body] += 1
        return tree.parse(body, **options)

    def counted_sketch(page):
        done["sketches"] += 1
        return sketch_of(page)

    monkeypatch.setattr("treelace.classes.pages.parse", counted_parse)
    monkeypatch.setattr("treelace.classes.layout.sketch_of", counted_sketch)
    monkeypatch.setattr("treelace.site.page_classes.sketch_of", counted_sketch)
    return done


def parses(work) -> list[int]:
    return [count for body, count in work.items() if body != "sketches"]


def test_a_replayed_page_is_parsed_once_and_sketched_once(tmp_path, work):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        done = site.crawl(source=looks(0), auto_accept=True)
        assert len(done.proposals) == 1
        assert parses(work) == [1] * COUNT and work["sketches"] == COUNT
        work.clear()
        again = site.crawl(source=looks(1, price=4))
        assert again.stored.versions == COUNT and not again.drift
        assert parses(work) == [1] * COUNT and work["sketches"] == COUNT


def test_an_imported_page_is_parsed_once_and_sketched_once(tmp_path, work):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        site.add_pages(looks(0))
        assert parses(work) == [1] * COUNT
        assert not work["sketches"], "there is no class to compare them with"
        site.crawl(source=looks(0), auto_accept=True)  # the pages are known: the store has them
        work.clear()
        site.add_pages(looks(1, price=4))
        assert parses(work) == [1] * COUNT and work["sketches"] == COUNT
        assert {page.page_class for page in site.pages()} == {"tea"}


def test_a_crawled_page_is_parsed_once_and_sketched_once(tmp_path, work):
    links = "".join(f"<a href='/tea/{number}'>tea</a>" for number in range(COUNT)).encode()
    shop = {"/": b"<title>home</title>" + links} | {
        f"/tea/{number}": tea(number, 3) for number in range(COUNT)
    }
    settings = CrawlSettings(allow_private=True, delay=0, seconds=10, longest_pause=3)
    with (
        Server({path: Answer(body) for path, body in shop.items()}) as server,
        Site.create(tmp_path / "shop", server.url + "/") as site,
    ):
        done = site.crawl(settings)
        assert done.report.outcomes["fetched"] == COUNT + 1 and len(done.proposals) == 1
        twice = len(site.page_classes.pages_to_see_twice("tea"))  # fetched again, for noise
        assert sorted(parses(work)) == [1] * (COUNT + 1 - twice) + [2] * twice
        assert work["sketches"] == COUNT + 1, "what is seen twice is unchanged"


def test_unchanged_bytes_leave_before_they_are_parsed(tmp_path, work):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        site.add_pages(looks(0))
        work.clear()
        done = site.add_pages([*looks(1), *looks(1), *looks(0)])
        assert (done.same, done.known, done.versions) == (COUNT, 2 * COUNT, 0)
        assert not work


def test_each_fetch_has_a_fate(tmp_path):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        first, second = looks(0)[0], looks(2, price=9)[0]
        late = Fetched(first.url, MONDAY + timedelta(days=1), 200, b"<p>between", "text/html")
        broken = Fetched(HOME + "/x.xml", MONDAY, 200, b"<a><b></a>", "application/xml")
        gone = Gone(Fetched(first.url, MONDAY + timedelta(days=4), 410, b""))
        same = NotModified(Fetched(first.url, MONDAY + timedelta(days=3), 304, b""))
        given = [first, second, second, late, same, gone, broken]
        outcomes = [
            outcome
            for committed in site.intake.take(given, site.page_classes.catalogue())
            for outcome in committed.outcomes
        ]
        fates = [[type(fate) for fate in outcome.fates] for outcome in outcomes]
        assert fates == [[Read, Read, KnownAlready, TooOld, NotModified, Gone], [Failed]]
        assert site.store.states([first.url])[first.url].seen == 3


def test_stages_and_values_travel_to_other_processes(tmp_path):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        site.crawl(source=looks(0), auto_accept=True)
        catalogue = site.page_classes.catalogue()
    page = looks(1, price=4)[0]
    parsed = pipeline.parse(page, site.limits)
    here = pipeline.classify(parsed, catalogue, None)
    there: Catalogue = pickle.loads(pickle.dumps(catalogue))
    found = there.classify(Parsed(page, parsed.tree), None)
    assert found.page_class is not None and found.page_class.name == here.page_class.name == "tea"
    assert found.evidence == here.evidence and found.page_class.reader is not None
    for value in (
        page,
        Unchanged(page),
        pipeline.follow,
        pipeline.parse,
        pipeline.classify,
        pipeline.version,
        pipeline.read,
    ):
        assert pickle.loads(pickle.dumps(value)) == value
