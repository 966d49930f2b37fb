"""Zhang's constrained distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.matching.matchers.restricted import RestrictedDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class Constrained(RestrictedDistance):
    """Maps disjoint subtrees to disjoint subtrees (Zhang 1995).

    With T(v) a subtree, F(v) the forest of its children and c a child:

        C(a, b)  = min( Cf(F(a), F(b)) + [a ≠ b],  |T(b)| + min C(a, c) - |T(c)|,  |T(a)| + min C(c,
        b) - |T(c)| ) Cf(F, G) = min( E(F, G; |T|, |T|, C),  |G| + min Cf(F, F(c)) - |F(c)|,  |F| +
        min Cf(F(c), G) - |F(c)| )

    Time O(n m), memory two numbers for each pair of nodes. Between the alignment distance and the
    top-down one; usually equal to the edit distance on pages, at a fraction of its time.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b}{c}{d}}")
    >>> right = Tree.from_brackets("{a{g{b}{c}}{d}}")
    >>> Constrained().distance(left, right)
    3.0
    """

    name: ClassVar[str] = "constrained"
