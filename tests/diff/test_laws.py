"""The laws of deltas, for every pair of trees and every matching, in every form."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import treelace as tl
from tests.strategies import any_trees, page_pairs, trees, xml_trees
from treelace.diff import Delta, diff

SCHEMA = etree.RelaxNG(etree.fromstring(files("treelace.diff").joinpath("delta.rng").read_bytes()))

pairs_of_trees = st.one_of(
    page_pairs(),
    st.tuples(any_trees(), any_trees()),
    st.tuples(xml_trees(), xml_trees()),
    st.tuples(trees(max_nodes=20), trees(max_nodes=20)),
)


@st.composite
def any_matchings(draw: st.DrawFn) -> tl.Matching:
    """Two trees and pairs of nodes of equal kind, order and ancestry not respected."""
    old, new = draw(pairs_of_trees)
    free = {
        kind: [node.index for node in new if node.kind == kind and node.index] for kind in tl.Kind
    }
    pairs = [(0, 0)]
    for node in old:
        if node.index and free[node.kind] and draw(st.integers(0, 3)):
            pairs.append(
                (node.index, free[node.kind].pop(draw(st.integers(0, len(free[node.kind]) - 1))))
            )
    return tl.Matching(old, new, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def holds(delta: Delta, old: tl.Tree, new: tl.Tree) -> None:
    made, xids = delta.apply_with_xids(old)
    assert made == new and xids == delta.new_xids(new)
    assert (~delta).apply(new) == old
    assert ~~delta == delta
    assert bool(delta) or old == new
    delta.verify(old)


def survives(delta: Delta) -> None:
    text = delta.to_xml()
    SCHEMA.assertValid(etree.fromstring(text.encode()))
    assert Delta.from_xml(text) == delta


@given(any_matchings(), st.booleans(), st.booleans())
def test_whatever_the_matching(matching, order_moves, inner_edits):
    old, new = matching.old_tree, matching.new_tree
    delta = diff(old, new, matcher=matching, order_moves=order_moves, inner_edits=inner_edits)
    holds(delta, old, new)
    survives(delta)
    survives(~delta)


@given(pairs_of_trees)
def test_with_the_default_matcher(pair):
    delta = diff(*pair)
    holds(delta, *pair)
    survives(delta)


@pytest.mark.slow
@settings(max_examples=50_000, deadline=None)
@given(any_matchings(), st.booleans())
def test_whatever_the_matching_long(matching, order_moves):
    delta = diff(matching.old_tree, matching.new_tree, matcher=matching, order_moves=order_moves)
    holds(delta, matching.old_tree, matching.new_tree)
    survives(delta)


@pytest.mark.slow
@settings(max_examples=50_000, deadline=None)
@given(pairs_of_trees)
def test_with_the_default_matcher_long(pair):
    delta = diff(*pair)
    holds(delta, *pair)
    survives(delta)
