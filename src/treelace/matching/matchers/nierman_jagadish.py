"""The distance of Nierman and Jagadish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.matching.matchers.restricted import RestrictedDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class NiermanJagadish(RestrictedDistance):
    """Top-down; a subtree that the other tree has comes or goes for 1 (WebDB 2002).

    A tree is contained in another if some node there has its root's label and its children are
    contained, in order, in some of that node's children. With graft(b) = 1 if T(b) is contained in
    the old tree, else 1 + Σ graft(children), prune(a) likewise, and E the string edit distance of
    two lists of children:

        D(a, b) = [a ≠ b] + E(children of a, children of b; prune, graft, D)

    So a list with more rows is near a list with fewer. This is the distance that Buttler's survey
    ran. Time O(n m), memory a bit for each pair of nodes and a number for each pair that meets.
    Symmetric; not a metric. Ties go to the earliest pairs in the document.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{x{b}{c}}}")
    >>> right = Tree.from_brackets("{a{x{b}{c}}{x{b}{c}}}")
    >>> NiermanJagadish().distance(left, right)
    1.0
    """

    name: ClassVar[str] = "nierman-jagadish"
