"""Figure 5: the delta found against the perfect one, on simulated changes of real documents.

    python -m experiments.xydiff.quality [--part tune|report]

Documents are the old versions of xmlpairs between 5 and 300 KB, split by project: those whose name
has an even hash are for tuning, the others are reported: as they are, and without the white space
between their elements, which the paper's program did not have to match. Writes quality.csv and
quality.svg beside this file.
"""

from __future__ import annotations

import argparse
import csv
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from experiments.charts import Chart, as_svg
from experiments.write import picture, rows_as_csv
from experiments.xydiff.scores import Scores, add
from treelace import Tree, diff, parse
from treelace.errors import TreelaceError
from treelace.matching import Matcher
from treelace.matching.matchers.buld import Buld
from treelace.testing.simulate import Chances, simulate

RATES = (0.01, 0.03, 0.075, 0.1, 0.3)
"""Of each of four kinds of change: 0.075 is the paper's "about thirty percent of nodes"."""
KINDS = ("as they are", "without blanks")
MATCHERS: dict[str, str | Matcher] = {
    "document": "document",
    "buld": "buld",
    "buld, blanks=False": Buld(blanks=False),
}
HEAD = (
    "documents",
    "matcher",
    "rate",
    "count",
    "delta / perfect",
    "move precision",
    "move recall",
    "precision to another parent",
    "updates found",
)


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


def without_blanks(tree: Tree) -> Tree:
    """The document without texts of white space between elements."""
    from lxml import etree

    root = etree.fromstring(tree.to_xml().encode(), etree.XMLParser(remove_blank_text=True))
    for node in root.iter():
        if node.text is not None and not node.text.strip() and len(node):
            node.text = None
        if node.tail is not None and not node.tail.strip():
            node.tail = None
    return parse(etree.tostring(root), format="xml")


def run(trees: list[Tree], rate: float, matcher: str | Matcher, seeds: int) -> Scores:
    """The scores of one matcher at one rate of change."""
    scores = Scores()
    for tree in trees:
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
    reader.add_argument("--most", type=int, default=1000, help="documents at most")
    reader.add_argument("--seeds", type=int, default=5)
    chosen = reader.parse_args()
    paths = documents(Path(os.environ["TREELACE_CORPUS"]), chosen.part)[: chosen.most]
    lines: list[tuple[str, ...]] = [HEAD]
    for kind in KINDS:
        trees = [parse(path, format="xml") for path in paths]
        if kind == KINDS[1]:
            trees = [without_blanks(tree) for tree in trees]
        for name, matcher in MATCHERS.items():
            for rate in RATES:
                scores = run(trees, rate, matcher, chosen.seeds)
                print(f"{kind:14} {name:16} {rate:4.0%} {scores.line()}", flush=True)
                share = scores.share
                figures = (
                    scores.bytes / max(1, scores.perfect_bytes),
                    share(scores.moves, "right", "found"),
                    share(scores.moves, "hit", "true"),
                    share(scores.away, "right", "found"),
                    share(scores.updates, "hit", "true"),
                )
                texts = (f"{figure:.4f}" for figure in figures)
                lines.append((kind, name, str(rate), str(len(trees)), *texts))
    if chosen.part == "report":
        rows_as_csv(Path(__file__).parent / "quality.csv", lines)
        picture(Path(__file__).parent / "quality.svg", drawn(lines))


def drawn(lines: Sequence[tuple[str, ...]]) -> str:
    """The table as pictures: each figure over the share of nodes that change, a line for each
    matcher, a picture for each kind of documents.
    """
    charts = []
    for k, name in enumerate(HEAD[4:], start=4):
        for kind in KINDS:
            points = {
                matcher: [
                    (100 * float(line[2]), float(line[k]))
                    for line in lines[1:]
                    if line[:2] == (kind, matcher)
                ]
                for matcher in MATCHERS
            }
            charts.append(
                Chart(
                    title=f"{name}, {kind}",
                    x="% of nodes, each of four kinds of change",
                    y=name,
                    lines=points,
                )
            )
    return as_svg(charts)


if __name__ == "__main__":
    main()
