"""Mutants of the pages of `data/pages`, with their truth, split by site: made once, kept in a folder.

A folder for each: `SPLIT/KIND/PAGE-RATIO/{original.html,mutant.html,truth.json,meta.json}`. Kinds: *base* (the operators of the SFTM
paper), *redesign* (the same, and tags and classes renamed all over the page), *move* (the same, and a twentieth of the elements with an
attribute added, a fiftieth of the subtrees moved to another parent).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from treelace.testing import mutate as tool
from treelace.testing.document import read
from treelace.testing.operators import PAPER
from treelace.tree import parse

RATIOS = {"base": (0.05, 0.1, 0.2, 0.3, 0.5), "redesign": (0.0, 0.1, 0.3), "move": (0.0, 0.1, 0.3)}


@dataclass(frozen=True, slots=True)
class Pair:
    """A page and a mutant of it."""

    folder: Path
    kind: str
    ratio: float
    elements: int
    moved: frozenset[int]

    @property
    def texts(self) -> tuple[str, str]:
        """The HTML of both."""
        return (self.folder / "original.html").read_text(), (self.folder / "mutant.html").read_text()

    @property
    def truth(self) -> set[tuple[int, int]]:
        """The true pairs of element indexes."""
        return {(i, j) for i, j in json.loads((self.folder / "truth.json").read_text())}


def split_of(site: str) -> str:
    """Three in five sites are for tuning."""
    return "tune" if int(hashlib.md5(site.encode(), usedforsecurity=False).hexdigest()[:2], 16) < 154 else "report"


def pairs(folder: Path, split: str) -> Iterator[Pair]:
    """All pairs of a split, in a fixed order."""
    for kind in RATIOS:
        for path in sorted((folder / split / kind).iterdir()):
            facts = json.loads((path / "meta.json").read_text())
            yield Pair(path, kind, facts["ratio"], facts["elements_original"], frozenset(facts["moved"]))


def make(pages: Path, folder: Path) -> None:
    """Writes the mutants of every page whose folder is not there yet."""
    with (pages / "index.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        target = folder / split_of(row["site"])
        if not (target / "move" / f"{row['id']}-30").is_dir():
            _make_page(pages / f"{row['id']}.html.gz", target, row["id"], int(row["elements"]))


def _make_page(path: Path, target: Path, name: str, elements: int) -> None:
    html = tool.original(parse(gzip.decompress(path.read_bytes()), format="html"))
    page, seed = parse(html, format="html"), int(name[1:])
    for ratio in RATIOS["base"]:
        mutant = tool.mutate(page, ratio=ratio, seed=seed * 100 + int(ratio * 100))
        _put(target, "base", name, ratio, elements, html, mutant.html, mutant.truth, [])
    for ratio in RATIOS["redesign"]:
        mutant = tool.mutate(page, ratio=ratio, seed=seed * 100 + 50 + int(ratio * 100), rename_tags_too=True, restyle_too=True)
        _put(target, "redesign", name, ratio, elements, html, mutant.html, mutant.truth, [])
    for ratio in RATIOS["move"]:
        random = Random(f"move {seed} {ratio:g}")
        document = read(page)
        tool._operate(document, ratio, random, list(PAPER), tool.LARGEST)
        tool._operate(document, 0.05, random, ["attribute-add"], tool.LARGEST)
        operations = tool._operate(document, 0.02, random, ["move"], tool.LARGEST)
        changed, truth = tool._settled(document)
        _put(target, "move", name, ratio, elements, html, changed, truth, sorted({mark for done in operations for mark in done["elements"]}))


def _put(
    target: Path, kind: str, name: str, ratio: float, elements: int, html: str, changed: str, truth: tuple[tuple[int, int], ...], moved: list[int]
) -> None:
    folder = target / kind / f"{name}-{int(ratio * 100):02}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "original.html").write_text(html)
    (folder / "mutant.html").write_text(changed)
    (folder / "truth.json").write_text(json.dumps(truth))
    (folder / "meta.json").write_text(json.dumps({"ratio": ratio, "elements_original": elements, "kind": kind, "moved": moved}))
