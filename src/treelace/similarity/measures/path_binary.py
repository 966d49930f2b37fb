"""Which root-to-node paths two documents have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.similarity.measure import FeatureMeasure
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class PathBinary(FeatureMeasure):
    """Paths from the root, each in both documents or not (Buttler 2004, "binary").

    A path is the list of tag names from the root to a node; a text that is not blank is a node
    called `[text]`. With a(p) and b(p) how often path p occurs in the two documents:

        bag:  sim = Σ 2 min(a(p), b(p)) / Σ (a(p) + b(p))
        set:  sim = |A ∩ B| / |A ∪ B|

    The paper divides the matched paths by all paths of both trees; a match counts for both trees
    here, or equal documents would reach only ½. Paths end in any node, as in the paper's listing,
    or with `leaves` in leaves only.

    Time O(n), memory O(different paths). Symmetric. Order of siblings is not seen. One more `div`
    around everything changes every path below it.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{html{head{title}}{body{p}{p}}}")
    >>> right = Tree.from_brackets("{html{body{p}{ul{li}{li}}}}")
    >>> PathBinary().similarity(left, right)
    0.5
    >>> round(PathBinary(is_bag=False).similarity(left, right), 4)
    0.4286
    """

    name: ClassVar[str] = "path-binary"
    is_bag: bool = True
    """Whether it matters how often a path occurs."""
    leaves: bool = False
    """Whether only paths to leaves count."""
    texts: bool = True
    """Whether texts that are not blank are nodes."""

    @property
    def comparison(self) -> str:
        """Dice on bags, Jaccard on sets."""
        return "bag-dice" if self.is_bag else "set-jaccard"

    def features(self, tree: Tree) -> _kernel.Features:
        """The paths, with their counts."""
        return _kernel.path_features(tree.kernel, self.texts, self.leaves, DEFAULT_LIMITS)
