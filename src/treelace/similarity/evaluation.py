"""How good a similarity or a clustering is, where the classes are known.

Similarities come as square arrays, classes and clusters as one label for each document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treelace.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def separation_error(
    matrix: ArrayLike, classes: Sequence[Hashable], *, strict: bool = False
) -> float:
    """ε: how likely another class's document is more alike than one's own (Flesca et al., 4).

    The mean over documents i of the share of pairs (j of i's class, k of another) with S(i, j) <
    S(i, k). Equal similarities count half, or with `strict`, as in the paper, nothing. Documents
    alone in their class are left out. Time O(n² log n).

    >>> separation_error([[1, 0.9, 0.2], [0.9, 1, 0.95], [0.2, 0.95, 1]], ["a", "a", "b"])
    0.5
    """
    import numpy as np

    similarities, members = _checked(matrix, classes)
    shares = []
    for i in range(len(members)):
        is_same = members == members[i]
        is_other = ~is_same
        is_same[i] = False
        same, other = similarities[i, is_same], np.sort(similarities[i, is_other])
        if same.size and other.size:
            above, below = (
                np.searchsorted(other, same, "right"),
                np.searchsorted(other, same, "left"),
            )
            worse = (other.size - above).sum() + (0.0 if strict else 0.5 * (above - below).sum())
            shares.append(worse / (same.size * other.size))
    if not shares:
        raise UsageError("ε needs two classes, one of them with two documents")
    return float(np.mean(shares))


def neighbourhood_quality(matrix: ArrayLike, classes: Sequence[Hashable], k: int) -> float:
    """q_k: how many of a document's k nearest are of its class (Flesca et al., section 4).

    The mean over documents i of |F_k(i) ∩ Cl(i)| / min(k, |Cl(i)|), where the k nearest F_k(i)
    contain i itself; of equally near documents the first counts as nearer. Time O(n² log n).

    >>> neighbourhood_quality([[1, 0.9, 0.2], [0.9, 1, 0.95], [0.2, 0.95, 1]], ["a", "a", "b"], 2)
    0.8333333333333334
    """
    import numpy as np

    similarities, members = _checked(matrix, classes)
    if k < 1:
        raise UsageError(f"a neighbourhood holds at least one document: k is {k}")
    qualities = []
    for i in range(len(members)):
        nearest = _order(similarities[i], first=i)[:k]
        qualities.append(
            (members[nearest] == members[i]).sum() / min(k, (members == members[i]).sum())
        )
    return float(np.mean(qualities)) if qualities else 1.0


def neighbour_error(matrix: ArrayLike, classes: Sequence[Hashable], k: int = 1) -> float:
    """How often the k nearest neighbours' majority is the wrong class, leaving one out.

    With k = 1 several equally near documents share the vote; else of equally near documents the
    first counts as nearer, and of classes with equally many votes the one with the nearest document
    wins. Time O(n² log n).

    >>> neighbour_error([[1, 0.9, 0.2], [0.9, 1, 0.95], [0.2, 0.95, 1]], ["a", "a", "b"])
    0.6666666666666666
    """
    similarities, members = _checked(matrix, classes)
    if k < 1:
        raise UsageError(f"somebody must vote: k is {k}")
    if len(members) < 2:
        raise UsageError("a neighbour needs two documents")
    wrong = 0.0
    for i in range(len(members)):
        others = _order(similarities[i], first=i)[1:]
        if k == 1:
            nearest = others[similarities[i, others] == similarities[i, others[0]]]
            wrong += float((members[nearest] != members[i]).mean())
        else:
            votes = Counter(
                members[others[:k]].tolist()
            )  # in order of nearness, so the nearest class wins a draw
            wrong += votes.most_common(1)[0][0] != members[i]
    return wrong / len(members)


@dataclass(frozen=True, slots=True)
class ClassAverages:
    """Mean similarities inside and between classes: the matrix CS of Flesca et al."""

    classes: tuple[Any, ...]
    matrix: NDArray[np.float64]


def class_average_matrix(matrix: ArrayLike, classes: Sequence[Hashable]) -> ClassAverages:
    """CS: mean similarity of different documents of class i (diagonal), or of classes i and j.

    Classes in the order in which they first appear. A class of one document has no pair inside:
    NaN.

    >>> pairs = [[1, 0.9, 0.2], [0.9, 1, 0.4], [0.2, 0.4, 1]]
    >>> class_average_matrix(pairs, ["a", "a", "b"]).matrix.round(2).tolist()
    [[0.9, 0.3], [0.3, nan]]
    """
    import numpy as np

    similarities, members = _checked(matrix, classes)
    names = tuple(dict.fromkeys(classes))
    averages = np.full((len(names), len(names)), np.nan)
    rows = [np.flatnonzero(members == number) for number in range(len(names))]
    for i, left in enumerate(rows):
        for j, right in enumerate(rows):
            block = similarities[np.ix_(left, right)]
            if i != j:
                averages[i, j] = block.mean()
            elif len(left) > 1:
                averages[i, i] = (block.sum() - np.trace(block)) / (len(left) * (len(left) - 1))
    return ClassAverages(names, averages)


def clustering_error(clusters: Sequence[Hashable], truth: Sequence[Hashable]) -> float:
    """Share of documents in the wrong cluster, clusters and classes paired best (Buttler 2004).

    The paper's words describe merged clusters and give no formula; this one gives the percentages
    of its Table III from its Tables IV and V. The truth may be the clusters of another measure.
    Time O(n + c³) for c clusters.

    >>> clustering_error([1, 1, 1, 2, 2, 3], ["a", "a", "b", "b", "b", "b"])
    0.3333333333333333
    """
    table = _contingency(clusters, truth)
    return (len(clusters) - _best_pairing(table)) / len(clusters) if clusters else 0.0


def adjusted_rand(clusters: Sequence[Hashable], truth: Sequence[Hashable]) -> float:
    """Agreement on pairs, corrected for chance (Hubert, Arabie 1985): 1 equal, about 0 random.

    >>> round(adjusted_rand([1, 1, 1, 2, 2, 3], ["a", "a", "b", "b", "b", "b"]), 4)
    0.0367
    """
    table = _contingency(clusters, truth)
    pairs = sum(n * (n - 1) // 2 for row in table for n in row)
    left = sum(n * (n - 1) // 2 for n in map(sum, table))
    right = sum(n * (n - 1) // 2 for n in map(sum, zip(*table, strict=True)))
    total = len(clusters) * (len(clusters) - 1) // 2
    expected = left * right / total if total else 0.0
    most = (left + right) / 2
    return 1.0 if most == expected else (pairs - expected) / (most - expected)


def _checked(
    matrix: ArrayLike, classes: Sequence[Hashable]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The matrix as an array, and the classes as numbers in order of appearance."""
    import numpy as np

    similarities = np.asarray(matrix, dtype=np.float64)
    if similarities.shape != (len(classes), len(classes)):
        raise UsageError(
            f"{len(classes)} classes need a matrix of {len(classes)} × {len(classes)}, not"
            f" {' × '.join(map(str, similarities.shape))}"
        )
    number = {name: i for i, name in enumerate(dict.fromkeys(classes))}
    return similarities, np.array([number[name] for name in classes], dtype=np.int64)


def _order(row: NDArray[np.float64], *, first: int) -> NDArray[np.int64]:
    """Documents from the nearest to the farthest, document `first` before all."""
    import numpy as np

    order = np.argsort(-row, kind="stable")
    return np.concatenate(([first], order[order != first]))


def _contingency(clusters: Sequence[Hashable], truth: Sequence[Hashable]) -> list[list[int]]:
    """How many documents each cluster shares with each class."""
    if len(clusters) != len(truth):
        raise UsageError(f"{len(clusters)} clusters for {len(truth)} documents")
    rows, columns = dict.fromkeys(clusters), dict.fromkeys(truth)
    counts = Counter(zip(clusters, truth, strict=True))
    return [[counts[row, column] for column in columns] for row in rows]


def _best_pairing(table: list[list[int]]) -> int:
    """The greatest sum of a one-to-one pairing of rows and columns: Hungarian method, O(n³)."""
    size = max(len(table), max(map(len, table), default=0))
    cost = [
        [-(table[i][j] if i < len(table) and j < len(table[i]) else 0) for j in range(size)]
        for i in range(size)
    ]
    row_price, column_price = [0] * (size + 1), [0] * (size + 1)
    row_of = [size] * (
        size + 1
    )  # the row paired with each column; column `size` holds the row that is being placed
    for row in range(size):
        row_of[size] = row
        column, slack, came_from, is_done = (
            size,
            [10**18] * size,
            [size] * size,
            [False] * (size + 1),
        )
        while row_of[column] != size:
            is_done[column] = True
            here, least, best = row_of[column], 10**18, size
            for other in range(size):
                if not is_done[other]:
                    reduced = cost[here][other] - row_price[here] - column_price[other]
                    if reduced < slack[other]:
                        slack[other], came_from[other] = reduced, column
                    if slack[other] < least:
                        least, best = slack[other], other
            for other in range(size + 1):
                if is_done[other]:
                    row_price[row_of[other]] += least
                    column_price[other] -= least
                elif other < size:
                    slack[other] -= least
            column = best
        while column != size:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    return -sum(cost[row_of[column]][column] for column in range(size))
