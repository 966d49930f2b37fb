"""document: our own matcher for versions that share most of their structure."""

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
class Document:
    """For versions of one document: unique content first, parents by votes, children in order.

    Subtrees that occur once in each version are anchors; they, and words and attributes that occur
    once in each, vote for the parents they stand in; a pair is taken when each is the other's
    majority by two voices or more. From the root down the children of each pair are lined up by
    equal content, votes, what they say, and place. What is left has moved if its content is unique
    or large. White space follows its neighbours. `docs/explanation/document.md` tells how it
    thinks. Near-linear in nodes and bytes. Not from a paper; BULD (`buld`) is its ancestor.

    Not promised: a least set of changes. Confidence is 1.0 for equal subtrees, 0.9 for what was
    voted, 0.7 for what says alike things, 0.5 for what only stands at the same place.

    >>> from treelace.tree import parse
    >>> old = parse("<r><a>tea</a><p>3</p><b/></r>", format="xml")
    >>> new = parse("<r><b/><a>tea</a><p>4</p></r>", format="xml")
    >>> matching = Document().match(old, new)
    >>> [(old[i].tag, new[j].tag) for i, j in matching.elements.pairs]
    [('r', 'r'), ('a', 'a'), ('p', 'p'), ('b', 'b')]
    """

    name: ClassVar[str] = "document"
    keys: Iterable[str] = ()
    """Identifying attributes besides IDs (and `id` in HTML): strong evidence, never a veto."""
    rates: Rates = ()
    """How often the contents of a tag change, in [0, 1]: they count for that much less."""
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", checked_keys(self.keys))
        object.__setattr__(self, "rates", checked_rates(self.rates))

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of nodes."""
        return Matching(
            old,
            new,
            *_kernel.match_document(
                old.kernel,
                new.kernel,
                list(self.keys),
                list(checked_rates(self.rates)),
                self.limits,
            ),
        )
