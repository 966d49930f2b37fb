"""Nodes that stand at the same place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.matching import Matching
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class SamePath:
    """Pairs nodes with the same absolute path: equal names and ranks, from the root down.

    What a scraper with absolute XPaths believes, and the floor every other matcher is measured
    against. Linear time and memory. One inserted wrapper breaks everything below it. Confidence is
    1.0 throughout and means nothing.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b}{c}{b}}")
    >>> right = Tree.from_brackets("{a{c}{b}{b}}")
    >>> SamePath().match(left, right).pairs
    [(0, 0), (1, 1), (2, 3), (3, 2), (4, 4)]
    """

    name: ClassVar[str] = "same-path"
    looks_at_text: ClassVar[bool] = False
    limits: Limits = DEFAULT_LIMITS

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of nodes with equal paths."""
        return Matching(old, new, *_kernel.match_same_path(old.kernel, new.kernel, self.limits))
