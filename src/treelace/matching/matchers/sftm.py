"""Similarity-based Flexible Tree Matching, as its paper has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.matcher import check_counts
from treelace.matching.matching import Matching
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Sftm:
    """Pairs elements by shared tokens, similarity flow, and a random walk over matchings.

    Brisset, Rouvoy, Seinturier, Pawlak: SFTM (Information Systems, 2023), §4, with N the elements
    of the old tree:

        tokens(n) = {absolute XPath, tag, attribute names, words of attribute values}
        eq. 10 IDF(t)    = ln(|N| / |N with t|);  tokens on more than N^alpha nodes are dropped
        eq. 3 s0(n, n') = sum of IDF over shared tokens
        eq. 4 s_i(n, n') += w_i s_{i-1}(parents),  s_i(parents) += v_i s_{i-1}(n, n')
        eq. 5, 6 s         = s_P (1 - |c - c'| / max(c, c')),  c the number of children
        eq. 7, 8 cost      = 1 / (1 + s) for an edge, `no_match` for a node without partner
        eq. 9 f(M)      = exp(-beta c(M) / |M|),  maximised by a Metropolis walk
        eq. 11

    The defaults are the paper's. It never gives `no_match` (w_n): 0.8182 is what the authors'
    benchmark comes to. Where the paper is silent: the edges of s_P > 0 cost what the penalised s
    says; two leaves have no penalty; both equations of a step read the similarities before it; the
    walk keeps a random prefix of the previous matching, in selection order, starts from the greedy
    matching and returns the best one seen. Ties go to document order. Text plays no part and is not
    paired.

    Departures, all off: `as_printed` (Algorithm 2 keeps the cheapest edges instead), `always_rank`
    (paths have a rank in every step), `no_penalty` (eq. 7 left out), `parent_token` (nodes also
    have the rarest token of their parent), `neighbours` (at most so many for a new node),
    `skip_data` (no attributes named `data…`), `latin` (words end at whatever is no Latin letter, as
    the paper's sentence has it; ours at what is no letter or digit, so that `item-12` keeps its
    number), `whole_beyond` (longer values stay whole).
    `Sftm.library()` sets those of the authors' library.

    Confidence is 1 - cost: it ranks pairs, it is no probability. Equal trees are *not* always
    paired node for node. Time O(N f(N) log N), memory O(N f(N)) with f(N) = N^alpha; refused where
    it would pass `limits.memory`.

    >>> from treelace import parse
    >>> old = parse("<ul id=menu><li class=first>a<li class=last>b</ul>")
    >>> new = parse("<ul id=menu><li class=last>b</ul>")
    >>> [(old[i].text, new[j].text) for i, j in Sftm().match(old, new).pairs if old[i].tag == "li"]
    [('b', 'b')]
    """

    name: ClassVar[str] = "sftm"
    pairs_equal_trees: ClassVar[bool] = False
    looks_at_text: ClassVar[bool] = False
    alpha: float = 0.5
    from_parents: tuple[float, ...] = (0.4, 0.04, 0.004)
    to_parents: tuple[float, ...] = (0.8, 0.08, 0.008)
    no_match: float = 0.8182
    beta: float = 2.5
    gamma: float = 0.8
    iterations: int = 10
    seed: int = 0
    as_printed: bool = False
    always_rank: bool = False
    no_penalty: bool = False
    parent_token: bool = False
    neighbours: int = 0
    skip_data: bool = False
    latin: bool = False
    whole_beyond: int = 0
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        for name in ("from_parents", "to_parents"):
            given = getattr(self, name)
            object.__setattr__(
                self, name, (given,) if isinstance(given, (int, float)) else tuple(given)
            )
        check_counts(self, "iterations", "seed", "neighbours", "whole_beyond")

    @classmethod
    def library(cls, **options: Any) -> Sftm:
        """The authors' library: greedy, ranked paths, parent tokens, 100 neighbours, no penalty."""
        settings: dict[str, Any] = {
            "from_parents": (0.36, 0.04, 0.004),
            "to_parents": (0.72, 0.08, 0.008),
            "no_match": 1 / (1 + 1 / 1.2),
            "gamma": 1.0,
            "iterations": 0,
            "always_rank": True,
            "no_penalty": True,
            "parent_token": True,
            "neighbours": 100,
            "skip_data": True,
            "whole_beyond": 8,
        }
        return cls(**(settings | options))

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of elements, and the documents."""
        return Matching(old, new, *_kernel.match_sftm(old.kernel, new.kernel, self, self.limits))

    def graph(self, old: Tree, new: Tree) -> list[tuple[int, int, float]]:
        """Step 4's edges: two element numbers (document order, with templates), similarity s."""
        columns = _kernel.sftm_graph(old.kernel, new.kernel, self, self.limits)
        return list(zip(*(column.tolist() for column in columns), strict=True))
