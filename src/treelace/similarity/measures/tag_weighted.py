"""How many tags of each name two documents have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.similarity.measure import FeatureMeasure
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class TagWeighted(FeatureMeasure):
    """Weighted tag similarity: tags compared with their counts.

    With w(t) and v(t) how often tag t occurs in the two documents (Buttler 2004, WTS):

        sim = Σ 2 min(w(t), v(t)) / Σ (w(t) + v(t))

    Time O(n), memory O(different tags). Symmetric. It does not see where a tag stands, so different
    documents may reach 1, and a page with a long list is far from one of the same template with a
    short list. Two empty documents are the same.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{html{head{title}}{body{p}{p}}}")
    >>> right = Tree.from_brackets("{html{body{p}{ul{li}{li}}}}")
    >>> TagWeighted().similarity(left, right)
    0.5
    """

    name: ClassVar[str] = "tag-weighted"
    texts: bool = False
    """Whether texts that are not blank count as a tag of their own."""

    @property
    def comparison(self) -> str:
        """Dice on bags."""
        return "bag-dice"

    def features(self, tree: Tree) -> _kernel.Features:
        """The tags, with their counts."""
        return _kernel.tag_features(tree.kernel, self.texts)
