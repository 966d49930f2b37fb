"""Flexible Tree Matching: pairs that may break ancestry, at a price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.matcher import check_counts
from treelace.matching.matching import Matching
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class FlexibleTreeMatching:
    """The cheapest pairs by renames, strange parents and broken siblings, for small trees.

    Kumar, Talton, Ahmad, Roughgarden, Klemmer: Flexible Tree Matching (IJCAI 2011); §3 of the SFTM
    paper. With M(x) the partner of x, C its children and S its siblings, itself included:

        c(m, n) = rename · [labels differ] + ancestry · c_a + siblings · c_s, or `no_match` for a
        node without partner      eq. 1 c_a     = |{x in C(m): M(x) real, not in C(n)}|, and the
        same from n c_s     = |D| / (|I| |F|), and the same from n: D and I the members of S(m) with
        a partner outside of and in S(n),
                  F the distinct parents of all their partners
        f(M)    = exp(-beta c(M)),  maximised by a Metropolis walk
        eq. 2

    While a matching is built c_a and c_s are only known between bounds, and the middle of them is
    used; after each edge that is fixed all of them are estimated anew, and the next edge is taken
    from the cheapest on, each with chance `gamma`. The walk keeps a random prefix of the previous
    matching, starts from the greedy one and returns the cheapest seen: what the papers leave open.
    They also give no weights that fit all; these are ours, as is the number of iterations.

    At most 128 nodes a tree; larger ones are refused (`MatchError`), since a walk costs
    O(iterations · n⁴). The optimum is NP-hard and not promised; nor are equal trees always paired
    node for node. A label is the tag and its attributes, as in SFTM, or with `attributes=False` the
    tag alone, which on pages with many alike tags leaves the walk in the dark. Texts are paired
    afterwards, below their parents. Confidence is 1 / (1 + cost): it ranks pairs, it is no
    probability.

    >>> from treelace.tree import Tree
    >>> old, new = Tree.from_brackets("{a{b}{c}}"), Tree.from_brackets("{a{b{c}}}")
    >>> FlexibleTreeMatching().match(old, new).pairs
    [(0, 0), (1, 1), (2, 2), (3, 3)]
    >>> FlexibleTreeMatching(ancestry=0.5, siblings=0.5).cost(old, new)
    1.5
    """

    name: ClassVar[str] = "flexible-tree-matching"
    pairs_equal_trees: ClassVar[bool] = False
    looks_at_text: ClassVar[bool] = False
    no_match: float = 1.0
    rename: float = 1.0
    ancestry: float = 0.1
    siblings: float = 0.1
    beta: float = 2.5
    gamma: float = 0.8
    iterations: int = 100
    seed: int = 0
    attributes: bool = True
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        check_counts(self, "iterations", "seed")

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of the cheapest matching the walk saw."""
        return Matching(
            old, new, *_kernel.match_ftm(old.kernel, new.kernel, self.attributes, self, self.limits)
        )

    def cost(self, old: Tree, new: Tree) -> float:
        """What the cheapest matching the walk saw costs, nodes without partner included."""
        return _kernel.ftm_search(old.kernel, new.kernel, self.attributes, self, self.limits)[0]
