"""The trees that say how sure a pair is: by how much it beats its rivals is not yet how often such
a pair is right.

They look at every pair that was made, once all are, and change none. Some things are seen of each
(`sure.rs`); what beats its rivals by more is never less sure. Twelve mutants of a page teach them,
of all kinds, each as much as the others. A pair of texts teaches where its element has a partner: a
text may outlive its element, which the truth of mutants does not know.
"""

from __future__ import annotations

from functools import partial
from multiprocessing.pool import Pool as Workers
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from experiments.lace_quality.forest import Doubts, flat, joined, packed
from experiments.lace_quality.lessons import NOBODY, UNKNOWN, Lesson
from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TREES = 40
SEEN = 11
RISING = 2
"""The first things seen of a pair can only speak for it: by how much it, and what holds it, beat
their rivals.
"""


def surely(
    lessons: list[Lesson],
    reads_text: bool,
    weights: Floats,
    forest: bytes,
    workers: Workers,
    trees: int = TREES,
) -> bytes:
    """The forest for matching with texts or without, as the kernel reads it, from pairs as they are
    made with these weights and trees.
    """
    look = partial(see, reads_text=reads_text, weights=weights, forest=forest)
    pairs = joined(workers.map(look, lessons, chunksize=4))
    print(f"confidence: {len(pairs.is_true)}", flush=True)
    return packed(flat(grow(pairs, trees)))


def see(lesson: Lesson, reads_text: bool, weights: Floats, forest: bytes) -> Doubts:
    """What there is to see of the pairs of a lesson, and which are right."""
    versions = lesson.read()
    olds, news, seen = _kernel.lace_seen(
        versions.old.kernel,
        versions.new.kernel,
        reads_text,
        weights.astype(np.float32),
        forest,
        DEFAULT_LIMITS,
    )
    partner = versions.partner[olds]
    outlives = (versions.old.kinds[olds] == Kind.TEXT) & (partner == NOBODY)
    known = (partner != UNKNOWN) & ~outlives
    is_true = (partner == news)[known]
    weight = np.full(len(is_true), 1 / max(1, len(is_true)))
    return Doubts(seen.reshape(-1, SEEN)[known], is_true, weight)


def grow(pairs: Doubts, trees: int = TREES) -> Any:
    """Trees that say the log-odds that a pair is right."""
    model = HistGradientBoostingClassifier(
        max_iter=trees,
        max_leaf_nodes=8,
        learning_rate=0.15,
        min_samples_leaf=200,
        l2_regularization=1.0,
        monotonic_cst=[1] * RISING + [0] * (SEEN - RISING),
        early_stopping=False,
        random_state=0,
    )
    return model.fit(
        pairs.features, pairs.is_true, sample_weight=pairs.weight / pairs.weight.mean()
    )
