"""lace: our own matcher, by rounds of rescoring with context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.matching import Matching
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Lace:
    """Pairs nodes by all the evidence there is, weighed again from scratch in several rounds.

    In each round every node collects candidates, each pair is scored against the matching of the
    round before (attributes one by one, rare words of the subtree, parent, ancestors, neighbours,
    place in the document), and the best pairs are taken greedily; tags and texts are evidence and
    never a requirement. A pair below a threshold is no pair. `docs/explanation/lace.md` tells how
    it thinks. Near-linear in nodes. Not from a paper; SFTM (Brisset et al.) is its ancestor.

    Confidence is by how much a pair beats all that could be instead (no partner, another one for
    either), as a probability: of the pairs with confidence 0.8 on mutants of pages it was not tuned
    on, about four in five are right. Where tags or classes were renamed all over the page, the new
    names are learnt from a first matching.

    Not promised: that a subtree under another parent is found when much else on the page changed,
    too.

    >>> from treelace.tree import parse
    >>> old, new = parse("<ul><li>tea 3<li>milk 2</ul>"), parse("<ul><li>milk 2<li>tea 4</ul>")
    >>> matching = Lace().match(old, new)
    >>> [old[i].text for i, j in matching.pairs if old[i].tag == "li" and new[j].text == "milk 2"]
    ['milk 2']
    """

    name: ClassVar[str] = "lace"
    text: bool = True
    """Whether texts are evidence, and matched."""
    limits: Limits = DEFAULT_LIMITS

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of nodes."""
        return Matching(
            old, new, *_kernel.match_lace(old.kernel, new.kernel, self.text, self.limits)
        )
