"""BULD: the matcher of XyDiff."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.hints import Rates, checked_keys, checked_rates
from treelace.matching.matching import Matching
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Buld:
    """Pairs equal subtrees, heaviest first; pairs spread up and lazily down (Cobéna et al. 2002).

    Phase 1: elements with the same ID attribute. Phase 2: a signature and a weight for every
    subtree (1 + Σ for elements, 1 + ln(length) for texts). Phase 3: from the heaviest new subtree
    on, the equal old one with the nearest matched ancestor, then ancestors with equal labels up to
    d levels. Phase 4: parents by the weight of their matched children, then only children with a
    label. Where the letter of the paper fails, `docs/explanation/buld.md` says what we do: d =
    `depth` + ⌊5 ln(n) W/W₀⌋, a single candidate is accepted whatever d is, roots are always
    matched, signatures see attributes and are verified by content.

    Time O(n log n), memory O(n). Not promised: a least set of changes; blank texts match anywhere
    (`document` mends that). Confidence is 1.0 for equal subtrees and 0.5 for the others.

    >>> from treelace.tree import parse
    >>> old = parse("<r><a><n>x</n><p>1</p></a><b/></r>", format="xml")
    >>> new = parse("<r><a/><b><n>x</n></b></r>", format="xml")
    >>> [(old[i].tag, new[j].tag) for i, j in Buld().match(old, new).elements.pairs]
    [('r', 'r'), ('a', 'a'), ('n', 'n'), ('b', 'b')]
    """

    name: ClassVar[str] = "buld"
    depth: int | None = None
    """The least levels a match reaches up; by default 3 for HTML, 1 (the paper's) for XML."""
    blanks: bool = True
    """Whether white-space texts take part, as in the paper; else they follow their neighbours."""
    keys: Iterable[str] = ()
    """Attributes that identify their elements, beside those of type ID. One that has no partner
    keeps its element from any match.
    """
    rates: Rates = ()
    """How often texts in elements of a tag change, in [0, 1]: their weight shrinks by that."""
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", checked_keys(self.keys))
        object.__setattr__(self, "rates", checked_rates(self.rates))

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of nodes."""
        depth = self.depth if self.depth is not None else 3 if new.is_html else 1
        rates = list(checked_rates(self.rates))
        return Matching(
            old,
            new,
            *_kernel.match_buld(
                old.kernel, new.kernel, depth, not self.blanks, list(self.keys), rates, self.limits
            ),
        )
