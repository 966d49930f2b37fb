"""The kernel's candidates, features and columns against their plain definitions."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.records.candidates import candidates as slow_candidates
from tests.oracles.records.cells import cell as slow_cell
from tests.oracles.records.columns import line_up as slow_line_up
from tests.oracles.records.context import context as slow_context
from tests.oracles.records.features import Measured, looked_at
from tests.oracles.records.features import features as slow_features
from tests.oracles.records.shapes import Shapes
from tests.oracles.records.view import PageView as SlowView
from treelace import Tree, parse
from treelace.extract.cells.cell import Cell, ReadCells
from treelace.extract.columns.alignment import Slots, line_up
from treelace.extract.page.page_view import PageView
from treelace.extract.regions.candidates import NAMES, Records, candidates
from treelace.limits import DEFAULT_LIMITS

TEXTS = st.sampled_from(
    [
        "tea",
        "milk  and\nhoney",
        "3.20",
        "€ 5",
        "7 EUR",
        " ",
        "(",
        ",",
        "Price:",
        "a much longer text that has more than forty letters",
    ]
)
TAGS = st.sampled_from(
    (
        "div|div class=row|div class='row odd'|div class=''|div id=nav|ul|li|li"
        " class=r1|p|b|i|table|tr|td|th|thead|font|span|span class=price|a href=x|hr|br|h2|h3"
        " class=tabs|dt|dd|img src=a.png|input|i hidden|p style='display: NONE'|script|svg|section"
        " role=search"
    ).split("|")
)
PIECES = st.recursive(
    TEXTS,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.split()[0]}>",
        TAGS,
        st.lists(inner, max_size=6),
    ),
    max_leaves=30,
)


def check_view(tree: Tree) -> None:
    slow, view = SlowView.of(tree), PageView.of(tree)
    assert view.tags == slow.tags
    assert view.shown == [bool(shown) for shown in slow.shown]
    assert view.children == slow.children
    assert view.texts == slow.texts
    assert view.raw == slow.raw
    assert view.images == slow.images
    assert view.text_before == slow.text_before
    assert view.classes == {
        node: words for node, words in slow.classes.items() if slow.shown[node] and words
    }


def check_candidates(tree: Tree) -> None:
    slow = SlowView.of(tree)
    shapes = Shapes(slow)
    wanted = slow_candidates(slow, shapes)
    found = candidates(PageView.of(tree))
    assert [tuple(one) for one in found] == [tuple(one) for one in wanted]
    if wanted:
        measured = Measured(slow, shapes)
        values = np.array(
            [
                slow_features(measured, one)
                + slow_context(slow, one, looked_at(one.records), len(wanted))
                for one in wanted
            ]
        )
        for column, name in enumerate(NAMES):
            np.testing.assert_allclose(
                found.features[:, column], values[:, column], rtol=1e-9, atol=1e-12, err_msg=name
            )


def check_columns(tree: Tree, *, most: int = 12) -> None:
    slow, view = SlowView.of(tree), PageView.of(tree)
    found = candidates(view)
    for number in range(0, len(found), max(1, len(found) // most)):
        check_columns_of(slow, view, found[number].records)


def check_columns_of(slow: SlowView, view: PageView, records: Records) -> None:
    wanted = slow_line_up(slow, records)
    made = line_up(view, records)
    assert made == wanted
    slots = Slots.of(made)
    cells = view.core.cells(records, slots, DEFAULT_LIMITS)
    texts = list(cells[0])
    read = ReadCells(view, slots.record, slots.column, cells, lambda _, texts: texts)
    wholes = (
        (record, nodes) for record, row in zip(records, made, strict=True) for nodes in row.values()
    )
    for slot, (record, nodes) in enumerate(wholes):
        cell = Cell.of(read, slot)
        words, element, parts = slow_cell(slow, record, nodes)
        assert (texts[slot], cell.node.index) == (words, element)
        assert [(item.kind, item.node.index) for item in cell.items] == parts


@settings(max_examples=150)
@given(st.lists(PIECES, min_size=1, max_size=8), st.integers(1, 4))
def test_made_pages(pieces: list[str], times: int) -> None:
    tree = parse("".join(pieces) * times, format="html")
    check_view(tree)
    check_candidates(tree)
    check_columns(tree)


def test_long_lists() -> None:
    order = random.Random(1)
    rows = "".join(
        f"<li class=c{order.randrange(3)}>{'<b>x</b>' * order.randrange(3)}"
        f"<i>{order.randrange(9)}</i>"
        for _ in range(400)
    )
    check_candidates(parse(f"<ul>{rows}</ul>"))


def some_pages(corpus: Path, step: int) -> list[Path]:
    return sorted((corpus / "data/records").glob("*.html*"))[::step]


@pytest.mark.parametrize("number", range(3))
def test_real_pages(corpus: Path, number: int) -> None:
    tree = parse(some_pages(corpus, 20)[number])
    check_view(tree)
    check_candidates(tree)
    check_columns(tree)


@pytest.mark.slow
def test_all_real_pages(corpus: Path) -> None:
    for page in some_pages(corpus, 1):
        check_candidates(parse(page))
        check_columns(parse(page), most=60)
