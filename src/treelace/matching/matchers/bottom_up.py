"""Valiente's bottom-up distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.matching.matchers.restricted import RestrictedDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class BottomUp(RestrictedDistance):
    """Pairs equal subtrees and nothing else (Valiente, SPIRE 2001).

    The old tree is read level by level; an unpaired node whose subtree occurs somewhere in the new
    tree, free from top to bottom, is paired with the first such place in document order, node for
    node. The distance is n + m - 2 · pairs.

    Linear time and memory. Moves are seen, order is not kept, and one changed leaf unpairs all its
    ancestors. We differ from the paper in one thing: labels must be equal, so there is no cost for
    renames.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b{d}}{c}}")
    >>> right = Tree.from_brackets("{a{c}{b{d}}}")
    >>> BottomUp().match(left, right).pairs
    [(0, 0), (2, 3), (3, 4), (4, 2)]
    """

    name: ClassVar[str] = "bottom-up"
