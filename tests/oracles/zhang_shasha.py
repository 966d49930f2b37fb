"""Tree edit distance by its definition on forests, in plain Python: slow, and as simple as it gets.

Trees are nested tuples: (label, (child, child, …)). With F and G forests and a, b the roots of
their last trees (FACTS §2):

    d(F, G) = min( d(F - a, G) + 1,  d(F, G - b) + 1,  d(F - T(a), G - T(b)) + d(F(a), F(b)) +
    [label(a) ≠ label(b)] )
"""

from __future__ import annotations

import functools
from collections.abc import Callable

PlainTree = tuple[str, tuple["PlainTree", ...]]
Forest = tuple[PlainTree, ...]


def size(forest: Forest) -> int:
    """Number of nodes."""
    return sum(1 + size(children) for _, children in forest)


def edit_distance(
    left: PlainTree,
    right: PlainTree,
    *,
    delete: Callable[[str], float] = lambda _: 1,
    insert: Callable[[str], float] = lambda _: 1,
    rename: Callable[[str, str], float] = lambda a, b: a != b,
) -> float:
    """The distance; costs are functions of labels."""

    @functools.cache
    def weight(forest: Forest, of: Callable[[str], float]) -> float:
        return sum(of(label) + weight(children, of) for label, children in forest)

    @functools.cache
    def distance(one: Forest, other: Forest) -> float:
        if not one or not other:
            return weight(one, delete) + weight(other, insert)
        *_, (a, under_a) = one
        *_, (b, under_b) = other
        return min(
            distance(one[:-1] + under_a, other) + delete(a),
            distance(one, other[:-1] + under_b) + insert(b),
            distance(one[:-1], other[:-1]) + distance(under_a, under_b) + rename(a, b),
        )

    return distance((left,), (right,))
