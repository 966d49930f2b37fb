"""Which tags two documents have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.similarity.measure import FeatureMeasure
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSet(FeatureMeasure):
    """The share of tags that two documents have in common.

    With T(D) the set of tag names of D (Buttler 2004, "simple tag similarity"):

        sim = |T(left) ∩ T(right)| / |T(left) ∪ T(right)|

    Time O(n), memory O(different tags). Symmetric; 1 − sim is a metric on tag sets. It sees neither
    how often a tag occurs nor where, so different documents may reach 1. Two empty documents are
    the same.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{html{head{title}}{body{p}{p}}}")
    >>> right = Tree.from_brackets("{html{body{p}{ul{li}{li}}}}")
    >>> round(TagSet().similarity(left, right), 4)
    0.4286
    """

    name: ClassVar[str] = "tag-set"
    texts: bool = False
    """Whether texts that are not blank count as a tag of their own."""

    @property
    def comparison(self) -> str:
        """Shared tags over all tags."""
        return "set-jaccard"

    def features(self, tree: Tree) -> _kernel.Features:
        """The tags, with their counts."""
        return _kernel.tag_features(tree.kernel, self.texts)
