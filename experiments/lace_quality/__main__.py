"""`python -m experiments.lace_quality --mutants DIR [--split SPLIT] [--every N]`: F1, calibration,
speed of `lace`, in `SPLIT.md`.

SPLIT is tune, report, fresh, blind, or a reading of the other tool (tool-a to tool-d). Needs
TREELACE_CORPUS; mutants that are not in DIR are made first (some minutes of CPU a split). F1 is of
elements, by pair, then the mean over pairs. Speed is the CPU time of matching over that of lxml's
parse of the same two pages, parse excluded.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import lxml.html

from experiments.lace_quality import other_tool
from experiments.lace_quality.mutants import Pair, f1, make, make_others, pairs
from treelace import parse
from treelace.matching.matchers.lace import Lace

SIZES = (
    (200, 5_000, "200 to 5,000 elements"),
    (5_001, 10**9, "over 5,000 elements"),
    (0, 199, "under 200 elements"),
)


def main() -> int:
    """Runs one split."""
    reader = argparse.ArgumentParser(prog="python -m experiments.lace_quality")
    reader.add_argument(
        "--mutants", type=Path, required=True, help="folder of mutants, made where they are missing"
    )
    reader.add_argument(
        "--split",
        choices=("tune", "report", "fresh", "blind", *other_tool.READINGS),
        default="report",
    )
    reader.add_argument("--every", type=int, default=1, help="take every n-th pair only")
    chosen = reader.parse_args()
    _make(chosen.mutants, chosen.split)
    table = report(list(pairs(chosen.mutants, chosen.split))[:: chosen.every])
    text = (
        f"# lace, {chosen.split} split\n\n`python -m experiments.lace_quality --mutants DIR --split"
        f" {chosen.split}`\n\n{table}"
    )
    if chosen.every == 1:
        Path(__file__).with_name(f"{chosen.split}.md").write_text(text)
    print(text)
    return 0


def _make(mutants: Path, split: str) -> None:
    """Makes what is missing of a split, and of those it takes its pages from."""
    corpus = os.environ.get("TREELACE_CORPUS")
    sources = other_tool.SOURCES if split in other_tool.READINGS else (split,)
    if corpus and {"tune", "report"} & set(sources):
        make(Path(corpus) / "data/pages", mutants)
    for source in sources:
        if corpus and source in ("fresh", "blind"):
            make_others(Path(corpus) / "data", mutants, source)
    if split in other_tool.READINGS:
        other_tool.make(mutants, split)


def report(chosen: Iterable[Pair]) -> str:
    """All figures of these pairs, as Markdown."""
    scores: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    sure: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    speed: list[float] = []
    for pair in chosen:
        size = next(name for low, high, name in SIZES if low <= pair.elements <= high)
        percent = round(100 * pair.ratio)
        for condition, reads_text in ((pair.kind, True), (f"{pair.kind}, without text", False)):
            if not reads_text and pair.kind != "base":
                continue
            found, seconds = _match(pair, reads_text)
            truth = pair.truth
            scores[size, condition][percent].append(f1(found, truth))
            sure[condition].extend((confidence, key in truth) for key, confidence in found.items())
            if pair.moved:
                here = {key: value for key, value in found.items() if key[0] in pair.moved}
                scores[size, "the moved elements themselves"][percent].append(
                    f1(here, {key for key in truth if key[0] in pair.moved})
                )
            if reads_text and pair.kind == "base":
                speed.append(seconds / _lxml_seconds(pair))
    lines = ["| pages | mutants | F1 by % of elements mutated | pairs |", "|---|---|---|---|"]
    for (size, condition), by_ratio in scores.items():
        figures = ", ".join(
            f"{percent} %: {statistics.mean(values):.4f}"
            for percent, values in sorted(by_ratio.items())
        )
        lines.append(f"| {size} | {condition} | {figures} | {sum(map(len, by_ratio.values()))} |")
    lines += [
        "",
        "Expected calibration error over ten bins, ratios pooled: "
        + ", ".join(f"{name} {_ece(values):.4f}" for name, values in sure.items())
        + ".",
    ]
    lines += [
        "",
        (
            f"CPU time over lxml's parse of the two pages: median {statistics.median(speed):.1f},"
            f" nine in ten under {_ninth(speed):.1f}."
        ),
        "",
    ]
    return "\n".join(lines)


def _match(pair: Pair, reads_text: bool) -> tuple[dict[tuple[int, int], float], float]:
    old, new = (parse(text, format="html") for text in pair.texts)
    start = time.process_time()
    matching = Lace(text=reads_text).match(old, new)
    seconds = time.process_time() - start
    return {(i, j): confidence for i, j, confidence in matching.element_pairs()}, seconds


def _ece(values: list[tuple[float, bool]]) -> float:
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for confidence, is_right in values:
        bins[min(9, int(confidence * 10))].append((confidence, is_right))
    return sum(
        abs(sum(c for c, _ in part) - sum(right for _, right in part)) for part in bins
    ) / len(values)


def _lxml_seconds(pair: Pair) -> float:
    def once() -> float:
        start = time.process_time()
        for text in texts:
            lxml.html.document_fromstring(text)
        return time.process_time() - start

    texts = pair.texts
    return min(once() for _ in range(3))


def _ninth(values: list[float]) -> float:
    return sorted(values)[int(0.9 * (len(values) - 1))]


if __name__ == "__main__":
    sys.exit(main())
