"""Tree distances as measures: how much of two documents a cheapest mapping leaves alone.

The distances themselves, with their mappings, are matchers (`treelace.matching`); a measure asks
for the number only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.tree import Tree
from treelace.tree.distances import MappingDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDistance(MappingDistance):
    """A distance as a measure; what the ones below have in common.

    With d the distance and |·| the number of nodes in view:

        sim = max(0, 1 − d / max(|left|, |right|))
    """

    def similarity(self, left: Tree, right: Tree) -> float:
        """How alike two documents are, from 0 to 1; two empty ones are alike."""
        distance, *sizes = self.distance_and_sizes(left, right)
        return max(0.0, 1 - distance / max(sizes)) if max(sizes) else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEditDistance(TreeDistance):
    """The fewest deletions, insertions and renames of nodes (Tai 1979; Buttler 2004).

    Symmetric, and a metric as a distance. Time O(n³) at worst, memory O(n m): the dearest measure
    there is.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{b{c}{d}}}"), Tree.from_brackets("{a{c}{d}}")
    >>> TreeEditDistance().distance(left, right), TreeEditDistance().similarity(left, right)
    (1.0, 0.75)
    """

    name: ClassVar[str] = "tree-edit-distance"


@dataclass(frozen=True, slots=True, kw_only=True)
class NiermanJagadish(TreeDistance):
    """Edit distance; a subtree that the other document has too comes or goes for one node.

    Nierman & Jagadish (WebDB 2002): made for pages of one template, whose records repeat; what
    Buttler ran. Symmetric. O(n m).
    """

    name: ClassVar[str] = "nierman-jagadish"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDown(TreeDistance):
    """Edit distance whose insertions and deletions take whole subtrees (Selkow 1977). Symmetric.
    O(n m) at worst.
    """

    name: ClassVar[str] = "top-down"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestrictedTopDown(TreeDistance):
    """Top-down distance that renames leaves only (Reis et al., RTDM, 2004). Symmetric. O(n m) at
    worst.
    """

    name: ClassVar[str] = "restricted-top-down"


@dataclass(frozen=True, slots=True, kw_only=True)
class BottomUp(TreeDistance):
    """The nodes outside of equal subtrees (Valiente 2001). Linear.

    The mapping is found greedily and may depend on the order of the two documents; the measure
    takes the smaller of both distances, so that it is symmetric.
    """

    name: ClassVar[str] = "bottom-up"

    def distance_and_sizes(self, left: Tree, right: Tree) -> tuple[int, int, int]:
        """The smaller distance of both ways, and the number of nodes in view of each tree."""
        there, left_size, right_size = TreeDistance.distance_and_sizes(self, left, right)
        back, _, _ = TreeDistance.distance_and_sizes(self, right, left)
        return min(there, back), left_size, right_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Constrained(TreeDistance):
    """Edit distance that maps disjoint subtrees to disjoint subtrees (Zhang 1995). Symmetric. O(n
    m).
    """

    name: ClassVar[str] = "constrained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment(TreeDistance):
    """Edit distance with all insertions before any deletion (Jiang, Wang, Zhang 1995). Symmetric.
    O(n m degree²).
    """

    name: ClassVar[str] = "alignment"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleTreeMatching(TreeDistance):
    """The most equal pairs, parents first and in order, over the mean size (Yang 1991).

        sim = STM / ((|left| + |right|) / 2)        distance = |left| + |right| − 2 STM

    The papers' own normalisation, not that of the other distances. Symmetric. O(n m) at worst.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b}{c}}")
    >>> right = Tree.from_brackets("{a{b}{d}}")
    >>> SimpleTreeMatching().similarity(left, right)
    0.6666666666666666
    """

    name: ClassVar[str] = "simple-tree-matching"

    def similarity(self, left: Tree, right: Tree) -> float:
        """How alike two documents are, from 0 to 1; two empty ones are alike."""
        distance, left_size, right_size = self.distance_and_sizes(left, right)
        nodes = left_size + right_size
        return (nodes - distance) / nodes if nodes else 1.0
