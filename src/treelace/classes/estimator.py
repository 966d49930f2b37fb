"""What classifier and clusterer share: scikit-learn's interface without scikit-learn."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.similarity import FeatureMeasure, Measure, measure_named
from treelace.similarity.engine import (
    Progress,
    as_measure,
    cdist,
    compare_all,
    features_of,
    similarity_matrix,
)
from treelace.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

PRECOMPUTED = "precomputed"


class Estimator:
    """Parameters as scikit-learn has them: stored by `__init__` as they are, checked in `fit`."""

    measure: str | Measure

    @classmethod
    def _parameters(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Changes parameters; what was learnt stays until the next `fit`."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                raise UsageError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are:"
                    f" {known!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(type(self).__init__).parameters.items()
        }
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name in self._parameters()
            if getattr(self, name) is not defaults[name]
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def _tags(self, kind: str) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        is_matrix = self._is_precomputed
        return Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=kind == "classifier"),
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            input_tags=InputTags(two_d_array=is_matrix, pairwise=is_matrix),
        )

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.measure, str) and self.measure == PRECOMPUTED

    def _check_fitted(self, attribute: str) -> None:
        if not hasattr(self, attribute):
            raise _not_fitted(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with training"
                " pages first."
            )


def read_pages(pages: Iterable[Any], measure: Measure) -> list[Any]:
    """Features of each page (a `Tree` or ready features) in order; trees if there are none."""
    found = list(pages)
    for number, page in enumerate(found):
        if not isinstance(page, (Tree, _kernel.Features)):
            raise UsageError(
                f"a page is a Tree or the features of one; page {number} is a"
                f" {type(page).__name__}: parse it first"
            )
    if not isinstance(measure, FeatureMeasure):
        if any(not isinstance(page, Tree) for page in found):
            raise UsageError(
                f"measure '{measure.name}' compares trees; features cannot stand for them"
            )
        return found
    read = iter(features_of((page for page in found if isinstance(page, Tree)), measure))
    return [next(read) if isinstance(page, Tree) else page for page in found]


def compare_pages(
    rows: list[Any],
    columns: list[Any] | None,
    measure: Measure,
    *,
    progress: Progress | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> NDArray[np.float64]:
    """Similarities of what `read_pages` gave: of all pairs, or of rows with columns."""
    if not isinstance(measure, FeatureMeasure):
        return (
            similarity_matrix(rows, measure, progress=progress)
            if columns is None
            else cdist(rows, columns, measure, progress=progress)
        )
    features = measure.together([*rows, *(columns or ())])
    with_ = None if columns is None else features[len(rows) :]
    return compare_all(
        features[: len(rows)], measure, with_=with_, progress=progress, limits=limits
    )


def resolve(measure: str | Measure) -> Measure:
    """The measure itself."""
    return measure_named(measure) if isinstance(measure, str) else as_measure(measure)


def as_matrix(values: Any, *, columns: int | None = None) -> NDArray[np.float64]:
    """Similarities given as a matrix, checked: square, or with so many columns; finite numbers."""
    import numpy as np

    if hasattr(values, "toarray") or hasattr(values, "todense"):
        raise TypeError(
            "Sparse data was passed, but dense data is required: similarities are a dense array."
        )
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise UsageError("Complex data not supported: similarities are real numbers.")
        matrix = np.asarray(array, dtype=np.float64)
    except TypeError as error:
        raise TypeError(
            f"with measure='precomputed', X is a matrix of similarities: {error}"
        ) from error
    except ValueError as error:
        raise UsageError(
            f"with measure='precomputed', X is a matrix of similarities: {error}"
        ) from error
    if matrix.ndim != 2:
        raise UsageError(
            f"Expected 2D array, got {matrix.ndim}D array instead. Reshape your data: similarities"
            " are a matrix."
        )
    if matrix.shape[0] == 0:
        raise UsageError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if matrix.shape[1] == 0:
        raise UsageError(f"0 feature(s) (shape={matrix.shape}) while a minimum of 1 is required.")
    if not np.isfinite(matrix).all():
        raise UsageError("Input contains NaN or infinity: similarities are finite numbers.")
    if columns is None and matrix.shape[0] != matrix.shape[1]:
        raise UsageError(
            f"similarities of the training pages are a square matrix, not {matrix.shape[0]} ×"
            f" {matrix.shape[1]}"
        )
    if columns is not None and matrix.shape[1] != columns:
        wanted = (
            f"PageClassifier is expecting {columns} features as input: one column for each training"
            " page"
        )
        raise UsageError(f"X has {matrix.shape[1]} features, but {wanted}")
    return matrix


def _not_fitted(message: str) -> Exception:
    """Our own error; for scikit-learn, where it is in use, also its own."""
    import sys

    if "sklearn.exceptions" not in sys.modules:
        return UsageError(message)
    from sklearn.exceptions import NotFittedError

    return type("NotFittedError", (UsageError, NotFittedError), {})(message)  # type: ignore[no-any-return]
