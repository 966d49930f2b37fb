"""All extractors and a child's rule beside each other on pages of today, in one run.

    python -m experiments.records.peers [--sample N]     # writes peers.md

Needs TREELACE_CORPUS. The figures are those of the corpus' scorer (`score_modern.py`), which says
what they mean. The child's rule: the `ul`, `ol` or `table` with most text in `main`, `article` or
the body comes first, then the next. `records` was learnt from these very pages: what it does on
hosts it has not seen is said by `python -m experiments.records.fit`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from typing import Any

from experiments.records.labelled import STRUCTURED, scorer, unpacked
from treelace import parse
from treelace.extract import extract
from treelace.extract.page.page_view import PageView
from treelace.tree import Tree

PEERS = ("records", "depta", "mdr", "equal-paths", "child's rule")
FIGURES = ("found", "top1", "top3", "sure", "quiet")
MOST_TABLES = 10
TARGET = Path(__file__).parent / "peers.md"


def childs_rule(tree: Tree) -> list[dict[str, Any]]:
    """The lists and tables of the main part, the one with most text first."""
    view = PageView.of(tree)
    part = next(iter(tree.select("main, [role=main]") or tree.select("article")), tree.document)
    lists = []
    for node in part.select("ul, ol, table"):
        items = node.select("tr") if node.tag == "table" else node.select(":scope > li")
        records = [[view.texts[at] for at in view.texts_in(item.index)] for item in items]
        lists.append([{"texts": texts} for texts in records if texts])
    lists.sort(key=lambda rows: -sum(len(text) for row in rows for text in row["texts"]))
    return [{"confidence": 0.0, "records": rows} for rows in lists[:MOST_TABLES] if len(rows) > 1]


def answer(tree: Tree, peer: str) -> dict[str, Any]:
    """What a peer says of a page, as the command line writes it."""
    if peer == "child's rule":
        return {"regions": childs_rule(tree)}
    tables = extract(tree, extractor=peer)[:MOST_TABLES]
    return {"regions": [table.to_json() for table in tables]}


def main() -> None:
    """Scores every peer and writes the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sample", type=int, help="only so many pages, always the same")
    sample = asked.parse_args().sample
    corpus = Path(os.environ["TREELACE_CORPUS"])
    score, folder = scorer(corpus, "score_modern"), corpus / "data/modern"
    labels = sorted((folder / "labels").glob("*.json"))
    if sample:
        labels = sorted(random.Random(7).sample(labels, sample))
    pages: dict[str, list[Any]] = {peer: [] for peer in PEERS}
    seconds = dict.fromkeys(PEERS, 0.0)
    for label in labels:
        said = json.loads(label.read_text(encoding="utf-8"))
        page = STRUCTURED.sub(b"", unpacked(folder / f"{label.stem}.html.gz"))
        tree = parse(page, format="html")
        for peer in PEERS:
            start = time.process_time()
            found = answer(tree, peer)
            seconds[peer] += time.process_time() - start
            pages[peer].append(score.score_page(said, found))
    lines = [
        f"# Extractors on pages of today, {len(labels)} pages",
        "",
        "Written by `python -m experiments.records.peers`, which says what it is.",
        "",
        f"| extractor | {' | '.join(FIGURES)} | CPU ms a page, with all cells |",
        f"|---|{'---|' * (len(FIGURES) + 1)}",
    ]
    for peer in PEERS:
        total = score.summary(pages[peer])
        shown = " | ".join("–" if total[one] is None else f"{total[one]:.3f}" for one in FIGURES)
        lines.append(f"| {peer} | {shown} | {1000 * seconds[peer] / len(labels):.0f} |")
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
