"""The trees of a collection that are near another one, by edit distance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Tree


class Neighbour(NamedTuple):
    """A tree of a collection: its place there, and how far away it is."""

    place: int
    distance: int


class LowerBounds(NamedTuple):
    """Numbers that the unit-cost edit distance of two trees never falls below."""

    labels: int
    """Largest size minus the labels in both: O(n log n)."""
    degrees: int
    """A third of the difference in numbers of children: O(n log n)."""
    branches: int
    """A fifth of the difference in binary branches, a node with its first child and next sibling
    (Yang et al. 2005): O(n log n).
    """
    traversals: int
    """Edit distance of the pre- or post-order labels, the larger one (Guha et al. 2002): O(n m)."""


def lower_bounds(
    left: Tree,
    right: Tree,
    *,
    attributes: bool = False,
    text: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> LowerBounds:
    """Cheap numbers below the edit distance; labels are as in `TreeEditDistance`.

    >>> from treelace.tree import Tree
    >>> lower_bounds(Tree.from_brackets("{a{b}{c}}"), Tree.from_brackets("{a{b{d}}}"))
    LowerBounds(labels=1, degrees=2, branches=1, traversals=2)
    """
    return LowerBounds(*_kernel.edit_bounds(left.kernel, right.kernel, attributes, text, limits))


def within(
    query: Tree,
    trees: Iterable[Tree],
    distance: int,
    *,
    attributes: bool = False,
    text: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Neighbour]:
    """Every tree within an edit `distance`, in the order given, exactly; bounds save work.

    `limits.seconds` is for the whole search.

    >>> from treelace.tree import Tree
    >>> trees = map(Tree.from_brackets, ["{a{c}}", "{x{y{z}}}", "{a{b}{b}}"])
    >>> within(Tree.from_brackets("{a{b}}"), trees, 1)
    [Neighbour(place=0, distance=1), Neighbour(place=2, distance=1)]
    """
    if distance < 0:
        raise UsageError(f"a distance of {distance}: it cannot be negative")
    found = _kernel.edit_within(
        query.kernel, [tree.kernel for tree in trees], distance, attributes, text, limits
    )
    return [Neighbour(*row) for row in found]


def nearest(
    query: Tree,
    trees: Iterable[Tree],
    k: int = 1,
    *,
    attributes: bool = False,
    text: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Neighbour]:
    """The `k` trees with the least edit distance, nearest first, ties to the earlier. Exact.

    >>> from treelace.tree import Tree
    >>> trees = map(Tree.from_brackets, ["{x{y{z}}}", "{a{b}{b}}", "{a{c}}"])
    >>> nearest(Tree.from_brackets("{a{b}}"), trees, 2)
    [Neighbour(place=1, distance=1), Neighbour(place=2, distance=1)]
    """
    if k < 0:
        raise UsageError(f"{k} neighbours: the number cannot be negative")
    found = _kernel.edit_nearest(
        query.kernel, [tree.kernel for tree in trees], k, attributes, text, limits
    )
    return [Neighbour(*row) for row in found]
