"""Documents as signals, stretched onto each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.similarity.measures.fourier import SeriesMeasure


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWarping(SeriesMeasure):
    """Time-warping distance of two documents' series (rejected by Flesca et al., 3.2).

    With x and y the series of two documents (`Signal`), stretched onto each other in every way that
    keeps their order:

        dist = min over all stretchings of Σ |x(i) − y(j)|        sim = 1 / (1 + dist)

    (Yi, Jagadish, Faloutsos 1998). A document with one more record can be farther away than one of
    another kind that happens to be as long: the paper's point, and a test here. Kept for
    comparison.

    Time O(n m), so this is the one measure that is slow on large pages; memory O(min(n, m)).
    Symmetric; no metric. Needs a collection, as `fourier` does.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b}}")
    >>> right = Tree.from_brackets("{a{b}{b}}")
    >>> round(TimeWarping().distance(left, right), 6)
    2.166945
    """

    name: ClassVar[str] = "time-warping"

    @property
    def comparison(self) -> str:
        """1 / (1 + cost of the best stretching)."""
        return "warping"

    def together(self, features: Sequence[_kernel.Features]) -> Sequence[_kernel.Features]:
        """The series, made with the numbers of one collection."""
        return self.signal.series(features, self.collection)
