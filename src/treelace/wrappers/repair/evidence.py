"""Repair without the old page: the evidence rows of a wrapper, found again by their texts.

Of a list, the tables of the new page are mined as if it were unknown; the one that has the evidence
rows is the list, and a column of it is the wrapper's column whose texts it has in those rows,
digits aside. Two columns that could be it are none.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.errors import WrapperError
from treelace.extract import extract
from treelace.wrappers.apply.record_roots import tops_of
from treelace.wrappers.model.text_shapes import shape
from treelace.wrappers.repair.matched_records import Seen, masked

if TYPE_CHECKING:
    from treelace.extract import Table
    from treelace.tree import Tree
    from treelace.wrappers.model.form import ColumnForm, RegionForm

MOST_LEAVES = 12
"""Leaves of an element that may together be one text of the evidence."""


@dataclass(frozen=True, slots=True)
class Mined:
    """A table of the new page that has the evidence rows: the number of its column for those of the
    wrapper, and why others have none.
    """

    table: Table
    column_of: dict[int, int]
    reasons: dict[int, str]


def mined(region: RegionForm, new: Tree) -> Mined:
    """The table of a page that has most texts of a region's evidence rows, its columns by
    theirs.
    """
    numbers = {column.name: number for number, column in enumerate(region.columns)}
    rows = [
        {numbers[name]: masked(text) for name, text in row.items() if name in numbers}
        for row in region.evidence
    ]
    best: tuple[int, Table, list[tuple[dict[int, str], list[str]]]] | None = None
    for table in extract(new):
        texts = [
            [masked(cell.text)[:200] if cell is not None else "" for cell in row]
            for row in table.cells
        ]
        met = [
            (row, max(texts, key=lambda one, row=row: _hits(row, one)))  # type: ignore[misc]
            for row in rows
            if row and texts
        ]
        met = [
            (row, one)
            for row, one in met
            if (hits := _hits(row, one)) and 2 * hits >= min(len(_worded(row)), 4)
        ]
        score = sum(_hits(row, one) for row, one in met)
        if met and (best is None or score > best[0]):
            best = (score, table, met)
    if best is None:
        raise WrapperError(
            "no value of the evidence rows is on the new page: a repair needs the old page (--old),"
            " or learn anew"
        )
    _, table, met = best
    column_of, reasons = dict[int, int](), dict[int, str]()
    for number, column in enumerate(region.columns):
        had = [(row[number], one) for row, one in met if number in row]
        votes = Counter(
            at for text, one in had for at, other in enumerate(one) if other == text and text
        )
        likely = [
            at
            for at, count in votes.items()
            if count == max(votes.values()) and 2 * count > len(had) and _looks(column, table, at)
        ]
        if len(likely) == 1:
            column_of[number] = likely[0]
        else:
            reasons[number] = (
                "no evidence row that was found has a value of it"
                if not had
                else (
                    "nothing on the new page was found to be it"
                    if not likely
                    else f"{len(likely)} columns of the new page could be it"
                )
            )
    for at, count in Counter(column_of.values()).items():
        if count > 1:
            for number in [number for number, of in column_of.items() if of == at]:
                del column_of[number]
                reasons[number] = "another column would be the same on the new page"
    return Mined(table, column_of, reasons)


def _hits(row: dict[int, str], texts: list[str]) -> int:
    """How many different texts of an evidence row a record has; those with letters count."""
    return len(_worded(row) & set(texts))


def _worded(row: dict[int, str]) -> set[str]:
    return {text[:200] for text in row.values() if any(map(str.isalpha, text))}


def _looks(column: ColumnForm, table: Table, at: int) -> bool:
    """Whether a column of a table is filled and looks as another did."""
    texts = [cell.text for row in table.cells if (cell := row[at]) is not None]
    known = sum(shape(text) in column.shapes for text in texts)
    return (
        2 * known >= len(texts)
        and 0.5 <= (len(texts) / len(table.cells)) / max(column.fill, 0.01) <= 2
    )


def from_evidence(region: RegionForm, new: Tree) -> Seen:
    """Where the evidence row that has most texts on a page that is one record has them: texts that
    are equal but for digits, and once on it.
    """
    numbers = {column.name: number for number, column in enumerate(region.columns)}
    rows = [
        {numbers[name]: text for name, text in row.items() if name in numbers}
        for row in region.evidence
    ]
    places = _places(new)
    found = [
        {column: places[key] for column, text in row.items() if (key := masked(text)) in places}
        for row in rows
    ]
    if not any(found):
        raise WrapperError(
            "no value of the evidence rows is on the new page: a repair needs the old page (--old),"
            " or learn anew"
        )
    best = max(range(len(rows)), key=lambda number: (len(found[number]), -number))
    leaves = {
        leaf: column
        for column, groups in found[best].items()
        if len(groups) == 1
        for leaf in groups[0]
    }
    return Seen([rows[best]], [{}], [tops_of(new)], [leaves], {}, 1)


def _places(new: Tree) -> dict[str, list[tuple[int, ...]]]:
    """The leaves of each text on a page, digits masked: of single texts, and of small elements as a
    whole.
    """
    found: dict[str, list[tuple[int, ...]]] = {}
    leaves = [at for at in range(len(new)) if new.kind(at) == 2 and new.own_text(at).strip()]
    for leaf in leaves:
        found.setdefault(masked(new.own_text(leaf)), []).append((leaf,))
    seen: set[int] = set()
    for leaf in leaves:
        above = new.parent(leaf)
        for _ in range(3):
            if not above or above in seen:
                break
            seen.add(above)
            inside = tuple(
                at
                for at in range(above, min(new.end(above), above + 200))
                if new.kind(at) == 2 and new.own_text(at).strip()
            )
            if len(inside) > MOST_LEAVES:
                break
            if len(inside) > 1:
                for glue in (" ", ""):
                    key = re.sub(r"\s+", " ", masked(glue.join(new.own_text(at) for at in inside)))
                    found.setdefault(key, []).append(inside)
            above = new.parent(above)
    return found
