"""A delta of the diff, applied, is the new page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treelace as tl
from treelace.diff import Attribute, Delete, Delta, Insert, Update, diff

PAGES = [
    "",
    "<p>one",
    "<p>one<p>two",
    "<p class=a>one<b>x</b><p>two<!--c-->",
    "<!doctype html><p id=k class=a>one<i>x</i>",
    "<ul><li>1<li>2<li>3</ul><table><tr><td>4</table>",
    "<table><tr><td>4</table><ul><li>3<li>1</ul>",
]


def brackets(labels: str = "abc") -> st.SearchStrategy[str]:
    leaf = st.sampled_from(labels).map(lambda label: f"{{{label}}}")
    return st.recursive(
        leaf, lambda inner: st.tuples(st.sampled_from(labels), st.lists(inner, max_size=4)).map(lambda it: f"{{{it[0]}{''.join(it[1])}}}")
    )


@pytest.mark.parametrize("old", PAGES)
@pytest.mark.parametrize("new", PAGES)
def test_a_patch_of_the_diff_is_the_new_page(old, new):
    first, second = tl.parse(old, format="html"), tl.parse(new, format="html")
    delta = diff(first, second)
    assert delta.apply(first) == second
    assert bool(delta) == (first != second)


@given(brackets(), brackets())
def test_any_two_trees(old, new):
    first, second = tl.Tree.from_brackets(old), tl.Tree.from_brackets(new)
    assert diff(first, second).apply(first) == second


def test_one_change_is_one_operation():
    old, new = tl.parse("<p class=a>one</p><i>x</i>"), tl.parse("<p class=b>two</p><i>x</i><b>y</b>")
    kinds = [type(operation) for operation in diff(old, new).operations]
    assert sorted(kind.__name__ for kind in kinds) == [Attribute.__name__, Insert.__name__, Update.__name__]
    gone = diff(new, old).operations
    assert any(isinstance(operation, Delete) for operation in gone)


def test_another_base_is_refused_with_both_digests():
    old, new = tl.parse("<p>one"), tl.parse("<p>two")
    delta = diff(old, new)
    with pytest.raises(tl.DeltaError, match=delta.old.hex()):
        delta.apply(new)


def test_a_damaged_delta_is_refused():
    old, new = tl.parse("<p>one"), tl.parse("<p>two")
    delta = diff(old, new)
    with pytest.raises(tl.DeltaError, match="no node 99"):
        Delta(delta.old, delta.new, (Update(99, "a", "b"),)).apply(old)
    with pytest.raises(tl.DeltaError, match="damaged"):
        Delta(delta.old, delta.new, ()).apply(old)
