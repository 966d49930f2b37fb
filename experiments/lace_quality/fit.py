"""`python -m experiments.lace_quality.fit --mutants DIR`: fits the weights of lace on the tuning
split and writes them into the kernel.

For each stage a conditional logistic regression: which of a node's candidates is the true one, or
none, given the matching of the round before. What the context says depends on the weights, so it is
done several times: each turn matches a third of the pages with the weights so far, adds what it saw
to what the turns before saw, and fits; the first turn takes the fit whole, the others go half of
the way. Easy choices are thinned out and weighted up. Pages whose number is divisible by five are
not fitted to, but measured after every turn, by the sums alone. Pages of over 5,000 elements are
left out.

`--confidence` leaves the weights alone and fits the line from margins to log-odds, from matches as
they are made: run it when the trees are grown (`experiments.lace_quality.forest`), since they
decide which pairs there are.

The kernel must be built again afterwards. Half an hour of CPU or so.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from multiprocessing.pool import Pool as Workers
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from experiments.lace_quality.mutants import Pair, f1, pairs
from treelace import _kernel, parse
from treelace.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treelace.tree import Tree

    Floats = NDArray[np.float64]
    Bounds = tuple[float | None, float | None]

TABLE = Path(__file__).parents[2] / "crates/matching/src/lace/generated/table.rs"
ROUNDS = (0, 1, 2, 3, 5)
STAGES = 3
TERMS, ALONE, *_ = _kernel.lace_weights()
K = len(TERMS)
RATIO_LOSS = {0: 0.003, 5: 0.002, 10: 0.004, 20: 0.010, 30: 0.018, 50: 0.050}
"""About how much is lost at each percentage: a pair counts by the root of one over it, so that low
ratios count too.
"""
POSITIVE = frozenset(
    """Value Words Bag BagMass Digest Frame Shape Beside Path Wandering Chain Side Sides Aligned
    Exchanged Stranger Kids KidsMass Inside SharedLists FarSharedLists""".split()
)
NEGATIVE = frozenset(
    """OtherLabel LostAttribute GainedAttribute LostWords GainedWords BagOther AboveOther OtherShape
    Size KidCount Conflict HalfConflict Orphan Place Near ClosedOld ClosedNew Offset OtherSide
    AlignedElsewhere OtherKids Outside Apart FarApart""".split()
)
"""Terms that by what they measure speak for a pair only, and against one only: a weight of the
other sign would be a habit of these mutants, or make up for another term, and mislead on other
pages. The terms in neither may have either sign. For elements; the weights of text nodes are not
fitted.
"""
AT_LEAST = {"OtherLabel": -4.0, "GainedWords": -3.0}
"""Mutants gain words and change names less often than pages do."""


@dataclass
class Seen:
    """Candidates of many nodes: evidence, whether true, the node (rising), its weight, its
    stage.
    """

    evidence: NDArray[np.float32]
    is_true: NDArray[np.bool_]
    node: NDArray[np.int64]
    weight: Floats
    stage: NDArray[np.int64]


def main() -> int:
    """Fits with texts and without, or the confidence, and writes the table."""
    reader = argparse.ArgumentParser(prog="python -m experiments.lace_quality.fit")
    reader.add_argument(
        "--mutants",
        type=Path,
        required=True,
        help="folder of mutants, as `python -m experiments.lace_quality` makes them",
    )
    reader.add_argument(
        "--confidence",
        action="store_true",
        help="fit the confidence only, with the weights and trees in use",
    )
    reader.add_argument("--turns", type=int, default=3)
    reader.add_argument("--every", type=int, default=2, help="fit to every n-th pair only")
    reader.add_argument("--processes", type=int, default=os.cpu_count())
    chosen = reader.parse_args()
    sample = [pair for pair in pairs(chosen.mutants, "tune") if pair.elements <= 5_000]
    _, _, with_text, without, line = _kernel.lace_weights()
    fitted = [np.array(with_text), np.array(without)]
    with Pool(chosen.processes) as workers:
        if chosen.confidence:
            line = _line(sample[::10], workers)
        else:
            to_fit = [pair for pair in sample[:: chosen.every] if not is_watched(pair)]
            to_watch = [pair for pair in sample if is_watched(pair)]
            for at, reads_text in enumerate((True, False)):
                here, watched = (
                    [pair for pair in part if reads_text or pair.kind == "base"]
                    for part in (to_fit, to_watch)
                )
                fitted[at] = _turns(here, watched, reads_text, fitted[at], chosen.turns, workers)
    TABLE.write_text(table(fitted[0], fitted[1], line))
    return 0


def is_watched(pair: Pair) -> bool:
    """Whether the page is measured in place of being fitted to."""
    return int(pair.folder.name[1:].split("-")[0]) % 5 == 0


def _turns(
    to_fit: list[Pair],
    to_watch: list[Pair],
    reads_text: bool,
    weights: Floats,
    turns: int,
    workers: Workers,
) -> Floats:
    print(
        f"{'with' if reads_text else 'without'} texts; before:"
        f" {_watch(to_watch, reads_text, weights, workers)}",
        flush=True,
    )
    seen: list[Seen] = []
    for turn in range(turns):
        seen += workers.map(
            partial(see, reads_text=reads_text, weights=weights), to_fit[turn % 3 :: 3], chunksize=4
        )
        new = fit(seen, weights, reads_text)
        weights = (weights + new) / 2 if turn else new
        print(
            f"turn {turn + 1} of {turns}: {_watch(to_watch, reads_text, weights, workers)}",
            flush=True,
        )
    return weights


def _watch(sample: list[Pair], reads_text: bool, weights: Floats, workers: Workers) -> str:
    """F1 of these pages by the sums alone, by kind and percentage."""
    by_kind: dict[tuple[str, int], list[float]] = defaultdict(list)
    scores = workers.map(
        partial(_f1_of_sums, reads_text=reads_text, weights=weights), sample, chunksize=4
    )
    for pair, score in zip(sample, scores, strict=True):
        by_kind[pair.kind, round(100 * pair.ratio)].append(score)
    return ", ".join(
        f"{kind} {percent} % {statistics.mean(values):.4f}"
        for (kind, percent), values in sorted(by_kind.items())
    )


def _f1_of_sums(pair: Pair, reads_text: bool, weights: Floats) -> float:
    old, new = (parse(text, format="html") for text in pair.texts)
    found, *_ = _kernel.lace_study(
        old._core,
        new._core,
        reads_text,
        weights.astype(np.float32),
        DEFAULT_LIMITS,
        hears=False,
        sums_only=True,
    )
    olds, news, _ = _kernel.element_pairs(old._core, new._core, found[0], found[1])
    return f1(zip(olds.tolist(), news.tolist(), strict=True), pair.truth)


def score_of(evidence: NDArray[np.float32], stage: NDArray[np.int64], weights: Floats) -> Floats:
    """What the weights (of elements, then of texts) say of candidates of elements."""
    by_stage = weights[: STAGES * (K + 2)].reshape(STAGES, K + 2)
    alone: Floats = evidence[:, :ALONE] @ by_stage[-1, :ALONE]
    context: Floats = np.einsum("ij,ij->i", evidence[:, ALONE:], by_stage[stage, ALONE:K])
    result: Floats = alone * by_stage[stage, K] + context - by_stage[stage, K + 1]
    return result


def see(pair: Pair, reads_text: bool, weights: Floats) -> Seen:
    """Matches one pair and keeps the candidates of nodes that are not too easy."""
    old, new = (parse(text, format="html") for text in pair.texts)
    _, rounds, olds, news, flat = _kernel.lace_study(
        old._core, new._core, reads_text, weights.astype(np.float32), DEFAULT_LIMITS
    )
    old_nodes, new_nodes = _kernel.element_nodes(old._core), _kernel.element_nodes(new._core)
    partner = np.full(len(old), -1)
    for i, j in pair.truth:
        partner[old_nodes[i]] = new_nodes[j]
    keep = np.isin(rounds, ROUNDS) & np.isin(olds, old_nodes) & np.isin(news, new_nodes)
    evidence, olds, news, stage = (
        flat.reshape(-1, K)[keep],
        olds[keep],
        news[keep],
        np.minimum((rounds[keep].astype(np.int64) + 1) // 2, STAGES - 1),
    )
    node = rounds[keep].astype(np.int64) * len(old) + olds
    order = np.argsort(node, kind="stable")
    evidence, olds, news, stage, node = (
        evidence[order],
        olds[order],
        news[order],
        stage[order],
        node[order],
    )
    is_true, score = partner[olds] == news, score_of(evidence, stage, weights)
    # a rival whose own partner holds it anyway is none
    place = (node // len(old)) * len(new) + news
    held: dict[int, float] = dict(
        zip(place[is_true].tolist(), score[is_true].tolist(), strict=True)
    )
    holder = np.array([held.get(at, -np.inf) for at in place.tolist()])
    free = is_true | (holder < score + 2)
    evidence, olds, stage, node, is_true, score = (
        column[free] for column in (evidence, olds, stage, node, is_true, score)
    )
    starts = np.flatnonzero(np.r_[True, node[1:] != node[:-1]])
    sizes = np.diff(np.r_[starts, len(node)])
    has_partner = partner[olds[starts]] >= 0
    finds_it = np.logical_or.reduceat(is_true, starts)
    best_rival = np.maximum.reduceat(np.where(is_true, -np.inf, score), starts)
    right = np.where(finds_it, np.maximum.reduceat(np.where(is_true, score, -np.inf), starts), 0.0)
    margin = right - np.where(has_partner, np.maximum(best_rival, 0), best_rival)
    number = np.arange(len(starts))
    times = np.where(
        margin < 3, 1, np.where(margin < 5, 4 * (number % 4 == 0), 30 * (number % 30 == 0))
    ) * (finds_it | ~has_partner)
    below = np.minimum(_sizes(old)[olds[starts]], 40) ** 0.4
    weight = times * below / len(old_nodes) / RATIO_LOSS[round(100 * pair.ratio)] ** 0.5
    chosen = np.repeat(times > 0, sizes)
    return Seen(
        evidence[chosen],
        is_true[chosen],
        node[chosen],
        np.repeat(weight, sizes)[chosen],
        stage[chosen],
    )


def _sizes(tree: Tree) -> Floats:
    """Nodes in each subtree."""
    sizes = np.ones(len(tree))
    parents = tree.parents.tolist()
    for i in range(len(tree) - 1, 0, -1):
        sizes[parents[i]] += sizes[i]
    return sizes


def fit(seen: list[Seen], weights: Floats, reads_text: bool) -> Floats:
    """New weights for elements: the last stage first, with all terms; the others with what a pair
    says by itself as one term.
    """
    evidence, is_true = (
        np.concatenate([part.evidence for part in seen]),
        np.concatenate([part.is_true for part in seen]),
    )
    weight, stage = (
        np.concatenate([part.weight for part in seen]),
        np.concatenate([part.stage for part in seen]),
    )
    node = np.concatenate([part.node + (number << 32) for number, part in enumerate(seen)])
    new = weights.copy()
    by_stage = new[: STAGES * (K + 2)].reshape(STAGES, K + 2)
    last = stage == STAGES - 1
    bounds = [bounds_of(term) for term in TERMS]
    values, threshold = _logistic(
        evidence[last],
        is_true[last],
        node[last],
        weight[last],
        by_stage[-1, :K].copy(),
        by_stage[-1, K + 1],
        bounds,
    )
    by_stage[-1] = np.r_[values, 1.0, threshold]
    for term, least in AT_LEAST.items():
        by_stage[-1, TERMS.index(term)] = max(by_stage[-1, TERMS.index(term)], least)
    for at in range(STAGES - 1):
        here = stage == at
        columns = np.c_[
            evidence[here][:, :ALONE] @ by_stage[-1, :ALONE], evidence[here][:, ALONE:]
        ].astype(np.float32)
        start = by_stage[at, [K, *range(ALONE, K)]]
        share_first: list[Bounds] = [(0, None), *bounds[ALONE:]]
        values, threshold = _logistic(
            columns,
            is_true[here],
            node[here],
            weight[here],
            start,
            by_stage[at, K + 1],
            share_first,
        )
        by_stage[at] = np.r_[np.zeros(ALONE), values[1:], values[0], threshold]
    if not reads_text:
        new[STAGES * (K + 2) :] = new[: STAGES * (K + 2)]
    return new


def bounds_of(term: str) -> Bounds:
    """Least and greatest weight of a term."""
    return (0, None) if term in POSITIVE else (None, 0) if term in NEGATIVE else (None, None)


def _logistic(
    columns: NDArray[np.float32],
    is_true: NDArray[np.bool_],
    node: NDArray[np.int64],
    weight: Floats,
    start: Floats,
    threshold: float,
    bounds: Sequence[Bounds],
) -> tuple[Floats, float]:
    """Weights and threshold that make the true candidate of each node, or none, most likely; near
    the start, softly.
    """
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
        right = (
            np.where(has, np.add.reduceat(np.where(is_true, score, 0), starts), point[0])
            - top
            - np.log(total)
        )
        wrong = (each[group] * (likely / total[group] - is_true)).astype(np.float32)
        away = point[1:] - start * spread
        slope = np.r_[
            np.sum(each * (none / total - ~has)), (columns.T @ wrong) / spread + 2 * 3e-4 * away
        ]
        return float(-np.sum(each * right) + 3e-4 * np.sum(away**2)), slope

    lowest, highest = np.array(bounds, dtype=float).T  # None is not a number, which bounds nothing
    first = np.r_[threshold, np.fmin(np.fmax(start * spread, lowest), highest)]
    found = minimize(
        loss,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), *bounds],
        options={"maxiter": 250},
    )
    return found.x[1:] / spread, float(found.x[0])


def _line(sample: list[Pair], workers: Workers) -> tuple[float, float]:
    """Slope and offset that make probabilities of the margins of matches with texts."""
    parts = workers.map(_margins, sample, chunksize=4)
    margin, right = (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
    )

    def loss(point: Floats) -> float:
        odds = point[0] * margin + point[1]
        return float(np.mean(np.logaddexp(0, np.where(right, -odds, odds))))

    slope, offset = minimize(loss, np.array(_kernel.lace_weights()[4]), method="Nelder-Mead").x
    return float(slope), float(offset)


def _margins(pair: Pair) -> tuple[Floats, NDArray[np.bool_]]:
    """By how much each pair of elements beats its rivals, and whether it is right."""
    slope, offset = _kernel.lace_weights()[4]
    old, new = (parse(text, format="html") for text in pair.texts)
    found = _kernel.match_lace(old._core, new._core, True, DEFAULT_LIMITS)
    olds, news, rows = _kernel.element_pairs(old._core, new._core, found[0], found[1])
    sure = np.clip(found[2][rows], 1e-9, 1 - 1e-9)
    truth = pair.truth
    right = np.array([key in truth for key in zip(olds.tolist(), news.tolist(), strict=True)])
    return (np.log(sure / (1 - sure)) - offset) / slope, right


def table(with_text: Floats, without: Floats, line: tuple[float, float]) -> str:
    """The file of the kernel that holds the weights."""
    half = STAGES * (K + 2)
    columns = np.concatenate(
        [
            part.reshape(STAGES, K + 2)
            for part in (with_text[:half], with_text[half:], without[:half])
        ]
    )

    def row(values: Floats) -> str:
        return (
            "["
            + ", ".join(f"{value:.3f}" if abs(value) >= 5e-4 else "0.0" for value in values)
            + "]"
        )

    def constant(name: str, values: Floats) -> str:
        """One line, or two as rustfmt cuts it."""
        line = f"pub(super) const {name}: [f32; 9] = {row(values)};"
        return line if len(line) <= 100 else line.replace(" = ", " =\n    ")

    terms = "".join(
        f"    (Term::{name}, {row(columns[:, at])}),\n" for at, name in enumerate(TERMS)
    )
    return f"""//! The weights of lace. Written by `python -m experiments.lace_quality.fit`.

use super::weights::{{Term, TERMS}};

/// From margins to log-odds.
pub(super) const SLOPE: f32 = {line[0]:.3f};
pub(super) const OFFSET: f32 = {line[1]:.3f};

/// How much of what a pair says by itself counts. By stage: with texts for elements and for texts,
/// without texts for elements.
{constant("SHARE", columns[:, K])}
/// What a pair must reach. As [`SHARE`].
{constant("THRESHOLD", columns[:, K + 1])}

/// As [`SHARE`]. What a pair says by itself is weighed once, as in the last stage.
#[rustfmt::skip]
#[allow(clippy::approx_constant)] // chance
pub(super) const TABLE: [(Term, [f32; 9]); TERMS] = [
{terms}];
"""


if __name__ == "__main__":
    sys.exit(main())
