"""`python -m experiments.lace_quality.forest --mutants DIR`: grows the trees that look at pairs in doubt, and writes them into the kernel.

On the tuning split only. For every candidate of a row in doubt, in the last round: the evidence by kind, its sum, the rivals; and whether
it is the true partner. Gradient boosting (scikit-learn's) with small trees, once with texts and once without. `--half` leaves the pages
with odd numbers out, to see on them what the trees are worth. The kernel must be built again afterwards. Ten minutes of CPU or so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from experiments.lace_quality.fit import RATIO_LOSS
from experiments.lace_quality.mutants import Pair, pairs
from treelace import _kernel, parse
from treelace.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tree = tuple[list[int], list[tuple[int, float, int]]]

FOREST = Path(__file__).parents[2] / "crates/kernel/src/matching/lace/forest.rs"
FEATURES = len(_kernel.lace_weights()[0]) + 5
LEAF = 255
HEADER = """//! The trees that look at pairs in doubt: with texts, without. Written by `python -m experiments.lace_quality.forest`.

use super::doubt::Node;

/// The first node of each tree.
pub(super) const ROOTS: [&[u16]; 2] = [&WITH_TEXT_ROOTS, &WITHOUT_ROOTS];
/// All nodes.
pub(super) const NODES: [&[Node]; 2] = [&WITH_TEXT, &WITHOUT];
"""
KINDS = {"base": 1.0, "move": 0.5, "redesign": 0.5}
"""How much a pair of pages of each kind counts."""


def main() -> int:
    """Grows both forests and writes them."""
    reader = argparse.ArgumentParser(prog="python -m experiments.lace_quality.forest")
    reader.add_argument("--mutants", type=Path, required=True, help="folder of mutants, as `python -m experiments.lace_quality` makes them")
    reader.add_argument("--half", action="store_true", help="leave the pages with odd numbers out")
    chosen = reader.parse_args()
    sample = [pair for pair in pairs(chosen.mutants, "tune") if pair.elements <= 5_000 and not (chosen.half and _number(pair) % 2)]
    with_text = grow([pair for pair in sample if pair.kind != "redesign" or (pair.ratio > 0 and _number(pair) % 3 == 0)], reads_text=True)
    without = grow([pair for pair in sample if pair.kind == "base"], reads_text=False)
    FOREST.write_text(table(with_text, without))
    return 0


def _number(pair: Pair) -> int:
    return int(pair.folder.name[1:].split("-")[0])


def grow(sample: Sequence[Pair], *, reads_text: bool) -> Tree:
    """The forest of these pairs: where each tree starts, and all nodes."""
    features, is_true, weights = (np.concatenate(column) for column in zip(*(see(pair, reads_text) for pair in sample), strict=True))
    model = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=16, learning_rate=0.18, min_samples_leaf=100, l2_regularization=1.0, early_stopping=False, random_state=0
    )
    return flat(model.fit(features, is_true, sample_weight=weights / weights.mean()))


def see(pair: Pair, reads_text: bool) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float64]]:
    """The candidates in doubt of one pair of pages: features, whether true, weight."""
    old, new = (parse(text, format="html") for text in pair.texts)
    olds, news, seen = _kernel.lace_doubts(old._core, new._core, reads_text, DEFAULT_LIMITS)
    old_nodes, new_nodes = _kernel.element_nodes(old._core), _kernel.element_nodes(new._core)
    partner = np.full(len(old), -1)
    for i, j in pair.truth:
        partner[old_nodes[i]] = new_nodes[j]
    keep = np.isin(olds, old_nodes) & np.isin(news, new_nodes)
    weight = KINDS[pair.kind] / len(old_nodes) / RATIO_LOSS[round(100 * pair.ratio)] ** 0.5
    return seen.reshape(-1, FEATURES)[keep], (partner[olds] == news)[keep], np.full(int(keep.sum()), weight)


def flat(model: Any) -> Tree:
    """The trees of a model as one list of nodes, the left child behind its parent: feature (or LEAF), bound (or value), right child."""
    nodes: list[tuple[int, float, int]] = []
    roots = []
    base = float(np.ravel(model._baseline_prediction)[0]) / len(model._predictors)

    def walk(tree: Any, at: int) -> None:
        node = tree[at]
        if node["is_leaf"]:
            nodes.append((LEAF, float(node["value"]) + base, 0))
            return
        here = len(nodes)
        nodes.append((0, 0.0, 0))
        walk(tree, node["left"])
        nodes[here] = (int(node["feature_idx"]), float(node["num_threshold"]), len(nodes))
        walk(tree, node["right"])

    for (predictor,) in model._predictors:
        roots.append(len(nodes))
        walk(predictor.nodes, 0)
    return roots, nodes


def table(with_text: Tree, without: Tree) -> str:
    """The file of the kernel that holds the trees."""
    parts = [HEADER]
    for name, (roots, nodes) in (("WITH_TEXT", with_text), ("WITHOUT", without)):
        parts.append(f"\n#[rustfmt::skip]\nstatic {name}_ROOTS: [u16; {len(roots)}] = [\n{_lines(map(str, roots))}\n];\n")
        parts.append(f"\n#[rustfmt::skip]\n#[allow(clippy::approx_constant)] // chance\nstatic {name}: [Node; {len(nodes)}] = [\n")
        parts.append(_lines(f"({feature}, {_decimal(value)}, {right})" for feature, value, right in nodes) + "\n];\n")
    return "".join(parts)


def _decimal(value: float) -> str:
    text = f"{value:.4g}"
    return text if "." in text or "e" in text else f"{text}.0"


def _lines(items: Iterable[str], width: int = 148) -> str:
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > width:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join([*lines, line])


if __name__ == "__main__":
    sys.exit(main())
