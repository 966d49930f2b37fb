"""Weights of lace from what it sees while it matches.

For each stage a conditional logistic regression: which of a node's candidates is the true one, or
none, given the matching of the round before. What the context says depends on the weights, so it is
done in turns: each matches a part of the lessons with the weights so far, adds what it saw to what
the turns before saw, and fits; the first turn takes the fit whole, the others go half of the way.
Easy choices are thinned out and weighted up. Elements and texts are fitted alike, each by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.pool import Pool as Workers
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from experiments.lace_quality.lessons import NOBODY, UNKNOWN, Lesson, Versions
from experiments.lace_quality.start import (
    ALONE,
    AT_LEAST,
    HALF,
    NEGATIVE,
    POSITIVE,
    STAGES,
    TERMS,
    K,
)
from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treelace.tree import Tree

    Floats = NDArray[np.float64]
    Bounds = tuple[float | None, float | None]

ROUNDS = (0, 1, 2, 3, 5)
TURNS = 3


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


def fitted(lessons: list[Lesson], reads_text: bool, weights: Floats, workers: Workers) -> Floats:
    """Weights for matching with texts or without, from those to start with on."""
    seen: list[tuple[Seen, Seen]] = []
    for turn in range(TURNS):
        look = partial(see, reads_text=reads_text, weights=weights)
        seen += workers.map(look, lessons[turn::TURNS], chunksize=4)
        elements, texts = ([part[side] for part in seen] for side in (0, 1))
        new = weights.copy()
        new[:HALF] = fit(elements, weights[:HALF])
        new[HALF : 2 * HALF] = fit(texts, weights[HALF : 2 * HALF]) if reads_text else new[:HALF]
        weights = np.round((weights + new) / 2 if turn else new, 3)
        print(f"fit {turn + 1} of {TURNS}: {sum(len(part.node) for part in elements)}", flush=True)
    return weights


def see(lesson: Lesson, reads_text: bool, weights: Floats) -> tuple[Seen, Seen]:
    """Matches the two versions, by the sums alone, and keeps the candidates of elements, and of
    texts, that are not too easy.
    """
    versions = lesson.read()
    _, rounds, olds, news, flat = _kernel.lace_study(
        versions.old.kernel,
        versions.new.kernel,
        reads_text,
        weights.astype(np.float32),
        None,
        DEFAULT_LIMITS,
    )
    evidence = flat.reshape(-1, K)
    is_known = np.isin(rounds, ROUNDS) & (versions.partner[olds] != UNKNOWN)
    is_text = versions.old.kinds[olds] == Kind.TEXT

    def part(keep: NDArray[np.bool_], half: Floats) -> Seen:
        order = np.flatnonzero(keep)
        order = order[np.lexsort((olds[order], rounds[order]))]
        columns = rounds[order].astype(np.int64), olds[order], news[order], evidence[order]
        return _not_too_easy(versions, *columns, half)

    return (
        part(is_known & ~is_text, weights[:HALF]),
        part(is_known & is_text, weights[HALF : 2 * HALF]),
    )


def _not_too_easy(
    versions: Versions,
    rounds: NDArray[np.int64],
    olds: NDArray[np.uint32],
    news: NDArray[np.uint32],
    evidence: NDArray[np.float32],
    weights: Floats,
) -> Seen:
    partner, old = versions.partner, versions.old
    stage = np.minimum((rounds + 1) // 2, STAGES - 1)
    node = rounds * len(old) + olds
    is_true, score = partner[olds] == news, score_of(evidence, stage, weights)
    # a rival whose own partner holds it anyway is none
    place = rounds * len(versions.new) + news
    held = dict(zip(place[is_true].tolist(), score[is_true].tolist(), strict=True))
    holder = np.array([held.get(at, -np.inf) for at in place.tolist()])
    free = is_true | (holder < score + 2)
    evidence, olds, stage, node, is_true, score = (
        column[free] for column in (evidence, olds, stage, node, is_true, score)
    )
    if not len(node):
        return Seen(evidence, is_true, node, np.zeros(0), stage)
    starts = np.flatnonzero(np.r_[True, node[1:] != node[:-1]])
    sizes = np.diff(np.r_[starts, len(node)])
    has_partner = partner[olds[starts]] != NOBODY
    finds_it = np.logical_or.reduceat(is_true, starts)
    best_rival = np.maximum.reduceat(np.where(is_true, -np.inf, score), starts)
    right = np.where(finds_it, np.maximum.reduceat(np.where(is_true, score, -np.inf), starts), 0.0)
    margin = right - np.where(has_partner, np.maximum(best_rival, 0), best_rival)
    number = np.arange(len(starts))
    times = np.where(
        margin < 3, 1, np.where(margin < 5, 4 * (number % 4 == 0), 30 * (number % 30 == 0))
    ) * (finds_it | ~has_partner)
    below = np.minimum(_sizes(old)[olds[starts]], 40) ** 0.4
    weight = times * below * versions.lesson.weight / max(1, int((partner != UNKNOWN).sum()))
    chosen = np.repeat(times > 0, sizes)
    return Seen(
        evidence[chosen],
        is_true[chosen],
        node[chosen],
        np.repeat(weight, sizes)[chosen],
        stage[chosen],
    )


def score_of(evidence: NDArray[np.float32], stage: NDArray[np.int64], weights: Floats) -> Floats:
    """What the weights of one kind of node say of candidates."""
    by_stage = weights.reshape(STAGES, K + 2)
    alone: Floats = evidence[:, :ALONE] @ by_stage[-1, :ALONE]
    context: Floats = np.einsum("ij,ij->i", evidence[:, ALONE:], by_stage[stage, ALONE:K])
    result: Floats = alone * by_stage[stage, K] + context - by_stage[stage, K + 1]
    return result


def _sizes(tree: Tree) -> Floats:
    """Nodes in each subtree."""
    return (tree.ends - np.arange(len(tree))).astype(np.float64)


def fit(seen: list[Seen], weights: Floats) -> Floats:
    """New weights for one kind of node: the last stage first, with all terms; the others with what
    a pair says by itself as one term.
    """
    evidence, is_true, weight, stage = (
        np.concatenate([getattr(part, name) for part in seen])
        for name in ("evidence", "is_true", "weight", "stage")
    )
    node = np.concatenate([part.node + (number << 32) for number, part in enumerate(seen)])
    new = weights.copy()
    by_stage = new.reshape(STAGES, K + 2)
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
        share_first: list[Bounds] = [(0, None), *bounds[ALONE:]]
        values, threshold = _logistic(
            columns,
            is_true[here],
            node[here],
            weight[here],
            by_stage[at, [K, *range(ALONE, K)]],
            by_stage[at, K + 1],
            share_first,
        )
        by_stage[at] = np.r_[np.zeros(ALONE), values[1:], values[0], threshold]
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
        options={"maxiter": 60},
    )
    return found.x[1:] / spread, float(found.x[0])
