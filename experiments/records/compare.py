"""All extractors on the labelled list pages, side by side, as Table 2 of Zhai & Liu has it: writes
table2.md and table2.csv beside this file.

    python -m experiments.records.compare [--no-folds]

MDR-2 (and DEPTA on its records) gets the boxes of each page from Chromium, scripts off and nothing
fetched, so that the tree is the page's own; where no Chromium is found these lines are left out,
and it says so. `records` appears twice: with its trees, which were learnt from these pages among
others, and with trees learnt without the page's site (five folds, as `experiments.records.fit` has
them; this takes most of the time, and `--no-folds` leaves it out).
Needs TREELACE_CORPUS.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from experiments import write
from experiments.records.fit import folds
from experiments.records.labelled import load, scorer
from treelace import Table, Tree, TreelaceError, extract, parse
from treelace.extract import EXTRACTORS
from treelace.extract.build_table import build_table
from treelace.extract.columns.alignment import line_up
from treelace.extract.extractors.records import Records
from treelace.extract.page.page_view import PageView
from treelace.render import Boxes, Browser, find_browser

HERE = Path(__file__).parent
HEAD = (
    "system",
    "records correct",
    "wrong / missed",
    "recall",
    "precision",
    "F1 first table",
    "pages perfect (best / first)",
    "items recall",
    "items precision",
    "columns",
    "median CPU ms a page",
)
PAPER = [
    ("the paper: MDR", "1005", "30 / 155", "0.8664", "0.9710", "–", "–", "–", "–", "–", "–"),
    (
        "the paper: MDR-2, DEPTA",
        "1140",
        "2 / 20",
        "0.9827",
        "0.9982",
        "–",
        "–",
        "0.9818",
        "0.9968",
        "–",
        "–",
    ),
]


def pages(folder: Path) -> dict[str, Path]:
    """The labelled pages by name."""
    names = sorted(label.stem for label in (folder / "labels").glob("*.json"))
    return {
        name: next(
            path for path in (folder / f"{name}.html", folder / f"{name}.html.gz") if path.exists()
        )
        for name in names
    }


def row(title: str, corpus: Path, read: Callable[[str], tuple[list[Table], float]]) -> list[object]:
    """One system's line: `read` gives a page's tables and the CPU seconds they took."""
    folder, seconds = corpus / "data/records", []
    with tempfile.TemporaryDirectory() as made:
        for name in pages(folder):
            tables, spent = read(name)
            seconds.append(spent)
            Path(made, f"{name}.json").write_text(
                json.dumps({"regions": [table.to_json() for table in tables]}), encoding="utf-8"
            )
        return scored(title, corpus, made, statistics.median(seconds))


def scored(title: str, corpus: Path, folder: str, seconds: float | None) -> list[object]:
    """A line from a folder of predictions."""
    score = scorer(corpus, "score_records")
    found: dict[str, Any] = score.summary(
        score.score_all(str(corpus / "data/records/labels"), folder)[0], []
    )
    best, top, items = found["texts.best"], found["texts.top"], found["items"]
    right, made, true = best["counts"]
    print(title, round(best["F1"], 4), flush=True)
    return [
        title,
        right,
        f"{made - right} / {true - right}",
        best["R"],
        best["P"],
        top["F1"],
        f"{best['perfect']} / {top['perfect']} of {found['pages']}",
        items["R"],
        items["P"],
        found["columns"]["share"],
        "–" if seconds is None else f"{1000 * seconds:.1f}",
    ]


def timed(tree: Tree, extractor: str, **options: Any) -> tuple[list[Table], float]:
    """The tables of a tree with all their cells, and the CPU seconds of it."""
    start = time.process_time()
    try:
        tables = extract(tree, extractor=extractor, **options)
        for table in tables:
            table.to_json()
    except TreelaceError as error:
        print(f"{extractor}: {error}")
        tables = []
    return tables, time.process_time() - start


def rendered(folder: Path) -> dict[str, tuple[Tree, Boxes]]:
    """Every page with its boxes, by one browser."""
    found = {}
    with Browser(scripts=False) as browser:
        for name, path in pages(folder).items():
            seen = browser.render(parse(path))
            found[name] = (seen.tree, seen.boxes)
    return found


def cross_validated(corpus: Path) -> list[object]:
    """`records`, each page by trees learnt without its site."""
    files = pages(corpus / "data/records")
    with tempfile.TemporaryDirectory() as made:
        for trees, left_out in folds(list(load(corpus))):
            for name in (page.name for page in left_out if page.kind == "older list"):
                view = PageView.of(parse(files[name]))
                tables = [
                    build_table(view, region, line_up(view, region.records))
                    for region in Records().regions(view, trees=trees)
                ]
                form = {"regions": [table.to_json() for table in tables]}
                Path(made, f"{name}.json").write_text(json.dumps(form), encoding="utf-8")
        return scored("`records`, sites left out", corpus, made, None)


def main() -> None:
    """Writes the table."""
    reader = argparse.ArgumentParser(prog="python -m experiments.records.compare")
    reader.add_argument("--no-folds", action="store_true", help="learn no ranking anew")
    has_folds = not reader.parse_args().no_folds
    corpus = Path(os.environ["TREELACE_CORPUS"])
    folder = corpus / "data/records"
    files = pages(folder)
    lines: list[list[object]] = [list(line) for line in PAPER]

    def read(name: str, page: str) -> tuple[list[Table], float]:
        return timed(parse(files[page]), name)

    lines += [
        row(f"`{name}`", corpus, partial(read, name)) for name in ("mdr", "depta", "equal-paths")
    ]
    if find_browser() is None:
        print("no Chromium: mdr2 and depta on its records are left out")
    else:
        seen = rendered(folder)

        def read_seen(name: str, page: str) -> tuple[list[Table], float]:
            return timed(seen[page][0], name, boxes=seen[page][1])

        lines.append(row("`mdr2`, rendered", corpus, partial(read_seen, "mdr2")))
        lines.append(row("`depta` on mdr2's records", corpus, partial(read_seen, "depta")))
    assert set(EXTRACTORS) == {
        "records",
        "depta",
        "mdr2",
        "mdr",
        "equal-paths",
    }, "a new extractor wants a line here"
    lines.append(row("`records`", corpus, partial(read, "records")))
    if has_folds:
        lines.append(cross_validated(corpus))
    notes = (
        "Records by the best region for each list of a page; items and columns likewise. The"
        " paper's lines are from 72 other pages: compare\nsystems within our lines, not across."
        " `records` has seen these pages when its weights were learnt; a line `sites left out` has"
        " each page ranked\nby weights learnt without its site. Not held out anywhere: the rules"
        " that make candidates and columns. The pages were stored without\ntheir style sheets and"
        " pictures and are rendered so: MDR-2 sees less here than it would on the live page.\nCPU:"
        " every cell of every table made, the parse left out, a busy machine."
    )
    write.table(
        HERE / "table2",
        "Records and items: the paper's Table 2 on our pages",
        "python -m experiments.records.compare",
        HEAD,
        lines,
        notes,
    )


if __name__ == "__main__":
    main()
