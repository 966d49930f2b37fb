"""The exact edit distance of two ordered trees, and the nodes it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.costs import Costs, read_costs
from treelace.matching.matching import Matching
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEditDistance:
    """Pairs the nodes that a cheapest sequence of deletions, insertions and renames keeps.

    A mapping pairs nodes one to one and keeps order and ancestry; it costs 1 for each node left out
    on either side and 1 for each pair with two labels (or as `costs` says). The distance is the
    least cost (Tai 1979). With rightmost roots a, b of forests F, G:

        d(F, G) = min( d(F - a, G) + 1,  d(F, G - b) + 1,  d(F - T(a), G - T(b)) + d(F(a), F(b)) +
        [a ≠ b] )

    Every pair of subtrees is solved along the path, left, right or heavy, that needs the fewest
    steps (after Pawlik & Augsten, RTED 2011, APTED 2016). Time O(n³) at worst, about n · m · depth²
    / 10 on pages; memory one number for each pair of nodes, and what would need more than
    `limits.memory` is refused before anything is allocated. Pages that are nearly equal are solved
    in a narrow band.

    A label is the tag; with `attributes` the tag and its attributes; with `text` texts and comments
    are nodes too, called by what they say. Without it they are paired afterwards, below their
    parents. Confidence is 1 for equal labels and 0.5 for a rename. Moves are not seen: a moved
    subtree is deleted here and inserted there. Several mappings may be cheapest; the choice is
    fixed but arbitrary.

    >>> from treelace.tree import Tree
    >>> old, new = Tree.from_brackets("{a{b{c}{d}}}"), Tree.from_brackets("{a{c}{d}}")
    >>> TreeEditDistance().match(old, new).pairs
    [(0, 0), (1, 1), (3, 2), (4, 3)]
    >>> TreeEditDistance().distance(old, new)
    1.0
    """

    name: ClassVar[str] = "tree-edit-distance"
    attributes: bool = False
    text: bool = False
    costs: Costs | Mapping[str, Any] | None = None
    """Unit costs where None; a mapping has the fields of `Costs` by name: `{"graded": True}`."""
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        object.__setattr__(self, "costs", read_costs(self.costs))

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of a cheapest mapping."""
        return Matching(
            old,
            new,
            *_kernel.match_edit(
                old.kernel,
                new.kernel,
                self.attributes,
                self.text,
                read_costs(self.costs),
                self.limits,
            ),
        )

    def distance(self, old: Tree, new: Tree) -> float:
        """What the cheapest mapping costs."""
        distance = _kernel.edit_distance(
            old.kernel,
            new.kernel,
            self.attributes,
            self.text,
            read_costs(self.costs),
            None,
            self.limits,
        )
        assert distance is not None
        return distance

    def distance_at_most(self, old: Tree, new: Tree, most: float) -> float | None:
        """The distance if at most `most`, else None; a smaller bound is faster (unit costs)."""
        return _kernel.edit_distance(
            old.kernel,
            new.kernel,
            self.attributes,
            self.text,
            read_costs(self.costs),
            most,
            self.limits,
        )
