"""How the experiments on repair are asked for, and how their results are told: what stands on the
command line, a summary, a CSV file.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SEEDS = {"development": 7, "held out": 1007}
"""The seed of the mutations of each half."""


def parser(
    description: str | None, cases: Iterable[str], starts: Iterable[str]
) -> argparse.ArgumentParser:
    """The options that both have."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--half", choices=SEEDS, default="held out")
    made.add_argument("--case", choices=cases, action="append")
    made.add_argument("--start", choices=starts, action="append")
    made.add_argument("--verbose", action="store_true")
    return made


def summary(
    results: Sequence[Any],
    groups: Mapping[str, Iterable[str]],
    head: Sequence[str],
    last: Callable[[Sequence[Any]], str],
) -> str:
    """A table in Markdown, a line for each combination of the fields and values of `groups` that
    has results; `last` fills its last column.
    """
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for values in product(*groups.values()):
        rows = [
            result
            for result in results
            if tuple(getattr(result, name) for name in groups) == values
        ]
        if rows:
            columns, given, wrong = (
                sum(getattr(row, name) for row in rows) for name in ("columns", "given", "wrong")
            )
            restored, left_out = (
                sum(getattr(row, name) for row in rows) / columns
                for name in ("restored", "left_out")
            )
            foreign = sum(row.contaminated for row in rows)
            lines.append(
                f"| {' | '.join(values)} | {len(rows)} | {columns} | {restored:.3f} |"
                f" {left_out:.3f} | {foreign} | {wrong} of {given} ({wrong / max(1, given):.2%}) |"
                f" {last(rows)} |"
            )
    return "\n".join(lines) + "\n"


def write(name: str, title: str, results: Sequence[Any], table: str) -> None:
    """Writes the results and their summary beside the experiment of this name."""
    with (HERE / f"{name}.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=list(asdict(results[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(result) for result in results)
    (HERE / f"{name}.md").write_text(
        f"# {title}\n\n`python -m experiments.wrappers.{name}`\n\n{table}", encoding="utf-8"
    )
