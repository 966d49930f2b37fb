"""Headers and rules of servers that ask for the absurd."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from treelace.crawl import links
from treelace.crawl.hosts import LONGEST_WAIT, retry_after
from treelace.crawl.ipc import Outcome
from treelace.crawl.robots import LONGEST_DELAY, Robots
from treelace.tree import parse

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "delay"),
    [
        ("9" * 15, LONGEST_DELAY),
        ("9" * 400, None),
        ("inf", None),
        ("86401", LONGEST_DELAY),
        ("86400", LONGEST_DELAY),
        ("86399", 86_399.0),
        ("nan", None),
        ("-1", None),
        ("0", None),
        ("²", None),
        ("soon", None),
    ],
)
def test_a_delay_is_a_day_at_most(asked, delay):
    assert Robots(f"User-agent: *\nCrawl-delay: {asked}").delay == delay


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("120", 120.0),
        ("²", None),
        ("١٢", None),
        ("-5", None),
        ("9" * 400, LONGEST_WAIT),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WAIT),
        ("Sun, 01 Mar 2026 00:01:00 GMT", 60.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Fri, 99 Dec 99999 00:00:00 GMT", None),
    ],
)
def test_a_server_may_ask_for_patience_within_reason(asked, seconds):
    outcome = Outcome(1, "http://a.example/", NOW, 503, headers=(("Retry-After", asked),))
    assert retry_after(outcome, NOW.timestamp()) == seconds


def test_the_links_of_a_page_are_bounded(monkeypatch):
    monkeypatch.setattr(links, "MOST_LINKS", 3)
    page = parse("".join(f"<a href=/{number}>x</a><a href=/{number}>y</a>" for number in range(9)))
    found = [link.url for link in links.links_of(page, "http://a.example/")]
    assert found == ["http://a.example/0", "http://a.example/1", "http://a.example/2"]
