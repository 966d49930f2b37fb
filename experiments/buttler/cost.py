"""Figures 1 and 2: what the metrics cost, in CPU time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from experiments import data, write
from experiments.buttler.metrics import BASELINES, METRICS, OURS, clusters, distances
from experiments.charts import Chart, as_svg
from treelace import LimitError
from treelace.matching.matchers import matcher_named

HERE = Path(__file__).parent
COUNTS = [10, 32, 100, 316, 1000]
SHARES = [0.01, 0.05, 0.10, 0.15, 0.20, 0.25]
LONGEST = 60.0
"""A metric whose last point took longer than this many seconds is not asked for a larger one."""


def figure1() -> None:
    """Cost of clustering books into six, by number of documents."""
    every = data.books(max(COUNTS))

    def work(metric: str) -> Callable[[int], object]:
        return lambda count: clusters(distances(every[:count], metric), 6)

    lines = {metric: _line(COUNTS, work(metric)) for metric in [*METRICS, *OURS, *BASELINES]}
    _write(
        "figure1",
        "Buttler, Figure 1: cost of clustering book documents",
        "documents",
        lines,
        COUNTS,
    )


def figure2() -> None:
    """Cost of one comparison of two TPC-H documents, features included, by share of the data
    set.
    """
    pairs = {share: (data.tpch(share, seed=1), data.tpch(share, seed=2)) for share in SHARES}

    def work(metric: str) -> Callable[[float], object]:
        if metric in BASELINES:
            matcher: Any = matcher_named(BASELINES[metric])
            return lambda share: matcher.distance(*pairs[share])
        measure = (METRICS | OURS)[metric]
        return lambda share: measure.similarity(*pairs[share])

    lines = {metric: _line(SHARES, work(metric)) for metric in [*METRICS, *OURS, *BASELINES]}
    nodes = {share: len(left) for share, (left, _) in pairs.items()}
    note = (
        "Nodes of a document: "
        + ", ".join(f"{100 * share:.0f} %: {count:,}" for share, count in nodes.items())
        + "."
    )
    _write(
        "figure2",
        "Buttler, Figure 2: cost of one comparison over TPC-H data",
        "share of the data set",
        lines,
        SHARES,
        note,
    )


def _line(sizes: list[Any], work: Callable[[Any], object]) -> list[tuple[float, float]]:
    """Size and CPU seconds, until one takes too long or too much memory."""
    points: list[tuple[float, float]] = []
    for size in sizes:
        try:
            points.append((size, _seconds(partial(work, size))))
        except LimitError:
            break
        if points[-1][1] > LONGEST:
            break
    return points


def _seconds(work: Callable[[], object]) -> float:
    """The least CPU time of a few calls; one call, if that takes over a second."""
    best, spent = math.inf, 0.0
    for _ in range(10):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
        spent += time.process_time() - start
        if spent > 1.0:
            break
    return best


def _write(
    name: str,
    title: str,
    x: str,
    lines: dict[str, list[tuple[float, float]]],
    sizes: list[Any],
    note: str = "",
) -> None:
    rows = [
        [metric, *(f"{dict(line)[size]:.4g}" if size in dict(line) else "–" for size in sizes)]
        for metric, line in lines.items()
    ]
    notes = (
        "CPU seconds, the least of a few runs; – was not run or refused for its memory."
        f" {note}\n\n![{title}]({name}.svg)"
    )
    chart = Chart(title=title, x=x, y="CPU seconds", lines=lines, is_log_x=True, is_log_y=True)
    (HERE / name).with_suffix(".svg").write_text(as_svg([chart], columns=1), encoding="utf-8")
    write.table(
        HERE / name,
        title,
        f"python -m experiments.buttler {name}",
        [x, *map(str, sizes)],
        rows,
        notes,
    )
