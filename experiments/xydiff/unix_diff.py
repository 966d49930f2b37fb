"""Figure 6: the delta against Unix diff, on real versions.

    python -m experiments.xydiff.unix_diff [--matcher NAME…]

Bytes of the XML form, XID maps and a header of 300 bytes apart, by the bytes of `diff old new`
(xmlpairs/index.csv). Writes unix_diff.csv and unix_diff.svg.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
from pathlib import Path

from experiments.charts import Chart, as_svg
from experiments.xydiff.scores import delta_bytes
from treelace import diff, parse

CLASSES = ("<10KB", "10-100KB", "100KB-1MB", "1-5MB")
HEADER = 300


def ratios(corpus: Path, matcher: str) -> list[dict[str, str]]:
    """A row for each pair: name, size class, ratio."""
    found = []
    for row in csv.DictReader((corpus / "data/xmlpairs/index.csv").open()):
        folder = corpus / "data/xmlpairs" / row["id"]
        old, new = (
            parse(next(folder.glob(f"{which}.xml*")), format="xml") for which in ("old", "new")
        )
        delta = diff(old, new, matcher=matcher)
        ratio = max(1, delta_bytes(delta) - HEADER) / max(1, int(row["plain_diff_bytes"]))
        kinds = " ".join(f"{name}={count}" for name, count in delta.counts.items())
        found.append(
            {
                "matcher": matcher,
                "id": row["id"],
                "class": row["size_class"],
                "diff": row["plain_diff_bytes"],
                "ratio": f"{ratio:.4f}",
                "operations": kinds,
            }
        )
    return found


def main() -> None:
    """Prints geometric mean and median by size class."""
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--matcher", nargs="+", default=["document", "buld"])
    chosen = reader.parse_args()
    rows: list[dict[str, str]] = []
    for matcher in chosen.matcher:
        mine = ratios(Path(os.environ["TREELACE_CORPUS"]), matcher)
        for name in (*CLASSES, "all"):
            figures = [float(row["ratio"]) for row in mine if name in (row["class"], "all")]
            mean, median = statistics.geometric_mean(figures), statistics.median(figures)
            print(
                f"{matcher:9} {name:10} {len(figures):3} pairs, geometric mean {mean:.3f}, median"
                f" {median:.3f}"
            )
        large = [float(row["ratio"]) for row in mine if int(row["diff"]) >= 200]
        print(
            f"{matcher:9} at most 1.25 for {sum(ratio <= 1.25 for ratio in large) / len(large):.1%}"
            " of the pairs whose diff is at least 200 bytes",
            flush=True,
        )
        rows += mine
    with (Path(__file__).parent / "unix_diff.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (Path(__file__).parent / "unix_diff.svg").write_text(drawn(rows), encoding="utf-8")


def drawn(rows: list[dict[str, str]]) -> str:
    """The ratios in their order, a picture for each size class and a line for each matcher."""
    charts = []
    for name in CLASSES:
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
                y="delta bytes / diff bytes",
                lines=lines,
                is_log_y=True,
            )
        )
    return as_svg(charts)


if __name__ == "__main__":
    main()
