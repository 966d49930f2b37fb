"""RTDM: the restricted top-down distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.matching.matchers.restricted import RestrictedDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class RestrictedTopDown(RestrictedDistance):
    """Top-down, with renames at leaves only (Reis, Golgher, Silva, Laender; WWW 2004).

    The cost of two nodes that meet: 0 if their subtrees are equal; [a ≠ b] + (|T(a)| - 1) + (|T(b)|
    - 1) if either is a leaf; their children lined up if both are inner nodes with equal labels;
    otherwise they do not meet. Roots that do not meet are |T1| + |T2| apart, and nothing is paired.
    We leave out the paper's threshold, above which it gives up.

    Time and memory O(n m) at worst. Ties go to the earliest pairs in the document.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b}{c}}")
    >>> right = Tree.from_brackets("{x{b}{c}}")
    >>> RestrictedTopDown().distance(left, right)
    6.0
    """

    name: ClassVar[str] = "restricted-top-down"
