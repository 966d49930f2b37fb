"""Figure 5: the delta found against the perfect one, on simulated changes of real documents.

    python -m experiments.xydiff.quality [--part tune|report] [--matcher NAME…]

Documents are the old versions of xmlpairs between 5 and 300 KB, split by project: those whose name
has an even hash are for tuning, the others are reported. Writes quality.csv and quality.svg beside
this file.
"""

from __future__ import annotations

import argparse
import csv
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from experiments.charts import Chart, as_svg
from experiments.xydiff.scores import Scores, add
from treelace import diff, parse
from treelace.errors import TreelaceError
from treelace.testing.simulate import Chances, simulate

RATES = (0.01, 0.03, 0.1)


def documents(corpus: Path, part: str) -> list[Path]:
    """The old versions of one half of the projects."""
    rows = list(csv.DictReader((corpus / "data/xmlpairs/index.csv").open()))
    chosen = [row for row in rows if 5_000 <= int(row["bytes_old"]) <= 300_000]
    is_even = {row["id"]: zlib.crc32(row["id"].split("-")[0].encode()) % 2 == 0 for row in chosen}
    return [
        next((corpus / "data/xmlpairs" / name).glob("old.xml*"))
        for name, even in is_even.items()
        if even == (part == "tune")
    ]


def run(paths: list[Path], rate: float, matcher: str, seeds: int) -> Scores:
    """The scores of one matcher at one rate of change."""
    scores = Scores()
    for path in paths:
        tree = parse(path, format="xml")
        for seed in range(seeds):
            try:
                made = simulate(
                    tree, Chances(delete=rate, update=rate, insert=rate, move=rate), seed=seed
                )
            except TreelaceError:
                continue  # a document that does not read back as it was written
            add(scores, made, diff(made.old, made.new, matcher=matcher))
    return scores


def main() -> None:
    """Prints a line for each matcher and rate."""
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--part", choices=["tune", "report"], default="report")
    reader.add_argument("--matcher", nargs="+", default=["document", "buld"])
    reader.add_argument("--most", type=int, default=1000, help="documents at most")
    reader.add_argument("--seeds", type=int, default=5)
    chosen = reader.parse_args()
    paths = documents(Path(os.environ["TREELACE_CORPUS"]), chosen.part)[: chosen.most]
    lines = [
        (
            "matcher",
            "rate",
            "documents",
            "delta / perfect",
            "move precision",
            "move recall",
            "precision to another parent",
            "updates found",
        )
    ]
    for matcher in chosen.matcher:
        for rate in RATES:
            scores = run(paths, rate, matcher, chosen.seeds)
            print(f"{matcher:9} {rate:4.0%} {scores.line()}", flush=True)
            share = scores.share
            figures = (
                scores.bytes / max(1, scores.perfect_bytes),
                share(scores.moves, "right", "found"),
                share(scores.moves, "hit", "true"),
                share(scores.away, "right", "found"),
                share(scores.updates, "hit", "true"),
            )
            lines.append(
                (matcher, str(rate), str(len(paths)), *(f"{figure:.4f}" for figure in figures))
            )
    if chosen.part == "report":
        with (Path(__file__).parent / "quality.csv").open("w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows(lines)
        (Path(__file__).parent / "quality.svg").write_text(drawn(lines), encoding="utf-8")


def drawn(lines: Sequence[tuple[str, ...]]) -> str:
    """The table as pictures: each figure over the share of nodes that change, a line for each
    matcher.
    """
    matchers = list(dict.fromkeys(line[0] for line in lines[1:]))
    columns = {name: k for k, name in enumerate(lines[0]) if k >= 3}
    charts = []
    for name, k in columns.items():
        points = {
            matcher: [
                (100 * float(line[1]), float(line[k])) for line in lines[1:] if line[0] == matcher
            ]
            for matcher in matchers
        }
        charts.append(
            Chart(title=name, x="% of nodes, each of four kinds of change", y=name, lines=points)
        )
    return as_svg(charts)


if __name__ == "__main__":
    main()
