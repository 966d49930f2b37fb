"""How far two documents' paths run together, nodes near the root weighing more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.similarity.measure import FeatureMeasure
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class PathWeighted(FeatureMeasure):
    """`path-partial`, nodes weighted by distance from the root (Buttler 2004, "weighted").

    With a(v) and b(v) as there, and w the weight of the last node of v:

        sim = Σ 2 w(v) min(a(v), b(v)) / Σ w(v) (a(v) + b(v))

    The paper gives neither the weights nor their direction. Here w = 1 / (1 + depth), the root at
    depth 0: the outer nodes weigh more. `weights="inner"` turns it round: w = 1 + depth.

    Time O(n), memory O(different paths). Symmetric. Order of siblings is not seen.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{b{c}}}"), Tree.from_brackets("{a{b{d}}}")
    >>> round(PathWeighted().similarity(left, right), 4)
    0.8182
    >>> PathWeighted(weights="inner").similarity(left, right)
    0.5
    """

    name: ClassVar[str] = "path-weighted"
    weights: Literal["outer", "inner"] = "outer"
    """Which nodes weigh more: `outer` 1 / (1 + depth), `inner` 1 + depth."""
    texts: bool = True
    """Whether texts that are not blank are nodes."""

    @property
    def comparison(self) -> str:
        """Weighted Dice on the bags of beginnings."""
        return "weighted-dice"

    def features(self, tree: Tree) -> _kernel.Features:
        """Every beginning of a path, with the number of leaves behind it and its weight."""
        return _kernel.prefix_features(tree.kernel, self.texts, self.weights, DEFAULT_LIMITS)
