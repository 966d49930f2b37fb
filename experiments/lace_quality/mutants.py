"""Mutants of pages, with their truth, split by site: made once, kept in a folder.

The pages of `data/pages` are for tuning (*tune*) or for reporting (*report*); pages of other sites,
from other folders, are *fresh* or *blind*.

A folder for each: `SPLIT/KIND/PAGE-RATIO/{original.html,mutant.html,truth.json,meta.json}`. Kinds:
*base* (the operators of the SFTM paper), *redesign* (the same, and tags and classes renamed all
over the page), *move* (the same, and a twentieth of the elements with an attribute added, a
fiftieth of the subtrees moved to another parent).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from treelace.testing import mutate as tool
from treelace.testing.document import read
from treelace.testing.operators import PAPER
from treelace.tree import Tree, parse

OTHERS = ("snapshots", "classes", "swde", "records")
"""Folders with pages of sites that `data/pages` does not have."""
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
        return (self.folder / "original.html").read_text(), (
            self.folder / "mutant.html"
        ).read_text()

    @property
    def truth(self) -> set[tuple[int, int]]:
        """The true pairs of element indexes."""
        return {(i, j) for i, j in json.loads((self.folder / "truth.json").read_text())}


def split_of(site: str) -> str:
    """Three in five sites are for tuning."""
    return (
        "tune"
        if int(hashlib.md5(site.encode(), usedforsecurity=False).hexdigest()[:2], 16) < 154
        else "report"
    )


def pairs(folder: Path, split: str) -> Iterator[Pair]:
    """All pairs of a split, in a fixed order."""
    for kind in RATIOS:
        for path in sorted((folder / split / kind).glob("*-*")):
            facts = json.loads((path / "meta.json").read_text())
            yield Pair(
                path, kind, facts["ratio"], facts["elements_original"], frozenset(facts["moved"])
            )


def f1(found: Iterable[tuple[int, int]], truth: set[tuple[int, int]]) -> float:
    """Twice the pairs found and true over the sum of both."""
    pairs_found = set(found)
    both = len(pairs_found) + len(truth)
    return 2 * len(pairs_found & truth) / both if both else 1.0


def make(pages: Path, folder: Path) -> None:
    """Writes the mutants of every page whose folder is not there yet."""
    with (pages / "index.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        target = folder / split_of(row["site"])
        if not (target / "move" / f"{row['id']}-30").is_dir():
            _make_page(pages / f"{row['id']}.html.gz", target, row["id"], int(row["elements"]))


def make_others(data: Path, folder: Path, split: str) -> None:
    """Writes the mutants of *fresh* or *blind* that are not there yet: pages from other folders,
    one a site, none of a site of `data/pages`.

    *fresh* has five ratios, and moves where nothing else changed; *blind* has all kinds.
    """
    ratios = (
        {"base": RATIOS["base"], "redesign": (), "move": (0.0,)} if split == "fresh" else RATIOS
    )
    for path, elements in others(data)[split]:
        name = "-".join(path.relative_to(data).with_suffix("").with_suffix("").parts)
        if not (folder / split / "move" / f"{name}-{int(ratios['move'][-1] * 100):02}").is_dir():
            _make_page(path, folder / split, name, elements, ratios)


def others(data: Path) -> dict[str, list[tuple[Path, int]]]:
    """The pages of *fresh* and of *blind*, and their numbers of elements.

    In the order of a hash of their names, *fresh* has the first 30 of 200 to 5,000 elements and the
    first six larger ones (there is one); *blind* the next 30 and all larger ones that are left
    (there are none), of sites that *fresh* does not have either.
    """
    with (data / "pages/index.csv").open(newline="") as file:
        known = {
            row["site"].removesuffix(".com").rsplit(".", 1)[-1] for row in csv.DictReader(file)
        }
    pages = [
        page
        for name in OTHERS
        for page in _one_a_site(data / name)
        if not known & set(_words(page))
    ]
    pages.sort(
        key=lambda path: hashlib.md5(
            str(path.relative_to(data)).encode(), usedforsecurity=False
        ).digest()
    )
    sized = [(path, elements) for path in pages if (elements := _elements(path)) >= 200]
    fresh = _first(sized, middle=30, large=6)
    seen = {site_of(path) for path, _ in fresh}
    left: dict[str, tuple[Path, int]] = {}
    for path, elements in sized:
        if site_of(path) not in seen:
            left.setdefault(site_of(path), (path, elements))
    return {"fresh": fresh, "blind": _first(left.values(), middle=30, large=len(sized))}


def _first(pages: Iterable[tuple[Path, int]], *, middle: int, large: int) -> list[tuple[Path, int]]:
    wanted = {False: middle, True: large}
    chosen = []
    for path, elements in pages:
        if wanted[elements > 5_000] > 0:
            wanted[elements > 5_000] -= 1
            chosen.append((path, elements))
    return chosen


def _elements(path: Path) -> int:
    return sum(1 for _ in read(_parsed(path)).elements()) - 1


def _parsed(path: Path) -> Tree:
    raw = path.read_bytes()
    return parse(gzip.decompress(raw) if path.suffix == ".gz" else raw, format="html")


def site_of(path: Path) -> str:
    """The site of a page in one of the other folders, as far as names tell: `amazon` for
    `records/est-amazon.com.html` and `swde/book-amazon/…`.
    """
    is_alone = path.parent.name in OTHERS
    name = path.name.partition(".html")[0] if is_alone else path.parent.name
    first, _, rest = name.partition("-")
    if rest.isdigit():
        return name
    if not is_alone and path.parent.parent.name == "snapshots":
        return first
    return rest.removesuffix(".com").rsplit(".", 1)[-1].split("-")[0].rstrip("0123456789")


def _one_a_site(folder: Path) -> list[Path]:
    """The first page of each folder in a folder, and the pages in the folder itself."""
    inside = [
        sorted(path.glob("*.html*"))[:1] for path in sorted(folder.iterdir()) if path.is_dir()
    ]
    return [path for paths in inside for path in paths] + sorted(folder.glob("*.html*"))


def _words(path: Path) -> list[str]:
    return re.split(r"[^a-z0-9]+", f"{path.parent.name} {path.name}".lower())


def _make_page(
    path: Path,
    target: Path,
    name: str,
    elements: int,
    ratios: dict[str, tuple[float, ...]] = RATIOS,
) -> None:
    html = original_of(path)
    page = parse(html, format="html")
    seed = (
        int(name[1:])
        if name[1:].isdigit()
        else int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:6], 16)
    )
    for kind in RATIOS:
        for ratio in ratios[kind]:
            made = mutant_of(page, kind, ratio, seed)
            _put(target, kind, name, ratio, elements, html, made.html, made.truth, list(made.moved))


@dataclass(frozen=True, slots=True)
class Made:
    """A mutant, the true pairs of elements, and the elements that were moved."""

    html: str
    truth: tuple[tuple[int, int], ...]
    moved: tuple[int, ...] = ()


def original_of(path: Path) -> str:
    """A page as its mutants are made from it."""
    return tool.original(_parsed(path))


def mutant_of(page: Tree, kind: str, ratio: float, seed: int) -> Made:
    """One mutant of an original, by our own tool."""
    if kind == "move":
        random = Random(f"move {seed} {ratio:g}")
        document = read(page)
        tool._operate(document, ratio, random, list(PAPER), tool.LARGEST)
        tool._operate(document, 0.05, random, ["attribute-add"], tool.LARGEST)
        operations = tool._operate(document, 0.02, random, ["move"], tool.LARGEST)
        changed, truth = tool._settled(document)
        moved = {mark for done in operations for mark in done["elements"]}
        return Made(changed, truth, tuple(sorted(moved)))
    is_redesign = kind == "redesign"
    mutant = tool.mutate(
        page,
        ratio=ratio,
        seed=seed * 100 + 50 * is_redesign + int(ratio * 100),
        rename_tags_too=is_redesign,
        restyle_too=is_redesign,
    )
    return Made(mutant.html, mutant.truth)


def _put(
    target: Path,
    kind: str,
    name: str,
    ratio: float,
    elements: int,
    html: str,
    changed: str,
    truth: tuple[tuple[int, int], ...],
    moved: list[int],
) -> None:
    folder = target / kind / f"{name}-{int(ratio * 100):02}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "original.html").write_text(html)
    (folder / "mutant.html").write_text(changed)
    (folder / "truth.json").write_text(json.dumps(truth))
    (folder / "meta.json").write_text(
        json.dumps({"ratio": ratio, "elements_original": elements, "kind": kind, "moved": moved})
    )
