"""Pages into classes that are known by example, or into none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from treelace.classes.estimator import Estimator, as_matrix, compare_pages, read_pages, resolve
from treelace.errors import UsageError
from treelace.similarity.measures import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from treelace.similarity import Measure

UNCLASSIFIED = "unclassified"

# docs/explanation/classes.md: how thresholds are learnt, and why from these numbers.
_LOOSEST = 0.1
"""The share of a class's pages that may stand further apart than its threshold is learnt from."""
_LONE_PAGE = 0.6
"""The threshold of the only page there is: nothing else says anything about the scale."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the classifier says of a page."""

    label: Any
    """The class, or None: the page is of no class that is known."""
    similarity: float
    """How alike the page and the nearest class are."""
    nearest: Any
    """The nearest class, joined or not."""
    threshold: float
    """How alike a page of that class has to be."""


class PageClassifier(Estimator):
    """Says which class a page belongs to, or that it belongs to none (Flesca et al., section 2.2).

    A page joins the class that is nearest, if it is near enough. How near a class is:

    * `any`: the similarity of its nearest page; with k > 1 the class with most votes of the k
      nearest pages is asked;
    * `strict`: the similarity of its farthest page, so that a page is near to each page of its
      class.

    Near enough is the class's threshold. By default it is learnt, on the scale of the measure:
    compare each training page of a class with the others of its class in the same way, and let
    `own` be the similarity that nine tenths reach. The threshold is a share (`share`, five sixths)
    of `own`; or what nine tenths of the training pages of other classes stay below, if that is
    more, but never more than `own`. A class of one page has the median of the other thresholds, or
    has to be twice as near as the nearest other class. `floor` is a least threshold, for callers
    who know the scale of their measure; 0 by default.

    `fit` and `predict` take trees, or what `measure.features(tree)` gave; with
    `measure="precomputed"` matrices of similarities, one column for each training page. In
    scikit-learn's manner: parameters are attributes, what is learnt ends in an underscore, `clone`
    and pipelines work; scikit-learn itself is not needed. Time O(pages · training pages)
    comparisons on all cores. Of equally near classes the first in order.

    >>> from treelace import parse
    >>> lists = [parse(f"<ul class=shop>{'<li>x' * n}</ul>") for n in (1, 2, 3)]
    >>> tables = [parse(f"<table class=data>{'<tr><td>x' * n}</table>") for n in (1, 2, 3)]
    >>> classifier = PageClassifier().fit(lists + tables, ["list"] * 3 + ["table"] * 3)
    >>> new = ["<ul class=shop><li>1<li>2<li>3<li>4</ul>", "<form><input name=q></form>"]
    >>> classifier.predict([parse(page) for page in new]).tolist()
    ['list', 'unclassified']
    """

    classes_: NDArray[Any]
    """The classes, in order."""
    thresholds_: NDArray[np.float64]
    """How alike a page has to be, for each class."""

    def __init__(
        self,
        *,
        measure: str | Measure = DEFAULT,
        mode: Literal["any", "strict"] = "any",
        k: int = 1,
        threshold: float | None = None,
        share: float = 5 / 6,
        floor: float = 0.0,
        unclassified: Any = UNCLASSIFIED,
    ) -> None:
        self.measure = measure
        self.mode = mode
        self.k = k
        self.threshold = threshold
        self.share = share
        self.floor = floor
        self.unclassified = unclassified

    def fit(self, X: Iterable[Any], y: Sequence[Any] | ArrayLike | None = None) -> Self:
        """Learns from pages `X` with their classes `y`."""
        import numpy as np

        self._check_parameters()
        if y is None:
            raise UsageError(
                "This classifier requires y to be passed, but the target y is None: give the class"
                " of each page."
            )
        if self._is_precomputed:
            similarities = as_matrix(X)
            self._pages: list[Any] = []
            self.n_features_in_ = len(similarities)
        else:
            self._pages = read_pages(X, resolve(self.measure))
            similarities = compare_pages(self._pages, None, resolve(self.measure))
        if not len(similarities):
            raise UsageError("a classifier needs training pages: there are none")
        labels = _checked_labels(y, len(similarities))
        self.classes_, self._members = np.unique(labels, return_inverse=True)
        self.thresholds_ = (
            self._learnt(similarities)
            if self.threshold is None
            else np.full(len(self.classes_), float(self.threshold))
        )
        return self

    def predict(self, X: Iterable[Any]) -> NDArray[Any]:
        """The class of each page, or `unclassified`."""
        import numpy as np

        verdicts = self.classify(X)
        labels = [
            self.unclassified if verdict.label is None else verdict.label for verdict in verdicts
        ]
        if (
            any(verdict.label is None for verdict in verdicts)
            and self.classes_.dtype.kind not in "UO"
        ):
            mixed = np.empty(len(labels), dtype=object)
            mixed[:] = labels
            return mixed
        return np.array(
            labels, dtype=None if self.classes_.dtype.kind == "U" else self.classes_.dtype
        )

    def classify(self, X: Iterable[Any]) -> list[Verdict]:
        """The same with how near each page is, and how near it would have to be."""
        self._check_fitted("classes_")
        if self._is_precomputed:
            similarities = as_matrix(X, columns=len(self._members))
        else:
            measure = resolve(self.measure)
            similarities = compare_pages(read_pages(X, measure), self._pages, measure)
        return [self._verdict(row) for row in similarities]

    def score(self, X: Iterable[Any], y: Sequence[Any] | ArrayLike) -> float:
        """The share of pages that are given their class."""
        predicted = self.predict(X)
        truth = _checked_labels(y, len(predicted))
        return sum(
            bool(one == other)
            for one, other in zip(predicted.tolist(), truth.tolist(), strict=True)
        ) / len(predicted)

    def __sklearn_tags__(self) -> Any:
        return self._tags("classifier")

    def _check_parameters(self) -> None:
        if not 0 < self.share <= 1 or not 0 <= self.floor <= 1:
            raise UsageError(
                f"share and floor are parts of one, not {self.share!r} and {self.floor!r}"
            )
        if self.mode not in ("any", "strict"):
            raise UsageError(f"a classifier's mode is any or strict, not {self.mode!r}")
        if self.k < 1:
            raise UsageError(f"somebody must vote: k is {self.k!r}")
        if self.k > 1 and self.mode == "strict":
            raise UsageError(
                "the nearest pages vote in mode any only: in mode strict every page of a class has"
                " a say, so k is 1"
            )

    def _nearness(
        self, row: NDArray[np.float64], members: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Nearness of each class by its training pages; minus infinity for a class without any."""
        import numpy as np

        near = np.full(len(self.classes_), -np.inf if self.mode == "any" else np.inf)
        (np.maximum if self.mode == "any" else np.minimum).at(near, members, row)
        near[np.bincount(members, minlength=len(near)) == 0] = -np.inf
        return near

    def _learnt(self, similarities: NDArray[np.float64]) -> NDArray[np.float64]:
        """The threshold of each class from how alike its own training pages are, and the others."""
        import numpy as np

        thresholds = np.full(len(self.classes_), np.nan)
        lone = np.full(len(self.classes_), _LONE_PAGE)
        for number in range(len(self.classes_)):
            is_own = self._members == number
            others = self._nearest(similarities[np.ix_(~is_own, is_own)])
            block = similarities[np.ix_(is_own, is_own)].copy()
            np.fill_diagonal(block, -np.inf if self.mode == "any" else np.inf)
            if len(block) > 1:
                own = float(np.quantile(self._nearest(block), _LOOSEST))
                near = float(np.quantile(others, 1 - _LOOSEST)) if len(others) else -np.inf
                thresholds[number] = min(own, max(self.share * own, near))
            elif len(others) and others.max() > 0:
                # half the distance, where the similarity is 1 / (1 + distance)
                lone[number] = 2 / (1 + 1 / others.max())
        known = thresholds[~np.isnan(thresholds)]
        missing = np.isnan(thresholds)
        thresholds[missing] = np.median(known) if len(known) else lone[missing]
        bounded: NDArray[np.float64] = np.maximum(thresholds, self.floor)
        return bounded

    def _nearest(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """How near each row is to the pages of the columns, by the mode."""
        nearest: NDArray[np.float64] = rows.max(axis=1) if self.mode == "any" else rows.min(axis=1)
        return nearest

    def _verdict(self, row: NDArray[np.float64]) -> Verdict:
        import numpy as np

        near = self._nearness(row, self._members)
        number = int(near.argmax())
        if self.k > 1:
            voters = self._members[np.argsort(-row, kind="stable")[: self.k]]
            number = Counter(voters.tolist()).most_common(1)[0][
                0
            ]  # in order of nearness, so the nearest class wins a draw
        label, threshold = self.classes_[number], float(self.thresholds_[number])
        label = label.item() if isinstance(label, np.generic) else label
        return Verdict(
            label if near[number] >= threshold else None, float(near[number]), label, threshold
        )


def _checked_labels(labels: Any, count: int) -> NDArray[Any]:
    import numpy as np

    array = np.asarray(labels)
    if array.ndim == 2 and array.shape[1] == 1:
        import warnings

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.",
            _conversion_warning(),
            stacklevel=3,
        )
        array = array.ravel()
    if array.ndim != 1:
        raise UsageError(
            f"y should be a 1d array, one class for each page; got an array of shape {array.shape}"
            " instead."
        )
    if len(array) != count:
        raise UsageError(
            f"Found input variables with inconsistent numbers of samples: {count} pages,"
            f" {len(array)} classes."
        )
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise UsageError("Input y contains NaN or infinity.")
        if (array != array.round()).any():
            raise UsageError("Unknown label type: continuous. Classes are names or whole numbers.")
    if array.dtype.kind == "c":
        raise UsageError("Complex data not supported: classes are names or whole numbers.")
    return array


def _conversion_warning() -> type[Warning]:
    import sys

    if "sklearn.exceptions" in sys.modules:
        from sklearn.exceptions import DataConversionWarning

        return DataConversionWarning  # type: ignore[no-any-return]
    return UserWarning
