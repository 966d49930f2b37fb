"""`python -m experiments.lace_quality.fit --mutants DIR`: fits the weights of lace on the tuning split and writes them into the kernel.

For each stage a conditional logistic regression: which of a node's candidates is the true one, or none, given the matching of the round
before. What the context says depends on the weights, so it is done several times: each turn matches a third of the pages with the
weights so far, adds what it saw to what the turns before saw, fits, and goes half of the way. Easy choices are thinned out and weighted up.

The kernel must be built again afterwards. An hour of CPU or so; needs scipy.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from experiments.lace_quality.mutants import Pair, pairs
from treelace import _kernel, parse
from treelace.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treelace.tree import Tree

    Floats = NDArray[np.float64]

TABLE = Path(__file__).parents[2] / "crates/kernel/src/matching/lace/table.rs"
ROUNDS = (0, 1, 2, 3, 5)
STAGES = 3
TERMS, ALONE, *_ = _kernel.lace_weights()
K = len(TERMS)
RATIO_LOSS = {0: 0.003, 5: 0.002, 10: 0.004, 20: 0.010, 30: 0.018, 50: 0.050}
"""About how much is lost at each percentage: a pair counts by the root of one over it, so that low ratios count too."""
AT_LEAST = {"OtherLabel": -4.0, "GainedWords": -3.0}
"""Mutants gain words and change names less often than pages do."""


@dataclass
class Seen:
    """Candidates of many nodes: evidence, whether true, the node (rising), its weight, its stage."""

    evidence: NDArray[np.float32]
    is_true: NDArray[np.bool_]
    node: NDArray[np.int64]
    weight: Floats
    stage: NDArray[np.int64]


def main() -> int:
    """Fits with texts and without, then the confidence, and writes the table."""
    reader = argparse.ArgumentParser(prog="python -m experiments.lace_quality.fit")
    reader.add_argument("--mutants", type=Path, required=True, help="folder of mutants, as `python -m experiments.lace_quality` makes them")
    reader.add_argument("--turns", type=int, default=3)
    reader.add_argument("--every", type=int, default=1, help="take every n-th pair only")
    chosen = reader.parse_args()
    sample = list(pairs(chosen.mutants, "tune"))[:: chosen.every]
    _, _, with_text, without, _ = _kernel.lace_weights()
    fitted = [_turns(sample, reads_text, np.array(weights), chosen.turns) for reads_text, weights in ((True, with_text), (False, without))]
    line = _line(sample[::10], fitted[0])
    TABLE.write_text(table(fitted[0], fitted[1], line))
    return 0


def _turns(sample: list[Pair], reads_text: bool, weights: Floats, turns: int) -> Floats:
    seen: list[Seen] = []
    for turn in range(turns):
        seen += [see(pair, reads_text, weights) for pair in sample[turn % 3 :: 3]]
        weights = (weights + fit(seen, weights, reads_text)) / 2
        print(f"turn {turn + 1} of {turns}, {'with' if reads_text else 'without'} texts")
    return weights


def scores(evidence: NDArray[np.float32], stage: NDArray[np.int64], weights: Floats) -> Floats:
    """What the weights (of elements, then of texts) say of candidates of elements."""
    by_stage = weights[: STAGES * (K + 2)].reshape(STAGES, K + 2)
    alone: Floats = evidence[:, :ALONE] @ by_stage[-1, :ALONE]
    context: Floats = np.einsum("ij,ij->i", evidence[:, ALONE:], by_stage[stage, ALONE:K])
    result: Floats = alone * by_stage[stage, K] + context - by_stage[stage, K + 1]
    return result


def see(pair: Pair, reads_text: bool, weights: Floats) -> Seen:
    """Matches one pair and keeps the candidates of nodes that are not too easy."""
    old, new = (parse(text, format="html") for text in pair.texts)
    _, rounds, olds, news, flat = _kernel.lace_study(old._core, new._core, reads_text, weights.astype(np.float32), DEFAULT_LIMITS)
    old_nodes, new_nodes = _kernel.element_nodes(old._core), _kernel.element_nodes(new._core)
    partner = np.full(len(old), -1)
    for i, j in pair.truth:
        partner[old_nodes[i]] = new_nodes[j]
    keep = np.isin(rounds, ROUNDS) & np.isin(olds, old_nodes) & np.isin(news, new_nodes)
    evidence, olds, news, stage = flat.reshape(-1, K)[keep], olds[keep], news[keep], np.minimum((rounds[keep].astype(np.int64) + 1) // 2, STAGES - 1)
    node = rounds[keep].astype(np.int64) * len(old) + olds
    order = np.argsort(node, kind="stable")
    evidence, olds, news, stage, node = evidence[order], olds[order], news[order], stage[order], node[order]
    is_true, score = partner[olds] == news, scores(evidence, stage, weights)
    # a rival whose own partner holds it anyway is none
    place = (node // len(old)) * len(new) + news
    held: dict[int, float] = dict(zip(place[is_true].tolist(), score[is_true].tolist(), strict=True))
    holder = np.array([held.get(at, -np.inf) for at in place.tolist()])
    free = is_true | (holder < score + 2)
    evidence, olds, stage, node, is_true, score = (column[free] for column in (evidence, olds, stage, node, is_true, score))
    starts = np.flatnonzero(np.r_[True, node[1:] != node[:-1]])
    sizes = np.diff(np.r_[starts, len(node)])
    has_partner = partner[olds[starts]] >= 0
    finds_it = np.logical_or.reduceat(is_true, starts)
    best_rival = np.maximum.reduceat(np.where(is_true, -np.inf, score), starts)
    right = np.where(finds_it, np.maximum.reduceat(np.where(is_true, score, -np.inf), starts), 0.0)
    margin = right - np.where(has_partner, np.maximum(best_rival, 0), best_rival)
    number = np.arange(len(starts))
    times = np.where(margin < 3, 1, np.where(margin < 5, 4 * (number % 4 == 0), 30 * (number % 30 == 0))) * (finds_it | ~has_partner)
    below = np.minimum(_sizes(old)[olds[starts]], 40) ** 0.4
    weight = times * below / len(old_nodes) / RATIO_LOSS[round(100 * pair.ratio)] ** 0.5
    chosen = np.repeat(times > 0, sizes)
    return Seen(evidence[chosen], is_true[chosen], node[chosen], np.repeat(weight, sizes)[chosen], stage[chosen])


def _sizes(tree: Tree) -> Floats:
    """Nodes in each subtree."""
    sizes = np.ones(len(tree))
    parents = tree.parents.tolist()
    for i in range(len(tree) - 1, 0, -1):
        sizes[parents[i]] += sizes[i]
    return sizes


def fit(seen: list[Seen], weights: Floats, reads_text: bool) -> Floats:
    """New weights for elements: the last stage first, with all terms; the others with what a pair says by itself as one term."""
    evidence, is_true = np.concatenate([part.evidence for part in seen]), np.concatenate([part.is_true for part in seen])
    weight, stage = np.concatenate([part.weight for part in seen]), np.concatenate([part.stage for part in seen])
    node = np.concatenate([part.node + (number << 32) for number, part in enumerate(seen)])
    new = weights.copy()
    by_stage = new[: STAGES * (K + 2)].reshape(STAGES, K + 2)
    last = stage == STAGES - 1
    values, threshold = _logistic(evidence[last], is_true[last], node[last], weight[last], by_stage[-1, :K].copy(), by_stage[-1, K + 1])
    by_stage[-1] = np.r_[values, 1.0, threshold]
    for term, least in AT_LEAST.items():
        by_stage[-1, TERMS.index(term)] = max(by_stage[-1, TERMS.index(term)], least)
    for at in range(STAGES - 1):
        here = stage == at
        columns = np.c_[evidence[here][:, :ALONE] @ by_stage[-1, :ALONE], evidence[here][:, ALONE:]].astype(np.float32)
        values, threshold = _logistic(columns, is_true[here], node[here], weight[here], by_stage[at, [K, *range(ALONE, K)]], by_stage[at, K + 1])
        by_stage[at] = np.r_[np.zeros(ALONE), values[1:], values[0], threshold]
    if not reads_text:
        new[STAGES * (K + 2) :] = new[: STAGES * (K + 2)]
    return new


def _logistic(
    columns: NDArray[np.float32], is_true: NDArray[np.bool_], node: NDArray[np.int64], weight: Floats, start: Floats, threshold: float
) -> tuple[Floats, float]:
    """Weights and threshold that make the true candidate of each node, or none, most likely; near the start, softly."""
    starts = np.flatnonzero(np.r_[True, node[1:] != node[:-1]])
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(node)]))
    has = np.logical_or.reduceat(is_true, starts)
    each = weight[starts] / weight[starts].sum()
    spread = columns.std(axis=0) + 0.01

    def loss(point: Floats) -> tuple[float, Floats]:
        score = columns @ (point[1:] / spread).astype(np.float32)
        top = np.maximum(np.maximum.reduceat(score, starts), point[0])
        likely, none = np.exp(score - top[group]), np.exp(point[0] - top)
        total = np.add.reduceat(likely, starts) + none
        right = np.where(has, np.add.reduceat(np.where(is_true, score, 0), starts), point[0]) - top - np.log(total)
        wrong = (each[group] * (likely / total[group] - is_true)).astype(np.float32)
        away = point[1:] - start * spread
        slope = np.r_[np.sum(each * (none / total - ~has)), (columns.T @ wrong) / spread + 2 * 3e-4 * away]
        return float(-np.sum(each * right) + 3e-4 * np.sum(away**2)), slope

    found = minimize(loss, np.r_[threshold, start * spread], jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return found.x[1:] / spread, float(found.x[0])


def _line(sample: list[Pair], weights: Floats) -> tuple[float, float]:
    """Slope and offset that make probabilities of the margins."""
    slope, offset = _kernel.lace_weights()[4]
    margins, rights = [], []
    for pair in sample:
        old, new = (parse(text, format="html") for text in pair.texts)
        found, *_ = _kernel.lace_study(old._core, new._core, True, weights.astype(np.float32), DEFAULT_LIMITS)
        olds, news, rows = _kernel.element_pairs(old._core, new._core, found[0], found[1])
        sure = np.clip(found[2][rows], 1e-9, 1 - 1e-9)
        margins.append((np.log(sure / (1 - sure)) - offset) / slope)
        rights.append(np.array([(int(i), int(j)) in pair.truth for i, j in zip(olds, news, strict=True)]))
    margin, right = np.concatenate(margins), np.concatenate(rights)

    def loss(point: Floats) -> float:
        odds = point[0] * margin + point[1]
        return float(np.mean(np.logaddexp(0, np.where(right, -odds, odds))))

    found_line = minimize(loss, np.array([slope, offset]), method="Nelder-Mead").x
    return float(found_line[0]), float(found_line[1])


def table(with_text: Floats, without: Floats, line: tuple[float, float]) -> str:
    """The file of the kernel that holds the weights."""
    half = STAGES * (K + 2)
    columns = np.concatenate([part.reshape(STAGES, K + 2) for part in (with_text[:half], with_text[half:], without[:half])])

    def row(values: Floats) -> str:
        return "[" + ", ".join(f"{value:.3f}" if abs(value) >= 5e-4 else "0.0" for value in values) + "]"

    terms = "".join(f"    (Term::{name}, {row(columns[:, at])}),\n" for at, name in enumerate(TERMS))
    return f"""//! The weights of lace. Written by `python -m experiments.lace_quality.fit`.

use super::weights::{{Term, TERMS}};

/// From margins to log-odds.
pub(super) const SLOPE: f32 = {line[0]:.3f};
pub(super) const OFFSET: f32 = {line[1]:.3f};

/// How much of what a pair says by itself counts. By stage: with texts for elements and for texts, without texts for elements.
pub(super) const SHARE: [f32; 9] = {row(columns[:, K])};
/// What a pair must reach. As [`SHARE`].
pub(super) const THRESHOLD: [f32; 9] = {row(columns[:, K + 1])};

/// As [`SHARE`]. What a pair says by itself is weighed once, as in the last stage.
#[rustfmt::skip]
#[allow(clippy::approx_constant)] // chance
pub(super) const TABLE: [(Term, [f32; 9]); TERMS] = [
{terms}];
"""


if __name__ == "__main__":
    sys.exit(main())
