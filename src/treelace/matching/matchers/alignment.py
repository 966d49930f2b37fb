"""The alignment distance of Jiang, Wang and Zhang."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.matching.matchers.restricted import RestrictedDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment(RestrictedDistance):
    """Lets both trees grow by insertions into one shape (Jiang, Wang, Zhang 1995).

    Each place of the common shape then holds a node of one tree, of the other, or of both; the last
    are the pairs. All insertions come before all deletions, which is what makes it dearer than the
    edit distance. With T(v) a subtree, F(v) the forest of its children, c a child, a and b the last
    trees of two forests F and G, and F[..k], F[k..] the trees of F before and from the k-th on:

        A(a, b)  = min( Af(F(a), F(b)) + [a ≠ b],  |T(b)| + min A(a, c) - |T(c)|,  |T(a)| + min A(c,
        b) - |T(c)| ) Af(F, G) = min( Af(F - T(a), G) + |T(a)|,  Af(F, G - T(b)) + |T(b)|,  Af(F -
        T(a), G - T(b)) + A(a, b),
                        1 + min over k of Af(F[..k], G - T(b)) + Af(F[k..], F(b)),
                        1 + min over k of Af(F - T(a), G[..k]) + Af(F(a), G[k..]) )

    Time O(n m (d + d')²) with d, d' the largest numbers of children; memory O(n m + m Σ d² + n Σ
    d'²): it is for small trees, and wide ones are refused early. Between the edit distance and the
    constrained one. Not a metric: it breaks the triangle inequality.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{e{b}{c}}{d}}")
    >>> right = Tree.from_brackets("{a{b}{f{c}{d}}}")
    >>> Alignment().distance(left, right)
    4.0
    """

    name: ClassVar[str] = "alignment"
