"""Clusterings from their definitions: all pairs, all subsets, nothing clever."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def cost(distances: Matrix, medoids: list[int]) -> float:
    """The sum of distances to the nearest medoid."""
    return sum(
        min(float(distances[page, medoid]) for medoid in medoids) for page in range(len(distances))
    )


def best_exchange(distances: Matrix, medoids: list[int]) -> float:
    """The smallest cost that one exchange leads to."""
    pages = [page for page in range(len(distances)) if page not in medoids]
    return min(
        (
            cost(distances, [*(m for m in medoids if m != out), page])
            for out in medoids
            for page in pages
        ),
        default=float("inf"),
    )


def best_cost(distances: Matrix, count: int) -> float:
    """The smallest cost of all choices."""
    return min(
        cost(distances, list(chosen)) for chosen in combinations(range(len(distances)), count)
    )


def components(matrix: Matrix, threshold: float) -> set[frozenset[int]]:
    """Pages that are connected by similarities of the threshold or more: neighbours added until
    nothing changes.
    """
    found: set[frozenset[int]] = set()
    for page in range(len(matrix)):
        group = {page}
        while True:
            wider = group | {
                other
                for one in group
                for other in range(len(matrix))
                if matrix[one, other] >= threshold
            }
            if wider == group:
                break
            group = wider
        found.add(frozenset(group))
    return found


def silhouette(distances: Matrix, labels: list[int]) -> float:
    """The mean over pages of (b − a) / max(a, b)."""
    values = []
    for page, label in enumerate(labels):
        own = [
            float(distances[page, other])
            for other in range(len(labels))
            if labels[other] == label and other != page
        ]
        others = {
            other: [float(distances[page, i]) for i in range(len(labels)) if labels[i] == other]
            for other in set(labels) - {label}
        }
        if not own:
            values.append(0.0)
            continue
        a, b = sum(own) / len(own), min(sum(one) / len(one) for one in others.values())
        values.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return sum(values) / len(values)
