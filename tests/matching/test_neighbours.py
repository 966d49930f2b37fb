"""Lower bounds are below, and searches with them find what searches without them find."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.trees import brackets, random_tree
from tests.oracles.zhang_shasha import PlainTree, edit_distance
from treelace import Tree
from treelace.errors import UsageError
from treelace.matching.neighbours import lower_bounds, nearest, within


@st.composite
def plain_trees(draw: st.DrawFn, most: int = 10) -> PlainTree:
    seed = draw(st.integers(0, 2**32))
    return random_tree(
        random.Random(seed),
        draw(st.integers(1, most)),
        labels="abc",
        bend=draw(st.sampled_from([0.0, 0.5, 1.0])),
    )


def tree(plain: PlainTree) -> Tree:
    return Tree.from_brackets(brackets(plain))


@given(plain_trees(), plain_trees())
def test_bounds_are_never_above_the_distance(left: PlainTree, right: PlainTree) -> None:
    assert max(lower_bounds(tree(left), tree(right))) <= edit_distance(left, right)


def test_bounds_by_hand() -> None:
    def bounds(left: str, right: str) -> tuple[int, ...]:
        return tuple(lower_bounds(Tree.from_brackets(left), Tree.from_brackets(right)))

    assert bounds("{a{b}{c}}", "{a{b}{c}}") == (0, 0, 0, 0)
    assert bounds("{a{b}{c}}", "{x{y}{z}}") == (3, 0, 2, 3)
    assert bounds("{a}", "{a" + "{b}" * 9 + "}") == (9, 3, 3, 9)


@given(plain_trees(), st.lists(plain_trees(6), max_size=8), st.integers(0, 6))
def test_searches_find_what_looking_at_all_finds(
    query: PlainTree, others: list[PlainTree], number: int
) -> None:
    distances = [int(edit_distance(query, other)) for other in others]
    trees = [tree(other) for other in others]
    assert within(tree(query), trees, number) == [
        (place, far) for place, far in enumerate(distances) if far <= number
    ]
    by_distance = sorted((far, place) for place, far in enumerate(distances))
    assert nearest(tree(query), trees, number) == [
        (place, far) for far, place in by_distance[:number]
    ]


def test_negative_numbers_are_wrong_use() -> None:
    for search in (within, nearest):
        with pytest.raises(UsageError, match="negative"):
            search(Tree.from_brackets("{a}"), [], -1)
