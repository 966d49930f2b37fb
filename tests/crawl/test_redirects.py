"""Redirects are followed so far and no further; a page is looked at again within bounds."""

from __future__ import annotations

import pytest

from treelace.crawl.redirects import MOST_HOPS, Redirects
from treelace.crawl.schedule import LEAST_WAIT, MOST_WAIT, next_look
from treelace.errors import CrawlError


def test_ten_redirects_are_followed():
    """Each leads to an address that was never seen: only the way back tells how many there were."""
    redirects = Redirects()
    for number in range(MOST_HOPS):
        following = f"http://a.example/{number + 1}"
        assert redirects.follow(f"http://a.example/{number}", f"/{number + 1}") == following
    with pytest.raises(CrawlError, match="more than 10 redirects"):
        redirects.follow(f"http://a.example/{MOST_HOPS}", "/again")


def test_a_long_circle_is_a_circle():
    redirects = Redirects()
    for number in range(4):
        redirects.follow(f"http://a.example/{number}", f"/{number + 1}")
    with pytest.raises(CrawlError, match="in a circle"):
        redirects.follow("http://a.example/4", "/1")


@pytest.mark.parametrize(
    ("location", "said"), [("/0", "in a circle"), ("mailto:x@a.example", "what is no page")]
)
def test_what_leads_nowhere_is_said(location, said):
    with pytest.raises(CrawlError, match=said):
        Redirects().follow("http://a.example/0", location)


def test_a_page_is_looked_at_again_within_bounds():
    assert next_look(0, 0, 1) == LEAST_WAIT
    assert next_look(0, 2 * LEAST_WAIT + 4, 2) == 2 * LEAST_WAIT + 4 + LEAST_WAIT
    assert next_look(0, 10 * MOST_WAIT, 1) == 11 * MOST_WAIT
    assert next_look(0, 6 * LEAST_WAIT, 2) == 8 * LEAST_WAIT
