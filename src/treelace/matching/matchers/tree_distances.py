"""The matchers by restricted distances: what `treelace.tree.distances` defines, with its pairs.

Each allows fewer mappings than the edit distance. Without `text`, texts and comments are paired
afterwards, below their parents. Confidence is 1 for equal labels and 0.5 for a rename.
"""

from __future__ import annotations

from treelace import _kernel
from treelace.matching.matching import Matching
from treelace.tree import Tree, distances
from treelace.tree.distances import TreeDistance


class RestrictedDistance(TreeDistance):
    """A distance that allows fewer mappings than the edit distance, and its matcher."""

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of a cheapest mapping."""
        pairs = _kernel.match_restricted(
            self.name, old.kernel, new.kernel, self.attributes, self.text, self.limits
        )
        return Matching(old, new, *pairs)


class TopDown(distances.TopDown, RestrictedDistance):
    __doc__ = distances.TopDown.__doc__


class RestrictedTopDown(distances.RestrictedTopDown, RestrictedDistance):
    __doc__ = distances.RestrictedTopDown.__doc__


class BottomUp(distances.BottomUp, RestrictedDistance):
    __doc__ = distances.BottomUp.__doc__


class Constrained(distances.Constrained, RestrictedDistance):
    __doc__ = distances.Constrained.__doc__


class Alignment(distances.Alignment, RestrictedDistance):
    __doc__ = distances.Alignment.__doc__


class NiermanJagadish(distances.NiermanJagadish, RestrictedDistance):
    __doc__ = distances.NiermanJagadish.__doc__


class SimpleTreeMatching(distances.SimpleTreeMatching, RestrictedDistance):
    __doc__ = distances.SimpleTreeMatching.__doc__

    def match_subtrees(
        self, left: Tree, left_index: int, right: Tree, right_index: int
    ) -> list[tuple[int, int]]:
        """The pairs of two subtrees, which may belong to one tree: what lining up records needs.

        >>> from treelace.tree import Tree
        >>> table = Tree.from_brackets("{table{tr{td{a}}{td}}{tr{td}{td{a}}}}")
        >>> SimpleTreeMatching().match_subtrees(table, 2, table, 6)
        [(2, 6), (3, 8), (4, 9)]
        """
        places = left.kernel, left_index, right.kernel, right_index
        return _kernel.match_subtrees(*places, self.attributes, self.text, self.limits)[1]
