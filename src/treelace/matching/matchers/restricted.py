"""What the matchers by restricted distances have in common."""

from __future__ import annotations

from dataclasses import dataclass

from treelace import _kernel
from treelace.matching.matching import Matching
from treelace.tree import Tree
from treelace.tree.distances import MappingDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class RestrictedDistance(MappingDistance):
    """A distance that allows fewer mappings than the edit distance, and its matcher.

    Without `text`, texts and comments are paired afterwards, below their parents. Confidence is 1
    for equal labels and 0.5 for a rename.
    """

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of a cheapest mapping."""
        return Matching(
            old,
            new,
            *_kernel.match_restricted(
                self.name, old.kernel, new.kernel, self.attributes, self.text, self.limits
            ),
        )
