"""Prices of detail pages: currency, amount, cents and range are one field, whatever the markup, and
also where the price is the same on all learning pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treelace.extract.columns.whole_prices import prices_in
from treelace.extract.page.page_view import PageView
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.records import page_roots
from treelace.wrappers.learn.fields import Field
from treelace.wrappers.learn.pattern import FilledPattern


class _Place(NamedTuple):
    """The price that a text is part of: its number on the page, and whether it is a former one."""

    number: int
    is_former: bool


def price_fields(filled: FilledPattern, trees: Sequence[Tree]) -> list[tuple[Field, Field | None]]:
    """The outermost rows that hold one price on each page and nothing else, each with its former
    price if some page has one.
    """
    prices = [_prices(tree) for tree in trees]
    found: list[tuple[Field, Field | None]] = []
    end = 0
    for row in range(1, len(filled.rows)):
        if row < end or len(filled.values[row]) < 2:
            continue
        held = _held(filled, row, prices)
        if held is None:
            continue
        now, former = (
            {
                page: Page(trees[page]).cell(nodes).text
                for page, places in held.items()
                if (nodes := [node for node, place in places if place.is_former is is_former])
            }
            for is_former in (False, True)
        )
        leaves = range(row, filled.ends[row])
        rows = [at for at in leaves if at == row or filled.is_leaf(at)]
        first = {page: places[0][0] for page, places in held.items()}
        price = Field(rows, now, label="price", nodes={page: first[page] for page in now})
        struck = Field(rows[:1], former, label="former price", nodes={}) if former else None
        found.append((price, struck))
        end = filled.ends[row]
    return found


def _prices(tree: Tree) -> dict[int, _Place]:
    view = PageView.of(tree)
    items = sorted(view.texts)
    return {
        node: _Place(number, price.is_former)
        for number, price in enumerate(prices_in(view, tuple(page_roots(tree)), items))
        for node in price.items
    }


def _held(
    filled: FilledPattern, row: int, prices: Sequence[dict[int, _Place]]
) -> dict[int, list[tuple[int, _Place]]] | None:
    """The texts of a row by page, where each page has one price there and at most a former one."""
    held: dict[int, list[tuple[int, _Place]]] = {}
    for leaf in range(row, filled.ends[row]):
        if filled.rows[leaf].tag == "img" and filled.values[leaf]:
            return None
        if filled.rows[leaf].tag == "#text":
            for page, (_, node) in filled.values[leaf].items():
                place = prices[page].get(node)
                if place is None:
                    return None
                held.setdefault(page, []).append((node, place))
    for places in held.values():
        places.sort()
        if len({place.number for _, place in places if not place.is_former}) != 1:
            return None
        if len({place.number for _, place in places if place.is_former}) > 1:
            return None
    return held or None
