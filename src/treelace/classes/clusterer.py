"""Pages into groups, where nobody has said what the groups are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from treelace.classes.estimator import Estimator, as_matrix, compare_pages, read_pages, resolve
from treelace.classes.linkage import cut_at, cut_best, cut_to
from treelace.classes.medoids import build, faster_pam
from treelace.errors import UsageError
from treelace.similarity.measures.design import Design

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from treelace.similarity import Measure

APART = 0.3
"""Pages of other sites or designs are less alike than this (docs/explanation/classes.md)."""
# Kinds of pages inside one site share its frame: they are less alike than _ALIKE, and crisply
# apart.
_ALIKE = 0.7
_CRISP = 0.75


class PageClusterer(Estimator):
    """Puts pages that are alike into one cluster.

    * `linked` (the default): a page belongs with the page it is most like. With `n_clusters` the
      loosest clusters are split until there are so many, where single odd pages do not count as a
      cluster. With `threshold`, clusters are pages that are tied, one to the next, by at least that
      similarity. With neither, the number is found: pages are first parted at 0.3, which tells
      sites and designs apart; a cluster that still holds more than half of all pages, as pages of
      one site do, is split where its parts are less alike than 0.7 into as many as give the best
      mean silhouette, if that is 0.75 or more.
    * `medoids`: `n_clusters` pages that stand for the others, each page with the nearest of them
      (k-medoids by FasterPAM, on distances 1 − similarity): what the papers' k-means on distances
      amounts to.

    Clusters are numbered in the order of their first pages. `fit` takes trees, or what
    `measure.features(tree)` gave; with `measure="precomputed"` a square matrix of similarities. In
    scikit-learn's manner, without needing it. Time O(n²) comparisons on all cores, memory 8 bytes a
    pair.

    >>> from treelace import parse
    >>> lists = [parse(f"<ul class=shop>{'<li>x' * n}</ul>") for n in (1, 2, 3)]
    >>> tables = [parse(f"<table class=data>{'<tr><td>x' * n}</table>") for n in (1, 2, 3)]
    >>> PageClusterer().fit_predict(lists + tables).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    labels_: NDArray[np.int64]
    """The cluster of each page."""
    medoids_: NDArray[np.int64]
    """The most central page of each cluster, with the greatest sum of similarities."""

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        measure: str | Measure = Design.name,
        method: Literal["linked", "medoids"] = "linked",
        threshold: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.measure = measure
        self.method = method
        self.threshold = threshold

    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Finds the clusters of pages `X`; `y` is not looked at."""
        self._check_parameters()
        if self._is_precomputed:
            similarities = as_matrix(X)
            self.n_features_in_ = len(similarities)
        else:
            measure = resolve(self.measure)
            similarities = compare_pages(read_pages(X, measure), None, measure)
        return self.fit_similarities(similarities)

    def fit_predict(self, X: Iterable[Any], y: Any = None) -> NDArray[np.int64]:
        """The cluster of each page."""
        return self.fit(X).labels_

    def fit_similarities(self, similarities: NDArray[np.float64]) -> Self:
        """Finds the clusters of pages with these similarities, whatever `measure` says."""
        self._check_parameters()
        count = len(similarities)
        if self.n_clusters is not None and self.n_clusters > max(count, 1):
            raise UsageError(
                f"n_samples={count} should be >= n_clusters={self.n_clusters}: there are not so"
                " many pages"
            )
        self.labels_ = _numbered(self._found(similarities))
        self.medoids_ = _medoids(similarities, self.labels_)
        return self

    def __sklearn_tags__(self) -> Any:
        return self._tags("clusterer")

    def _check_parameters(self) -> None:
        if self.method not in ("linked", "medoids"):
            raise UsageError(
                f"clusters are found by the method linked or medoids, not {self.method!r}"
            )
        if self.n_clusters is not None and self.n_clusters < 1:
            raise UsageError(f"there is at least one cluster: n_clusters is {self.n_clusters!r}")
        if self.n_clusters is not None and self.threshold is not None:
            raise UsageError("give the number of clusters or the threshold, not both")
        if self.method == "medoids" and self.n_clusters is None:
            raise UsageError(
                "medoids need to know how many: give n_clusters, or use method='linked'"
            )

    def _found(self, similarities: NDArray[np.float64]) -> NDArray[np.int64]:
        import numpy as np

        if not len(similarities):
            return np.zeros(0, dtype=np.int64)
        if self.n_clusters is not None and self.method == "medoids":
            distances = 1.0 - similarities
            medoids = faster_pam(distances, build(distances, self.n_clusters))
            labels: NDArray[np.int64] = distances[:, medoids].argmin(axis=1)
            labels[medoids] = np.arange(len(medoids))  # equal pages may be medoids of two clusters
            return labels
        if self.n_clusters is not None:
            return cut_to(similarities, self.n_clusters)
        if self.threshold is not None:
            return cut_at(similarities, self.threshold)
        parted = cut_at(similarities, APART)
        numbers, sizes = np.unique(parted, return_counts=True)
        if 2 * sizes.max() > len(parted):
            inside = np.flatnonzero(parted == numbers[sizes.argmax()])
            finer = cut_best(similarities[np.ix_(inside, inside)], alike=_ALIKE, enough=_CRISP)
            parted[inside[finer > 0]] = parted.max() + finer[finer > 0]
        return parted


def _numbered(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Clusters numbered in the order of their first pages."""
    import numpy as np

    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


def _medoids(similarities: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    import numpy as np

    found = []
    for number in range(int(labels.max()) + 1 if len(labels) else 0):
        own = np.flatnonzero(labels == number)
        found.append(own[similarities[np.ix_(own, own)].sum(axis=0).argmax()])
    return np.array(found, dtype=np.int64)
