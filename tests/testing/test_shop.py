"""The shop of our own making: the same every time, true to its own truth, and noisy where it says
so.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from treelace.testing.shop import Day, open_shop
from treelace.tree import parse

SHOP = open_shop()
DAYS = [*SHOP.days, SHOP.redesign]


def test_the_same_seed_makes_the_same_shop():
    again = open_shop()
    assert [day.truth for day in again.days] == [day.truth for day in SHOP.days]
    assert again.days[1].page("/tea", fetch=5) == SHOP.days[1].page("/tea", fetch=5)


@pytest.mark.parametrize("day", DAYS, ids=["first", "second", "third", "redesign"])
def test_every_page_shows_what_is_said_of_it(day: Day):
    for path, truth in day.truth.items():
        text = " ".join(parse(day.page(path)).root.text.split())
        for record in truth.records:
            for value in record.values():
                assert value in text, (path, value)


def test_what_changed_is_what_is_said_to_have_changed():
    for before, after in pairwise(SHOP.days):
        old = {product.path: product for product in before.products}
        new = {product.path: product for product in after.products}
        seen = {("gone", path) for path in old.keys() - new.keys()} | {
            ("new", path) for path in new.keys() - old.keys()
        }
        seen |= {
            ("price", path)
            for path in old.keys() & new.keys()
            if old[path].price != new[path].price
        }
        seen |= {
            ("stock", path)
            for path in old.keys() & new.keys()
            if old[path].stock != new[path].stock
        }
        assert seen == {
            (change.kind, change.path)
            for change in after.changes
            if not change.path.startswith("/news/")
        }


def test_noise_differs_at_every_fetch_and_nothing_else_does():
    first, second = (parse(SHOP.days[0].page("/tea", fetch=number)) for number in (1, 2))
    assert first != second
    assert first.select("ul.products")[0].digest == second.select("ul.products")[0].digest


def test_the_calendar_has_no_end_and_the_lists_have():
    assert "/calendar/9999/13" not in SHOP.days[0].truth
    assert 'href="/calendar/10000/1"' in (SHOP.days[0].page("/calendar/9999/12") or "")
    assert 'href="/calendar/9999/12"' in (SHOP.days[0].page("/calendar/10000/1") or "")
    for beyond, month in ((0, "January"), (13, "December")):
        assert f"<h2>{month} 2026</h2>" in (SHOP.days[0].page(f"/calendar/2026/{beyond}") or "")
    assert SHOP.days[0].page("/tea?page=99") is None and SHOP.days[0].page("/nothing") is None


def test_the_redesign_keeps_the_data_and_nothing_of_the_markup():
    old, new = parse(SHOP.days[2].page("/tea")), parse(SHOP.redesign.page("/tea"))
    classes = lambda tree: (
        {word for node in tree.select("[class]") for word in node.attributes["class"].split()}
        - {"pager"}
    )
    assert not classes(old) & classes(new)
    assert SHOP.days[2].truth["/tea"] == SHOP.redesign.truth["/tea"]
