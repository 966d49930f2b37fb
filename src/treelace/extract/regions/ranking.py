"""Ranking: which candidate a person would want, by weights learnt from labelled pages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from treelace.extract.regions.candidates import NAMES
from treelace.extract.regions.generated.ranking_weights import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

Weights: TypeAlias = "Mapping[str, tuple[float, float, float]]"
"""For each feature its mean, its spread and its weight."""

FARTHEST = 4.0
"""Spreads from the mean at which a feature stops counting for more."""


class Ranking(NamedTuple):
    """The numbers of candidates, the likeliest first, ties as they were found; and the share of
    belief that each candidate has.
    """

    order: NDArray[np.uint32]
    beliefs: NDArray[np.float64]


def ranking(features: NDArray[np.float64], *, weights: Weights | None = None) -> Ranking:
    """The ranking of candidates by their features; belief is the softmax of the weights, together
    1.
    """
    import numpy as np

    sums = weigh(features, weights)
    powers = np.exp(sums - sums.max())
    return Ranking(np.argsort(-sums, kind="stable").astype(np.uint32), powers / powers.sum())


def weigh(features: NDArray[np.float64], weights: Weights | None = None) -> NDArray[np.float64]:
    """The sum of weight times feature, each feature measured in spreads from its mean over the
    pages the weights were learnt from.
    """
    import numpy as np

    means, spreads, factors = _columns(weights) if weights is not None else _default()
    # not a matrix product: equal rows must get equal sums, wherever they stand
    sums: NDArray[np.float64] = (
        np.clip((features - means) / spreads, -FARTHEST, FARTHEST) * factors
    ).sum(axis=1)
    return sums


@cache
def _default() -> NDArray[np.float64]:
    return _columns(WEIGHTS)


def _columns(weights: Weights) -> NDArray[np.float64]:
    """Means, spreads and weights as rows, features in the order of `NAMES`."""
    import numpy as np

    return np.array([weights[name] for name in NAMES]).T.copy()
