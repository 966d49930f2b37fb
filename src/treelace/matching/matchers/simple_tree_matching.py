"""Simple tree matching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.matching.matchers.restricted import RestrictedDistance
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleTreeMatching(RestrictedDistance):
    """The most equal pairs, parents first and in order (Yang 1991; Zhai & Liu, Figure 9).

        STM(A, B) = 0 if the roots' labels differ, else 1 + M[m, n]
        M[i, j]   = max( M[i, j-1],  M[i-1, j],  M[i-1, j-1] + STM(Ai, Bj) )

    for the lists of children A1 … Am and B1 … Bn. Ties go to the earliest pairs in the document:
    the way back tries j - 1, then i - 1, then the pair. The distance is |A| + |B| - 2 STM, the
    normalised similarity STM / ((|A| + |B|) / 2).

    Time and memory O(n m) at worst; only nodes whose ancestors' labels agree ever meet. Levels are
    never crossed and nothing is renamed.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b{c}{d}}{e}{b{c}}}")
    >>> right = Tree.from_brackets("{a{b{d}{c}}{b{c}{f}}{e}}")
    >>> stm = SimpleTreeMatching()
    >>> stm.score(left, right), round(stm.similarity(left, right), 3)
    (5, 0.667)
    """

    name: ClassVar[str] = "simple-tree-matching"

    def score(self, left: Tree, right: Tree) -> int:
        """STM: the number of pairs (the document nodes not counted)."""
        distance, left_size, right_size = self.distance_and_sizes(left, right)
        return (left_size + right_size - distance) // 2

    def similarity(self, left: Tree, right: Tree) -> float:
        """STM over the mean size; two empty documents are alike."""
        distance, left_size, right_size = self.distance_and_sizes(left, right)
        nodes = left_size + right_size
        return (nodes - distance) / nodes if nodes else 1.0

    def match_subtrees(
        self, left: Tree, left_index: int, right: Tree, right_index: int
    ) -> list[tuple[int, int]]:
        """The pairs of two subtrees, which may belong to one tree: what lining up records needs.

        >>> from treelace.tree import Tree
        >>> table = Tree.from_brackets("{table{tr{td{a}}{td}}{tr{td}{td{a}}}}")
        >>> SimpleTreeMatching().match_subtrees(table, 2, table, 6)
        [(2, 6), (3, 8), (4, 9)]
        """
        return _kernel.match_subtrees(
            left.kernel,
            left_index,
            right.kernel,
            right_index,
            self.attributes,
            self.text,
            self.limits,
        )[1]
