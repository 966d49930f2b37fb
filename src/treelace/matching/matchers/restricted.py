"""What the matchers by restricted distances have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.matching import Matching

if TYPE_CHECKING:
    from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class RestrictedDistance:
    """A distance with unit costs that allows fewer mappings than the edit distance, and the matcher
    that comes with it.

    A label is the tag; with `attributes` the tag and its attributes; with `text` texts and comments
    are nodes too, called by what they say. Without it they are paired afterwards, below their
    parents. Confidence is 1 for equal labels and 0.5 for a rename. What would need more memory than
    `limits.memory` is refused before it is allocated.
    """

    name: ClassVar[str]
    attributes: bool = False
    text: bool = False
    limits: Limits = DEFAULT_LIMITS

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of a cheapest mapping."""
        return Matching(
            old,
            new,
            *_kernel.match_restricted(
                self.name, old.kernel, new.kernel, self.attributes, self.text, self.limits
            ),
        )

    def distance(self, old: Tree, new: Tree) -> float:
        """What the cheapest mapping costs."""
        return float(self._distance_and_sizes(old, new)[0])

    def _distance_and_sizes(self, old: Tree, new: Tree) -> tuple[int, int, int]:
        """The distance, and the number of nodes in view of each tree."""
        return _kernel.restricted_distance(
            self.name, old.kernel, new.kernel, self.attributes, self.text, self.limits
        )
