"""The axes against their definitions (tests/oracles/xpath_axes.py), on every tree a builder can
make.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.oracles.xpath_axes import Seen
from tests.strategies import any_trees, page_trees
from treelace import Tree

AXES = [
    "self",
    "child",
    "parent",
    "ancestor",
    "ancestor-or-self",
    "descendant",
    "descendant-or-self",
    "following-sibling",
    "preceding-sibling",
    "following",
    "preceding",
]


def check(tree: Tree) -> None:
    seen = Seen(tree)
    whole = tree.select_xpath("descendant-or-self::node()")
    assert [node.index for node in whole] == seen.order
    for axis in AXES:
        reached: set[int] = set()
        for place in seen.order:
            wanted = seen.axis(axis, place)
            reached.update(wanted)
            assert [node.index for node in tree[place].select_xpath(f"{axis}::node()")] == sorted(
                wanted
            ), (axis, place)
            for number in (1, 2):
                picked = tree[place].select_xpath(f"{axis}::node()[{number}]")
                assert [node.index for node in picked] == wanted[number - 1 : number], (
                    axis,
                    place,
                    number,
                )
            assert [
                node.index for node in tree[place].select_xpath(f"{axis}::node()[last()]")
            ] == wanted[-1:], (axis, place)
            asks = tree[place].select_xpath(f"boolean({axis}::node())")
            assert asks == bool(wanted)
        together = tree.select_xpath(f"descendant-or-self::node()/{axis}::node()")
        assert [node.index for node in together] == sorted(reached), axis
        with_one = tree.select_xpath(f"descendant-or-self::node()[{axis}::node()]")
        assert [node.index for node in with_one] == [
            place for place in seen.order if seen.axis(axis, place)
        ], axis
        seconds = {place for context in seen.order for place in seen.axis(axis, context)[1:2]}
        assert [
            node.index
            for node in tree.select_xpath(f"descendant-or-self::node()/{axis}::node()[2]")
        ] == sorted(seconds), axis


@given(any_trees())
@settings(max_examples=60)
def test_axes_of_any_tree(tree):
    check(tree)


@given(page_trees())
@settings(max_examples=3)
def test_axes_of_pages(tree):
    if len(tree) < 150:
        check(tree)


@pytest.mark.slow
@given(any_trees())
@settings(max_examples=2000)
def test_axes_of_any_tree_at_length(tree):
    check(tree)
