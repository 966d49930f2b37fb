"""What lace learns from: pages of the tuning sites and their mutants, and versions of real pages.

Every tuning page of up to 3,000 elements gives four mutants, drawn in turn from all kinds, so that
all pages and all kinds are there and learning stays short. Pages whose number is divisible by five
are left out: they are measured, not learnt from. So are the chains of sites in
`real_changes.REPORT`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.lace_quality import other_tool, real_changes
from experiments.lace_quality.mutants import RATIOS, mutant_of, original_of, split_of
from treelace import _kernel, parse
from treelace.tree import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treelace.tree import Tree

LARGEST = 3_000
MUTANTS_OF_A_PAGE = 4
KINDS = (
    *(("base", ratio) for ratio in RATIOS["base"]),
    *((kind, ratio) for kind in ("tool-b", "tool-c", "tool-d") for ratio in RATIOS["base"]),
    *(("redesign", ratio) for ratio in RATIOS["redesign"] if ratio),
    *(("move", ratio) for ratio in RATIOS["move"]),
)
WEIGHT = {
    "base": 1.0,
    "tool-b": 0.5,
    "tool-c": 0.25,
    "tool-d": 1.0,
    "move": 0.5,
    "redesign": 0.5,
    "real": 1.0,
}
"""How much a pair of pages of each kind counts."""
LOSS = {0: 0.003, 5: 0.002, 10: 0.004, 20: 0.010, 30: 0.018, 50: 0.050}
"""About how much is lost at each percentage: a pair counts by the root of one over it, so that low
ratios count too. Real changes count as 10 %.
"""
NOBODY, UNKNOWN = -1, -2


@dataclass(frozen=True)
class Lesson:
    """Two versions of a page, and which element is which."""

    kind: str
    percent: int
    texts: tuple[str, str]
    truth: frozenset[tuple[int, int]]

    @property
    def weight(self) -> float:
        """How much the lesson counts."""
        return WEIGHT[self.kind] / float(LOSS[self.percent] ** 0.5)

    @property
    def is_whole(self) -> bool:
        """Whether elements that the truth does not name have no partner."""
        return self.kind != "real"

    def read(self) -> Versions:
        """Both versions, parsed."""
        old, new = (parse(text, format="html") for text in self.texts)
        return Versions(old, new, self)


@dataclass(frozen=True)
class Versions:
    """A lesson, parsed."""

    old: Tree
    new: Tree
    lesson: Lesson

    @cached_property
    def partner(self) -> NDArray[np.int64]:
        """The true partner of each old node, or NOBODY, or UNKNOWN.

        Texts of partners belong together in order where there are as many on both sides, and else
        are not known. Where the truth is whole, those of an element without a partner have none.
        """
        old_nodes, new_nodes = (
            _kernel.element_nodes(self.old.kernel),
            _kernel.element_nodes(self.new.kernel),
        )
        partner = np.full(len(self.old), UNKNOWN)
        if self.lesson.is_whole:
            partner[old_nodes] = NOBODY
        for i, j in self.lesson.truth:
            partner[old_nodes[i]] = new_nodes[j]
        old_texts, new_texts = _texts_by_parent(self.old), _texts_by_parent(self.new)
        for parent, texts in old_texts.items():
            to = int(partner[parent])
            if to == NOBODY:
                partner[texts] = NOBODY
            elif to != UNKNOWN and len(new_texts.get(to, ())) == len(texts):
                partner[texts] = new_texts[to]
        return partner


def _texts_by_parent(tree: Tree) -> dict[int, list[int]]:
    """The texts in each node that are not blank."""
    found: dict[int, list[int]] = {}
    parents = tree.parents
    for at in np.flatnonzero(tree.kinds == Kind.TEXT).tolist():
        if tree.own_text(at).strip():
            found.setdefault(int(parents[at]), []).append(at)
    return found


def lessons(corpus: Path, *, every: int = 1, each: int = 2) -> list[Lesson]:
    """All lessons, in a fixed order: of every n-th page, and `each` changes of a chain at a
    distance.
    """
    changes = _of_changes(corpus, every, each)
    return [*mutants(corpus / "data/pages", every, MUTANTS_OF_A_PAGE), *changes]


def tuning_pages(pages: Path) -> list[dict[str, str]]:
    """The tuning pages that are learnt from."""
    with (pages / "index.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        row
        for row in rows
        if split_of(row["site"]) == "tune"
        and int(row["elements"]) <= LARGEST
        and not is_watched(row["id"])
    ]


def is_watched(page: str) -> bool:
    """Whether a tuning page is measured in place of being learnt from."""
    return int(page[1:]) % 5 == 0


def mutants(pages: Path, every: int, each: int) -> Iterator[Lesson]:
    """So many mutants of every n-th page."""
    for number, row in list(enumerate(tuning_pages(pages)))[::every]:
        html = original_of(pages / f"{row['id']}.html.gz")
        page = parse(html, format="html")
        step = len(KINDS) // each
        for turn in range(each):
            kind, ratio = KINDS[(number + turn * step) % len(KINDS)]
            percent = round(100 * ratio)
            if kind in other_tool.READINGS:
                reading = other_tool.READINGS[kind]
                other = other_tool.mutate(html, ratio, seed=percent, reading=reading)
                yield Lesson(kind, percent, (other.original, other.mutant), frozenset(other.truth))
            else:
                changed = mutant_of(page, kind, ratio, int(row["id"][1:]))
                yield Lesson(kind, percent, (html, changed.html), frozenset(changed.truth))


def _of_changes(corpus: Path, every: int, each: int) -> Iterator[Lesson]:
    for change in list(real_changes.all_changes(each, "tune", corpus))[::every]:
        yield Lesson("real", 10, change.texts, change.truth)
