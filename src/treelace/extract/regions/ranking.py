"""Ranks candidates as a person would, by decision trees learnt from many labelled pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from treelace import _kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treelace.extract.regions.candidates import Candidates


class Ranking(NamedTuple):
    """The numbers of candidates, the likeliest first, ties as found; and how sure each is."""

    order: NDArray[np.uint32]
    beliefs: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees in preorder: node `i` asks whether a feature is at most `bounds[i]`, then
    comes `i + 1`, else `rights[i]`, which is 0 for a leaf. `values[i]` is what the trees believe
    at `i`; a tree adds that of the leaf it ends in to `base`. Sums are logarithms of odds.
    """

    roots: Sequence[int]
    features: Sequence[int]
    bounds: Sequence[float]
    rights: Sequence[int]
    values: Sequence[float]
    base: float

    @cached_property
    def core(self) -> _kernel.Forest:
        """The trees as the kernel has them."""
        return _kernel.Forest(
            roots=list(self.roots),
            features=list(self.features),
            bounds=list(self.bounds),
            rights=list(self.rights),
            values=list(self.values),
            base=self.base,
        )

    def parts(self, row: Sequence[float]) -> dict[int, float]:
        """What each feature adds: the change of belief at the nodes that ask for it."""
        parts: dict[int, float] = {}
        for root in self.roots:
            node = root
            while self.rights[node]:
                feature = self.features[node]
                below = node + 1 if row[feature] <= self.bounds[node] else self.rights[node]
                parts[feature] = parts.get(feature, 0.0) + self.values[below] - self.values[node]
                node = below
        return parts


@cache
def learnt_trees() -> Trees:
    """The trees that `experiments/records` has learnt."""
    from treelace.extract.regions.generated import ranking_trees as made
    from treelace.extract.regions.generated import ranking_values as numbers

    steps = [int(word) for word in made.STEPS.split()]
    features, bounds = map(int, made.FEATURES.split()), map(float, numbers.BOUNDS.split())
    return Trees(
        roots=[int(word) for word in made.ROOTS.split()],
        features=[next(features) if step else 0 for step in steps],
        bounds=[next(bounds) if step else 0.0 for step in steps],
        rights=[step and number + step for number, step in enumerate(steps)],
        values=[float(word) for word in numbers.VALUES.split()],
        base=made.BASE,
    )


def ranking(found: Candidates, *, trees: Trees | None = None) -> Ranking:
    """The ranking of candidates; `trees` are for who learns other ones."""
    import numpy as np

    sums = found.core.weigh((trees or learnt_trees()).core)
    beliefs = 1 / (1 + np.exp(-sums))
    return Ranking(np.argsort(-sums, kind="stable").astype(np.uint32), beliefs)
