"""Two deltas as one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treelace as tl
from tests.diff.test_laws import any_matchings
from tests.strategies import any_trees, page_pairs, trees, xml_trees
from treelace.diff import Delta, diff


@st.composite
def chains(draw: st.DrawFn) -> tuple[tl.Tree, tl.Tree, tl.Tree, Delta, Delta]:
    """Three versions with two deltas, by any matching, numbered as a chain or not."""
    matching = draw(any_matchings())
    old, middle = matching.old_tree, matching.new_tree
    kinds = [any_trees(), xml_trees(), trees(max_nodes=15)]
    new = draw(st.one_of(st.just(old), *kinds)) if draw(st.booleans()) else draw(page_pairs())[0]
    first = diff(old, middle, matcher=matching)
    free = {
        kind: [node.index for node in new if node.kind == kind and node.index] for kind in tl.Kind
    }
    pairs = [(0, 0)]
    for node in middle:
        if node.index and free[node.kind] and draw(st.integers(0, 3)):
            pairs.append(
                (node.index, free[node.kind].pop(draw(st.integers(0, len(free[node.kind]) - 1))))
            )
    second = tl.Matching(middle, new, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    xids = first.new_xids(middle) if draw(st.booleans()) else None
    return old, middle, new, first, diff(middle, new, matcher=second, xids=xids)


def holds(old: tl.Tree, new: tl.Tree, first: Delta, second: Delta) -> None:
    both = first | second
    assert both.apply(old) == new
    assert (~both).apply(new) == old
    both.verify(old)
    assert Delta.from_xml(both.to_xml()) == both


@given(chains())
def test_two_as_one(chain):
    old, _, new, first, second = chain
    holds(old, new, first, second)


@pytest.mark.slow
@settings(max_examples=30_000, deadline=None)
@given(chains())
def test_two_as_one_long(chain):
    old, _, new, first, second = chain
    holds(old, new, first, second)


@given(any_matchings())
def test_there_and_back_is_nothing(matching):
    delta = diff(matching.old_tree, matching.new_tree, matcher=matching)
    assert not [it for it in (delta | ~delta).operations if type(it).__name__ not in ("Reorder",)]
    assert not [it for it in (~delta | delta).operations if type(it).__name__ not in ("Reorder",)]


def test_deltas_that_do_not_follow_are_refused():
    one, two, three = (tl.parse(f"<p>{word}") for word in ("one", "two", "three"))
    with pytest.raises(tl.DeltaError, match="do not follow"):
        diff(one, two) | diff(three, one)


def test_one_change_after_the_other_is_one():
    one, two, three = (tl.parse(f"<ul><li>tea<li>{word}</ul>") for word in ("milk", "jam", "cake"))
    assert repr(diff(one, two) | diff(two, three)) == "<Delta: 1 update>"
