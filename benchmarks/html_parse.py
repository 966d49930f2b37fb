"""HTML bytes to finished trees: 156 real pages, 36.5 MB (`data/pages` of the corpus).

Ours is `treelace.parse`: bytes to a tree whose names, attributes, parents and texts are all there,
as arrays. Rivals: lxml's parse alone, which is not an HTML5 parser; lxml's parse and the walk a
Python program needs for the same facts (tag, attributes and parent of each node); lexbor
(selectolax) alone, an HTML5 parser in C. Answers are checked in every round: the number of elements
of each page is the one in the corpus' `index.csv`.

`python -m benchmarks.html_parse` runs this one and writes `benchmarks/results/html_parse.md`.
"""

from __future__ import annotations

import csv
import gzip
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.compare import Row, as_markdown, compare
from benchmarks.corpus import part
from treelace import parse

RESULT = Path(__file__).with_name("results") / "html_parse.md"

Pages = list[bytes]


def ours(pages: Pages) -> Callable[[], list[int]]:
    """Parses every page; the number of elements outside templates, from the arrays."""

    def run() -> list[int]:
        none = 2**32 - 1
        return [int((parse(page, format="html").element_indexes != none).sum()) for page in pages]

    return run


def lxml_alone(pages: Pages) -> Callable[[], list[object]]:
    from lxml import etree

    def run() -> list[object]:
        return [
            etree.HTML(page, etree.HTMLParser(encoding="utf-8", huge_tree=True)).tag
            for page in pages
        ]

    return run


def lxml_and_walk(pages: Pages) -> Callable[[], list[int]]:
    from lxml import etree

    def facts(page: bytes) -> int:
        numbers: dict[object, int] = {}
        tags, attributes, parents = [], [], []
        for number, node in enumerate(
            etree.HTML(page, etree.HTMLParser(encoding="utf-8", huge_tree=True)).iter()
        ):
            numbers[node] = number
            tags.append(node.tag)
            attributes.append(node.attrib.items())
            parents.append(numbers.get(node.getparent(), -1))
        return len(tags)

    return lambda: [facts(page) for page in pages]


def lexbor_alone(pages: Pages) -> Callable[[], list[object]]:
    from selectolax.lexbor import LexborHTMLParser

    return lambda: [LexborHTMLParser(page).root for page in pages]


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """Three rivals on the same pages."""
    folder = part(corpus, "data", "pages")
    with (folder / "index.csv").open(newline="") as file:
        elements = {row["id"]: int(row["elements"]) for row in csv.DictReader(file)}
    pages = [gzip.decompress((folder / f"{page}.html.gz").read_bytes()) for page in elements]
    expected = list(elements.values())
    size = sum(map(len, pages)) / 1e6

    def is_right(counts: list[int], rival: object) -> bool:
        return counts == expected and bool(rival)

    task = ("treelace.parse", ours(pages))
    found = [
        compare(
            "parse",
            task,
            ("lxml parse + Python walk", lxml_and_walk(pages)),
            is_same=is_right,
            goal=2.0,
            rounds=rounds,
        ),
        compare(
            "parse",
            task,
            ("lxml parse alone", lxml_alone(pages)),
            is_same=is_right,
            goal=1.0,
            rounds=rounds,
        ),
    ]
    try:
        found.append(
            compare(
                "parse",
                task,
                ("lexbor parse alone (selectolax)", lexbor_alone(pages)),
                is_same=is_right,
                rounds=rounds,
            )
        )
    except ImportError:
        print("selectolax is not installed: lexbor is left out")
    for row in found:
        print(
            f"{size / row.ours_seconds:.0f} MB/s against {size / row.rival_seconds:.0f}"
            f" ({row.rival})"
        )
    return found


def main() -> int:
    named = os.environ.get("TREELACE_CORPUS")
    table = as_markdown(rows(Path(named) if named else None, 7))
    machine = f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores"
    place = f"{machine}; CPU seconds, median of 7 rounds; `python -m benchmarks.html_parse`"
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(f"# HTML bytes to finished trees\n\n{place}\n\n{table}\n", encoding="utf-8")
    print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
