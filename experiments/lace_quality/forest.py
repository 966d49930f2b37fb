"""`python -m experiments.lace_quality.forest --mutants DIR --keep FOLDER --turn N`: grows the trees
that look at pairs in doubt, for the kernel.

On the tuning pages only. For every candidate of a row in doubt, in the last round: what the trees
look at; and whether it is the true partner. Gradient boosting (scikit-learn's) with small trees,
once with texts and once without.

In two turns, because what the trees decide in one round is the context of the next. Turn 1 grows
them on mutants of our tool (split *tune*) where rows in doubt kept the sums of their evidence. Turn
2, with the kernel built again, sees what the trees of turn 1 leave in doubt, on these mutants and
those of the other tool (splits *tune-b* and *tune-d*), and grows new ones on all that both turns
saw. What they saw is kept in FOLDER (2 GB in all).

The kernel must be built again afterwards. Half an hour of CPU or so.
"""

from __future__ import annotations

import argparse
import os
import struct
import sys
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from experiments.lace_quality.fit import RATIO_LOSS
from experiments.lace_quality.mutants import Pair, pairs
from treelace import _kernel, parse
from treelace.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOREST = Path(__file__).parents[2] / "crates/matching/src/lace/generated/forest.bin"
SPLITS = {1: ("tune",), 2: ("tune", "tune-b", "tune-d")}
"""What each turn looks at."""
KINDS = {"base": 1.0, "move": 0.5, "redesign": 0.5}
"""How much a pair of pages of each kind counts."""
LEAF = 255


class Doubts(NamedTuple):
    """Candidates in doubt: a row of features each, whether true, weight."""

    features: NDArray[np.float32]
    is_true: NDArray[np.bool_]
    weight: NDArray[np.float64]


class Forest(NamedTuple):
    """Trees: the first node of each; all nodes, the left child behind its parent: feature (or
    LEAF), right child, bound (or what the leaf says).
    """

    roots: list[int]
    nodes: list[tuple[int, int, float]]


def main() -> int:
    """Sees what is in doubt, grows both forests and writes them."""
    reader = argparse.ArgumentParser(prog="python -m experiments.lace_quality.forest")
    reader.add_argument(
        "--mutants",
        type=Path,
        required=True,
        help="folder of mutants, as `python -m experiments.lace_quality` makes them",
    )
    reader.add_argument("--keep", type=Path, required=True, help="folder for what the turns saw")
    reader.add_argument("--turn", type=int, choices=SPLITS, required=True)
    reader.add_argument("--processes", type=int, default=os.cpu_count())
    chosen = reader.parse_args()
    chosen.keep.mkdir(parents=True, exist_ok=True)
    forests = []
    for reads_text, name in ((True, "with-text"), (False, "without-text")):
        doubts = see_all(chosen.mutants, chosen.turn, reads_text, chosen.processes)
        np.savez(chosen.keep / f"turn-{chosen.turn}-{name}.npz", **doubts._asdict())
        kept = [
            Doubts(**np.load(chosen.keep / f"turn-{turn}-{name}.npz"))
            for turn in range(1, chosen.turn)
        ]
        forests.append(flat(grow(_joined([*kept, doubts]))))
        print(
            f"{name}: {len(doubts.is_true)} candidates seen, {len(forests[-1].nodes)} nodes grown",
            flush=True,
        )
    FOREST.write_bytes(b"".join(map(packed, forests)))
    return 0


def see_all(mutants: Path, turn: int, reads_text: bool, processes: int) -> Doubts:
    """The candidates in doubt of all pages of a turn. Redesigns in which nothing else changed are
    left out, as are large pages.
    """
    found = [
        pair
        for split in SPLITS[turn]
        for pair in pairs(mutants, split)
        if pair.elements <= 5_000 and (pair.kind, pair.ratio) != ("redesign", 0)
    ]
    sample = [pair for pair in found if reads_text or pair.kind == "base"]
    with Pool(processes) as workers:
        parts = workers.map(
            partial(see, reads_text=reads_text, sums_only=turn == 1), sample, chunksize=4
        )
    return _joined([part for part in parts if len(part.is_true)])


def see(pair: Pair, reads_text: bool, sums_only: bool) -> Doubts:
    """The candidates in doubt of one pair of pages."""
    old, new = (parse(text, format="html") for text in pair.texts)
    olds, news, seen = _kernel.lace_doubts(
        old._core, new._core, reads_text, sums_only, DEFAULT_LIMITS
    )
    old_nodes, new_nodes = _kernel.element_nodes(old._core), _kernel.element_nodes(new._core)
    partner = np.full(len(old), -1)
    for i, j in pair.truth:
        partner[old_nodes[i]] = new_nodes[j]
    keep = np.isin(olds, old_nodes) & np.isin(news, new_nodes)
    features = seen.reshape(len(olds), len(seen) // max(1, len(olds)))
    weight = KINDS[pair.kind] / len(old_nodes) / RATIO_LOSS[round(100 * pair.ratio)] ** 0.5
    return Doubts(features[keep], (partner[olds] == news)[keep], np.full(int(keep.sum()), weight))


def _joined(parts: list[Doubts]) -> Doubts:
    return Doubts(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def grow(doubts: Doubts, trees: int = 180) -> Any:
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


if __name__ == "__main__":
    sys.exit(main())
