"""The contract of every matcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from treelace.matching.matching import Matching
    from treelace.tree import Tree


class Matcher(Protocol):
    """Pairs the nodes of two versions of a page.

    Every matcher promises, and tests/contracts/test_matchers.py checks: pairs are one-to-one and of equal kind; the two
    documents are paired; equal trees are paired node for node (a heuristic that cannot promise it says so); the same input
    gives the same pairs; neither tree is touched. Parameters go to the constructor, the trees to the verb, and nothing stays
    behind after the call, so one instance can serve many threads.
    """

    name: ClassVar[str]

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of nodes of `old` and `new`."""
        ...
