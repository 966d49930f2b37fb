"""Distances of two trees by a cheapest mapping, for the measures and matchers of that name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from treelace.tree.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingDistance:
    """The unit cost of a cheapest mapping of two trees' nodes; the name says which are allowed.

    A label is the tag; with `attributes` the tag and its attributes; with `text` texts and comments
    are nodes too, called by what they say. What would need more memory than `limits.memory` is
    refused before it is allocated.
    """

    name: ClassVar[str]
    attributes: bool = False
    text: bool = False
    limits: Limits = DEFAULT_LIMITS

    def distance(self, left: Tree, right: Tree) -> float:
        """What the cheapest mapping costs, from 0."""
        return float(self.distance_and_sizes(left, right)[0])

    def distance_and_sizes(self, left: Tree, right: Tree) -> tuple[int, int, int]:
        """The distance, and the number of nodes in view of each tree."""
        return _kernel.restricted_distance(
            self.name, left.kernel, right.kernel, self.attributes, self.text, self.limits
        )
