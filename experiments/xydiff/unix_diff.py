"""Figure 6: the delta against Unix diff, on real versions.

    python -m experiments.xydiff.unix_diff [--matcher NAME…]

Bytes of the whole XML form, envelope and XID maps included, by the bytes of `diff old new`
(xmlpairs/index.csv, and chains/index.csv, whose neighbours are pairs too). Writes unix_diff.csv,
unix_diff_summary.csv and unix_diff.svg.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
from collections.abc import Iterator
from pathlib import Path

from experiments.charts import Chart, as_svg
from experiments.write import picture, rows_as_csv
from experiments.xydiff.scores import delta_bytes
from treelace import diff, parse

CLASSES = ("<10KB", "10-100KB", "100KB-1MB", "1-5MB")
LEAST_DIFF = 200
"""Unix diffs shorter than this are beaten by any envelope; their share is told apart."""


def pairs(corpus: Path) -> Iterator[tuple[str, str, Path, Path, int, int]]:
    """(name, class, old, new, bytes of Unix diff, bytes of the new version) of the pairs, then of
    neighbours in chains.
    """
    folder = corpus / "data/xmlpairs"
    for row in csv.DictReader((folder / "index.csv").open()):
        old, new = (next((folder / row["id"]).glob(f"{side}.xml*")) for side in ("old", "new"))
        sizes = int(row["plain_diff_bytes"]), int(row["bytes_new"])
        yield row["id"], row["size_class"], old, new, *sizes
    last: dict[str, Path] = {}
    for row in csv.DictReader((folder / "chains/index.csv").open()):
        chain = row["chain"]
        path = next((folder / "chains" / chain).glob(f"{int(row['version']):03}.xml*"))
        size = int(row["plain_diff_bytes_from_previous"] or 0)
        if chain in last and size:
            yield f"{chain}/{path.name[:3]}", "chains", last[chain], path, size, int(row["bytes"])
        last[chain] = path


def ratios(corpus: Path, matcher: str) -> list[dict[str, str]]:
    """A row for each pair: name, size class, ratio."""
    found = []
    for name, kind, old, new, size, document in pairs(corpus):
        delta = diff(parse(old, format="xml"), parse(new, format="xml"), matcher=matcher)
        found.append(
            {
                "matcher": matcher,
                "id": name,
                "class": kind,
                "diff": str(size),
                "delta": str(delta_bytes(delta)),
                "ratio": f"{delta_bytes(delta) / size:.4f}",
                "document": str(document),
                "operations": " ".join(f"{kind}={count}" for kind, count in delta.counts.items()),
            }
        )
    return found


def summary(rows: list[dict[str, str]]) -> list[tuple[str, ...]]:
    """Geometric mean and median by matcher and size class, of all pairs and of the larger diffs."""
    lines: list[tuple[str, ...]] = [
        (
            *("matcher", "class", "pairs", "geometric mean", "median", "at most 1.25"),
            "delta / document, median",
        )
    ]
    for matcher in dict.fromkeys(row["matcher"] for row in rows):
        mine = [row for row in rows if row["matcher"] == matcher]
        single = [row for row in mine if row["class"] != "chains"]
        groups = {name: [row for row in mine if row["class"] == name] for name in CLASSES}
        groups["all pairs"] = single
        large = f"all pairs, diff of {LEAST_DIFF} bytes or more"
        groups[large] = [row for row in single if int(row["diff"]) >= LEAST_DIFF]
        groups["chains"] = [row for row in mine if row["class"] == "chains"]
        for name, some in groups.items():
            figures = [float(row["ratio"]) for row in some]
            if figures:
                mean, median = statistics.geometric_mean(figures), statistics.median(figures)
                near = sum(ratio <= 1.25 for ratio in figures) / len(figures)
                share = statistics.median(int(row["delta"]) / int(row["document"]) for row in some)
                texts = (str(len(figures)), *(f"{it:.3f}" for it in (mean, median, near, share)))
                lines.append((matcher, name, *texts))
    return lines


def main() -> None:
    """Prints and writes the ratios, and their means by size class."""
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--matcher", nargs="+", default=["document", "buld"])
    chosen = reader.parse_args()
    rows: list[dict[str, str]] = []
    for matcher in chosen.matcher:
        rows += ratios(Path(os.environ["TREELACE_CORPUS"]), matcher)
    here = Path(__file__).parent
    lines = summary(rows)
    for line in lines:
        print(*line, sep="  ")
    rows_as_csv(here / "unix_diff.csv", [list(rows[0]), *(list(row.values()) for row in rows)])
    rows_as_csv(here / "unix_diff_summary.csv", lines)
    picture(here / "unix_diff.svg", drawn(rows))


def drawn(rows: list[dict[str, str]]) -> str:
    """The ratios in their order, a picture for each size class and a line for each matcher."""
    charts = []
    for name in (*CLASSES, "chains"):
        lines = {}
        for matcher in dict.fromkeys(row["matcher"] for row in rows):
            ratios = sorted(
                float(row["ratio"])
                for row in rows
                if (row["matcher"], row["class"]) == (matcher, name)
            )
            lines[matcher] = [(float(rank), ratio) for rank, ratio in enumerate(ratios, start=1)]
        charts.append(
            Chart(
                title=name,
                x="pairs, the best first",
                y="whole delta / Unix diff",
                lines=lines,
                is_log_y=True,
            )
        )
    return as_svg(charts)


if __name__ == "__main__":
    main()
