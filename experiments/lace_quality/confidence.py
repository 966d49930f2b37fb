"""The line that makes probabilities of margins: by how much a pair beats all that could be instead,
as log-odds, is not yet how often such a pair is right.
"""

from __future__ import annotations

from functools import partial
from multiprocessing.pool import Pool as Workers
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from experiments.lace_quality.lessons import UNKNOWN, Lesson
from experiments.lace_quality.start import LINE
from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST = 20.0
"""A root, and what is as sure as it, teaches nothing."""
NEAR_COPIES = 3.0
"""How much lessons with copies beside their originals count."""


def line(
    lessons: list[Lesson], reads_text: bool, weights: Floats, forest: bytes, workers: Workers
) -> Floats:
    """What makes log-odds of margins, rounded, from matches as they are made with these weights and
    trees.
    """
    look = partial(margins, reads_text=reads_text, weights=weights, forest=forest)
    parts = workers.map(look, lessons, chunksize=4)
    columns, is_right, weight = (np.concatenate(column) for column in zip(*parts, strict=True))

    def loss(point: Floats) -> tuple[float, Floats]:
        odds = columns @ point
        wrong = weight * (1 / (1 + np.exp(-odds)) - is_right)
        return float(weight @ np.logaddexp(0, np.where(is_right, -odds, odds))), wrong @ columns

    bounds = [(0.1, None), (None, None), (None, 0), (None, 0)]
    found = minimize(loss, np.eye(LINE)[0], jac=True, method="L-BFGS-B", bounds=bounds)
    rounded: Floats = np.round(found.x, 3)
    return rounded


def margins(
    lesson: Lesson, reads_text: bool, weights: Floats, forest: bytes
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Of each pair of elements what its confidence goes by, whether it is right, and its weight."""
    versions = lesson.read()

    def logits(line: Floats) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Floats]:
        (olds, news, sure), *_ = _kernel.lace_study(
            versions.old.kernel,
            versions.new.kernel,
            reads_text,
            np.r_[weights[:-LINE], line].astype(np.float32),
            forest,
            DEFAULT_LIMITS,
            hears=False,
        )
        odds = np.clip(sure, 1e-9, 1 - 1e-9)
        return olds, news, np.log(odds / (1 - odds))

    olds, news, margin = logits(np.eye(LINE)[0])
    columns = np.stack([margin, *(logits(one)[2] for one in np.eye(LINE)[1:])], axis=1)
    is_known = (versions.partner[olds] != UNKNOWN) & (versions.old.kinds[olds] == Kind.ELEMENT)
    keep = is_known & (margin < MOST)
    is_right = (versions.partner[olds] == news)[keep]
    weight = (NEAR_COPIES if lesson.kind == "tool-c" else 1) / max(1, int(is_known.sum()))
    return columns[keep], is_right, np.full(len(is_right), weight)
