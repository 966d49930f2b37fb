"""The survey's metrics, its baseline, and how it clusters: by k-medoids, and where a metric has
vectors by k-means, as the survey does.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from experiments.data import Page
from treelace import Tree
from treelace.classes.medoids import build, faster_pam
from treelace.matching.matchers import matcher_named
from treelace.similarity import Measure, similarity_matrix
from treelace.similarity.measures.fourier import Fourier
from treelace.similarity.measures.path_binary import PathBinary
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.structure import Structure
from treelace.similarity.measures.tag_weighted import TagWeighted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

METRICS: dict[str, Measure] = {
    "Weighted Tag": TagWeighted(),
    "FFT": Fourier(scheme="multilevel", transform="power-of-two"),
    "Path": PathBinary(),
    "Path Shingles": PathShingles(),
}
OURS: dict[str, Measure] = {"structure (ours)": Structure()}
BASELINES = {
    "TED (Nierman & Jagadish)": "nierman-jagadish",
    "TED (unrestricted)": "tree-edit-distance",
}


def distances(pages: Sequence[Page], metric: str) -> Matrix:
    """1 − similarity of all pairs; for the edit distances d / max(|A|, |B|) over elements, as the
    survey has it, but at most 1.
    """
    import numpy as np

    trees = [page.tree for page in pages]
    if metric not in BASELINES:
        return np.maximum(0.0, 1.0 - similarity_matrix(trees, (METRICS | OURS)[metric]))
    matcher: Any = matcher_named(BASELINES[metric])
    sizes = [_elements(tree) for tree in trees]
    pairs = [(i, j) for i in range(len(trees)) for j in range(i)]
    out = np.zeros((len(trees), len(trees)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        values = pool.map(lambda pair: matcher.distance(trees[pair[0]], trees[pair[1]]), pairs)
        for (i, j), value in zip(pairs, values, strict=True):
            out[i, j] = out[j, i] = min(1.0, value / max(1, sizes[i], sizes[j]))
    return out


def vectors(pages: Sequence[Page], metric: str) -> Matrix | None:
    """How often each tag or each path occurs in each page; None where a metric has no vectors."""
    import numpy as np

    if metric not in ("Weighted Tag", "Path"):
        return None
    rows = []
    for page in pages:
        counts: Counter[str] = Counter()
        paths = [""] * len(page.tree)
        for node in page.tree.elements:
            above = paths[node.parent.index] if node.parent is not None else ""
            paths[node.index] = f"{above}/{node.tag}"
            counts[node.tag if metric == "Weighted Tag" else paths[node.index]] += 1
        rows.append(counts)
    names = sorted(set().union(*rows))
    return np.array([[float(row[name]) for name in names] for row in rows])


def means(rows: Matrix, count: int) -> list[int]:
    """k-means (Lloyd, ten starts of k-means++)."""
    from sklearn.cluster import KMeans

    return [int(n) for n in KMeans(count, n_init=10, random_state=0).fit_predict(rows)]


def _elements(tree: Tree) -> int:
    return int((tree.kinds == 1).sum())


def clusters(matrix: Matrix, count: int) -> list[int]:
    """k-medoids for the survey's k-means on distances (k-means needs vectors): each page's nearest
    medoid, ties to the first.
    """
    medoids = faster_pam(matrix, build(matrix, count))
    return [int(number) for number in matrix[:, sorted(medoids.tolist())].argmin(axis=1)]
