"""The contract of every matcher."""

from __future__ import annotations

from typing import ClassVar, Protocol

from treelace.errors import UsageError
from treelace.matching.matching import Matching
from treelace.tree import Tree


class Matcher(Protocol):
    """Pairs the nodes of two versions of a page.

    Every matcher promises, and tests/contracts/test_matchers.py checks: pairs are one-to-one and of
    equal kind; the two documents are paired; equal trees are paired node for node (a heuristic that
    cannot promise it says so, by `pairs_equal_trees = False`); the same input gives the same pairs;
    neither tree is touched. Parameters go to the constructor, the trees to the verb, and nothing
    stays behind after the call, so one instance can serve many threads. One that can do without
    texts has an option `text`; one that never looks at them says `looks_at_text = False`.
    """

    name: ClassVar[str]

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of nodes of `old` and `new`."""
        ...


def check_counts(matcher: Matcher, *names: str) -> None:
    """Raises `UsageError` where one of these options cannot be a count (a seed is one, too)."""
    for name in names:
        given = getattr(matcher, name)
        if not 0 <= given < 2**32:
            raise UsageError(
                f"{matcher.name}: {name} is a whole number from 0 to {2**32 - 1}, not {given}"
            )
