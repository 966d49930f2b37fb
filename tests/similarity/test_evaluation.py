"""How good a similarity is: the papers' numbers, and other people's implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from treelace import UsageError
from treelace.similarity.evaluation import (
    _best_pairing,
    adjusted_rand,
    class_average_matrix,
    clustering_error,
    neighbour_error,
    neighbourhood_quality,
    separation_error,
)

S = [
    [1, 0.9, 0.4, 0.3, 0.8],
    [0.9, 1, 0.5, 0.2, 0.3],
    [0.4, 0.5, 1, 0.7, 0.6],
    [0.3, 0.2, 0.7, 1, 0.65],
    [0.8, 0.3, 0.6, 0.65, 1],
]
CLASSES = [0, 0, 1, 1, 1]


def test_the_worked_example() -> None:
    assert [neighbourhood_quality(S, CLASSES, k) for k in (1, 2, 3)] == pytest.approx(
        [1, 0.9, 14 / 15]
    )
    assert separation_error(S, CLASSES) == pytest.approx(0.1)
    averages = class_average_matrix(S, CLASSES)
    assert averages.classes == (0, 1)
    np.testing.assert_allclose(averages.matrix, [[0.9, 0.4166667], [0.4166667, 0.65]], atol=1e-6)
    assert neighbour_error(S, CLASSES) == 0.2


def table(rows: list[list[int]]) -> tuple[list[int], list[int]]:
    """Labels of both clusterings from how many documents they share."""
    pairs = [
        (i, j) for i, row in enumerate(rows) for j, count in enumerate(row) for _ in range(count)
    ]
    return [i for i, _ in pairs], [j for _, j in pairs]


def test_the_papers_tables_give_the_papers_percentages() -> None:
    """Buttler's Tables IV and V: FFT and path clusters against those of the tree edit distance;
    Table III says 33 % and 59 %.
    """
    fft = [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [92, 31, 1, 8], [1, 0, 0, 0]]
    path = [
        [26, 1, 0, 0],
        [18, 0, 0, 0],
        [12, 0, 0, 0],
        [18, 0, 0, 0],
        [0, 30, 1, 8],
        [23, 0, 0, 0],
    ]
    assert clustering_error(*table(fft)) == 45 / 137
    assert clustering_error(*table(path)) == 81 / 137


def test_ties() -> None:
    flat = np.ones((4, 4))
    assert separation_error(flat, "aabb") == 0.5
    assert separation_error(flat, "aabb", strict=True) == 0.0
    assert neighbour_error(flat, "aabb") == pytest.approx(2 / 3)
    assert neighbour_error(flat, "aabb", k=3) == 1.0
    assert neighbourhood_quality(flat, "aabb", 2) == 0.75


def test_a_document_alone_in_its_class() -> None:
    averages = class_average_matrix(S, [0, 0, 1, 1, 2]).matrix
    assert math.isnan(averages[2, 2])
    assert separation_error(S, [0, 0, 1, 1, 2]) == pytest.approx(0.0)
    assert neighbour_error(S, [0, 0, 1, 1, 2]) == 0.2


def test_wrong_use_is_said() -> None:
    with pytest.raises(UsageError, match="two classes"):
        separation_error(S, [1] * 5)
    with pytest.raises(UsageError, match="3 classes need a matrix of 3 × 3, not 5 × 5"):
        neighbour_error(S, [1, 2, 3])
    with pytest.raises(UsageError, match="k is 0"):
        neighbourhood_quality(S, CLASSES, 0)
    with pytest.raises(UsageError, match="2 clusters for 3 documents"):
        clustering_error([1, 2], [1, 2, 3])


LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(LABELS)
def test_agreement_of_clusterings(pairs: list[tuple[int, int]]) -> None:
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    assert adjusted_rand(left, right) == pytest.approx(adjusted_rand_score(right, left), abs=1e-12)
    assert clustering_error(left, left) == 0.0
    assert clustering_error(left, right) == clustering_error(right, left)
    assert 0 <= clustering_error(left, right) < 1


@given(st.lists(st.lists(st.integers(0, 9), min_size=5, max_size=5), min_size=1, max_size=8))
def test_the_best_pairing(rows: list[list[int]]) -> None:
    chosen = linear_sum_assignment(np.array(rows), maximize=True)
    assert _best_pairing(rows) == np.array(rows)[chosen].sum()
