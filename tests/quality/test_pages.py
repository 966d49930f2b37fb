"""Real pages: the parser gives as many elements as another HTML5 parser (lexbor) does."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from tests import corpus
from treelace import parse


def _pages(folder: Path) -> list[object]:
    with (folder / "data/pages/index.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        pytest.param(
            (folder / f"data/pages/{row['id']}.html.gz", int(row["elements"])), id=row["id"]
        )
        for row in rows
    ]


@pytest.mark.parametrize("page", corpus.cases(_pages))
def test_number_of_elements(page: tuple[Path, int]) -> None:
    path, elements = page
    tree = parse(gzip.decompress(path.read_bytes()), format="html")
    in_template = tree._core.in_template
    assert sum(not in_template(node.index) for node in tree.elements) == elements
    assert tree.encoding in ("UTF-8", "windows-1252")
