"""The trees that look at pairs in doubt.

For every candidate of a row in doubt, in the last round: what the trees look at, and whether it is
the true partner. Gradient boosting (scikit-learn's) with small trees, once with texts and once
without.

In two turns, because what the trees decide in one round is the context of the next. The first grows
a few on every second lesson, where rows in doubt kept the sums of their evidence; the second sees
what these leave in doubt, and grows new ones on all that both saw.
"""

from __future__ import annotations

import struct
from functools import partial
from multiprocessing.pool import Pool as Workers
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from experiments.lace_quality.lessons import UNKNOWN, Lesson
from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TREES = 180
FIRST_TREES = 60
"""In the first turn, whose trees only show what is left in doubt."""
LEAF = 255


class Doubts(NamedTuple):
    """Candidates in doubt: a row of features each, whether true, weight."""

    features: NDArray[np.float32]
    is_true: NDArray[np.bool_]
    weight: Floats


class Forest(NamedTuple):
    """Trees: the first node of each; all nodes, the left child behind its parent: feature (or
    LEAF), right child, bound (or what the leaf says).
    """

    roots: list[int]
    nodes: list[tuple[int, int, float]]


def grown(
    lessons: list[Lesson], reads_text: bool, weights: Floats, workers: Workers, trees: int = TREES
) -> bytes:
    """The forest for matching with texts or without, as the kernel reads it."""
    forest: bytes | None = None
    seen: list[Doubts] = []
    for turn, count in ((1, min(trees, FIRST_TREES)), (2, trees)):
        look = partial(see, reads_text=reads_text, weights=weights, forest=forest)
        seen += workers.map(look, lessons[:: 3 - turn], chunksize=4)
        forest = packed(flat(grow(joined(seen), count)))
        print(f"trees, turn {turn}: {sum(len(part.is_true) for part in seen)}", flush=True)
    assert forest is not None
    return forest


def see(lesson: Lesson, reads_text: bool, weights: Floats, forest: bytes | None) -> Doubts:
    """The candidates in doubt of one lesson."""
    versions = lesson.read()
    olds, news, flat_features = _kernel.lace_doubts(
        versions.old.kernel,
        versions.new.kernel,
        reads_text,
        weights.astype(np.float32),
        forest,
        DEFAULT_LIMITS,
    )
    keep = (versions.partner[olds] != UNKNOWN) & (versions.old.kinds[olds] == Kind.ELEMENT)
    features = flat_features.reshape(len(olds), len(flat_features) // max(1, len(olds)))
    weight = lesson.weight / max(1, int((versions.partner != UNKNOWN).sum()))
    return Doubts(
        features[keep],
        (versions.partner[olds] == news)[keep],
        np.full(int(keep.sum()), weight),
    )


def joined(parts: list[Doubts]) -> Doubts:
    """All of many lessons."""
    some = [part for part in parts if len(part.is_true)]
    return Doubts(*(np.concatenate(column) for column in zip(*some, strict=True)))


def grow(doubts: Doubts, trees: int = TREES) -> Any:
    """Trees that say the log-odds that a candidate is true."""
    model = HistGradientBoostingClassifier(
        max_iter=trees,
        max_leaf_nodes=24,
        learning_rate=0.1,
        min_samples_leaf=100,
        l2_regularization=1.0,
        early_stopping=False,
        random_state=0,
    )
    return model.fit(
        doubts.features, doubts.is_true, sample_weight=doubts.weight / doubts.weight.mean()
    )


def flat(model: Any) -> Forest:
    """The trees of a model; the leaves of the first one also say what the model says before any
    tree.
    """
    forest = Forest([], [])
    nodes = forest.nodes

    def walk(tree: Any, at: int, before: float) -> None:
        node = tree[at]
        if node["is_leaf"]:
            nodes.append((LEAF, 0, float(node["value"]) + before))
            return
        here = len(nodes)
        nodes.append((LEAF, 0, 0.0))
        walk(tree, node["left"], before)
        nodes[here] = (int(node["feature_idx"]), len(nodes), _rounded_down(node["num_threshold"]))
        walk(tree, node["right"], before)

    before = float(np.ravel(model._baseline_prediction)[0])
    for (predictor,) in model._predictors:
        forest.roots.append(len(nodes))
        walk(predictor.nodes, 0, before)
        before = 0.0
    return forest


def _rounded_down(bound: float) -> float:
    """The largest number of 32 bits up to the bound: features have 32 bits, so the same ones are
    below it.
    """
    near = np.float32(bound)
    return float(near if near <= bound else np.nextafter(near, np.float32(-np.inf)))


def both(data: bytes) -> tuple[bytes, bytes]:
    """The two forests of a generated file, as `packed` gives them."""
    trees, nodes = struct.unpack_from("<HH", data)
    end = 4 + 2 * trees + 7 * nodes
    return data[:end], data[end:]


def packed(forest: Forest) -> bytes:
    """What `forest.rs` of the kernel reads: the number of trees and of nodes, where each tree
    starts, and the nodes.
    """
    counts = struct.pack("<HH", len(forest.roots), len(forest.nodes))
    return (
        counts
        + struct.pack(f"<{len(forest.roots)}H", *forest.roots)
        + b"".join(struct.pack("<BHf", *node) for node in forest.nodes)
    )
