"""Ranking: which candidate a person would want, by weights learnt from labelled pages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from treelace.extract.candidates import candidates
from treelace.extract.features import NAMES, Measured, features
from treelace.extract.ranking_weights import WEIGHTS
from treelace.extract.shapes import Shapes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.extract.candidates import Candidate
    from treelace.extract.view import PageView

Weights: TypeAlias = "Mapping[str, tuple[float, float, float]]"
"""For each feature its mean, its spread and its weight."""

FARTHEST = 4.0
"""Spreads from the mean at which a feature stops counting for more."""


class Ranked(NamedTuple):
    """A candidate with its weight and the share of belief it has: all candidates of a page together have 1."""

    candidate: Candidate
    weight: float
    belief: float


def ranked(view: PageView, *, weights: Weights | None = None) -> list[Ranked]:
    """The candidates of a page, the likeliest first, ties as they were found; belief is the softmax of the weights."""
    shapes = Shapes(view)
    found = candidates(view, shapes)
    if not found:
        return []
    measured = Measured(view, shapes)
    sums = [weigh(features(measured, candidate), weights or WEIGHTS) for candidate in found]
    top = max(sums)
    powers = [math.exp(weight - top) for weight in sums]
    total = sum(powers)
    order = sorted(range(len(found)), key=lambda number: -sums[number])
    return [Ranked(found[number], sums[number], powers[number] / total) for number in order]


def weigh(values: Sequence[float], weights: Weights) -> float:
    """The sum of weight times feature, each feature measured in spreads from its mean over the pages the weights were learnt from."""
    total = 0.0
    for name, value in zip(NAMES, values, strict=True):
        mean, spread, weight = weights[name]
        total += weight * max(-FARTHEST, min(FARTHEST, (value - mean) / spread))
    return total
