"""Similarities of two documents, of all pairs of a list, and of two lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.similarity.measure import FeatureMeasure, Measure
from treelace.similarity.measures import DEFAULT, measure_named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treelace.tree import Tree

A = TypeVar("A")
B = TypeVar("B")
Progress: TypeAlias = Callable[[int, int], object]
"""Called now and then with how many of all pairs are done. An exception it raises ends the work."""


def similarity(left: Tree, right: Tree, *, measure: str | Measure = DEFAULT) -> float:
    """How alike two documents are, from 0 (nothing in common) to 1.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b}{b}}")
    >>> right = Tree.from_brackets("{a{b}{c}}")
    >>> similarity(left, right, measure="tag-set")
    0.6666666666666666
    """
    return as_measure(measure).similarity(left, right)


def similarity_matrix(
    trees: Iterable[Tree],
    measure: str | Measure = DEFAULT,
    *,
    progress: Progress | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> NDArray[np.float64]:
    """Similarities of all pairs, as a square array.

    Features are read once for each tree and the trees may be a generator: none is kept. The
    comparisons use all cores without the interpreter lock and stop on Ctrl-C. Memory is the
    features and 8 bytes a pair, which is checked against `limits.memory` first. `limits.seconds` is
    for one page; a matrix may take longer.
    """
    measure = as_measure(measure)
    if isinstance(measure, FeatureMeasure):
        features = measure.together(features_of(trees, measure))
        return compare_all(features, measure, progress=progress, limits=limits)
    trees = list(trees)
    return _pair_by_pair(trees, trees, measure, progress, is_square=True)


def cdist(
    left: Iterable[Tree],
    right: Iterable[Tree],
    measure: str | Measure = DEFAULT,
    *,
    progress: Progress | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> NDArray[np.float64]:
    """Similarities (not distances, despite the name): `left` in rows, `right` in columns."""
    measure = as_measure(measure)
    if isinstance(measure, FeatureMeasure):
        rows = features_of(left, measure)
        features = measure.together(rows + features_of(right, measure))
        return compare_all(
            features[: len(rows)],
            measure,
            with_=features[len(rows) :],
            progress=progress,
            limits=limits,
        )
    return _pair_by_pair(list(left), list(right), measure, progress, is_square=False)


def features_of(trees: Iterable[Tree], measure: FeatureMeasure) -> list[_kernel.Features]:
    """The features of each tree, in order, on all cores; only a few trees are kept at a time."""
    return list(on_all_cores(measure.features, trees))


def on_all_cores(work: Callable[[A], B], things: Iterable[A]) -> Iterator[B]:
    """What `work` makes of each thing, in order, by threads: for work that frees the interpreter.
    Only a few things are taken ahead, and Ctrl-C ends it soon.
    """
    from collections import deque
    from concurrent.futures import Future, ThreadPoolExecutor

    cores = os.cpu_count() or 1
    ahead: deque[Future[B]] = deque()
    with ThreadPoolExecutor(cores) as pool:
        try:
            for thing in things:
                ahead.append(pool.submit(work, thing))
                if len(ahead) > 4 * cores:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def compare_all(
    features: Sequence[_kernel.Features],
    measure: FeatureMeasure,
    *,
    with_: Sequence[_kernel.Features] | None = None,
    progress: Progress | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> NDArray[np.float64]:
    """The matrix of features that `measure` made (and, where it needs that, brought `together`)."""
    return _kernel.compare_all(
        list(features), None if with_ is None else list(with_), measure.comparison, progress, limits
    )


def as_measure(measure: str | Measure) -> Measure:
    """A measure as it is, or the one with this name."""
    if isinstance(measure, str):
        return measure_named(measure)
    if not isinstance(measure, Measure):
        raise UsageError(
            "a measure is a name or has a method similarity(left, right); this is"
            f" {type(measure).__name__}"
        )
    return measure


def _pair_by_pair(
    left: list[Tree],
    right: list[Tree],
    measure: Measure,
    progress: Progress | None,
    *,
    is_square: bool,
) -> NDArray[np.float64]:
    """For measures of two trees at a time."""
    import numpy as np

    pairs = [(i, j) for i in range(len(left)) for j in range(i if is_square else 0, len(right))]
    out = np.empty((len(left), len(right)))
    values = on_all_cores(lambda pair: measure.similarity(left[pair[0]], right[pair[1]]), pairs)
    for done, ((i, j), value) in enumerate(zip(pairs, values, strict=True), 1):
        out[i, j] = value
        if is_square:
            out[j, i] = value
        if progress is not None:
            progress(done, len(pairs))
    return out
