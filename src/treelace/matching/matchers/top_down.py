"""Selkow's top-down distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.matching.matchers.restricted import RestrictedDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDown(RestrictedDistance):
    """Pairs children only below paired parents (Selkow, "The tree-to-tree editing problem", 1977).

    Insertions and deletions take whole subtrees, at one for each node; roots are always paired.
    With E the string edit distance of two lists of children, where deleting or inserting a subtree
    costs its size |T|:

        S(a, b) = [a ≠ b] + E(children of a, children of b; |T|, |T|, S)

    Time and memory O(n m) at worst, on pages far less: only nodes of one level meet. At least the
    constrained distance. One inserted wrapper costs everything below it twice. Ties go to the
    earliest pairs in the document.

    >>> from treelace.tree import Tree
    >>> TopDown().distance(Tree.from_brackets("{a{b{c}{d}}}"), Tree.from_brackets("{a{c}{d}}"))
    4.0
    """

    name: ClassVar[str] = "top-down"
