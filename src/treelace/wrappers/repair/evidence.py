"""Repair without the old page: the evidence rows of a wrapper, found again by their texts.

Of a list, the tables of the new page are extracted as if it were unknown; the one that has the
evidence rows is the list, and a column of it is the wrapper's column whose texts it has in those
rows, digits aside. Where two columns could be it, neither is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from treelace.errors import WrapperError
from treelace.extract import Table, extract
from treelace.tree import Tree
from treelace.wrappers.apply.health import MIN_SHARE_OF_FILL
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.records import page_roots
from treelace.wrappers.learn.pattern import MAX_EVIDENCE_LENGTH
from treelace.wrappers.model.form import ColumnForm, RegionForm
from treelace.wrappers.model.text_shapes import has_letters, shape, without_digits
from treelace.wrappers.repair.matched_records import MatchedRecords

MAX_LEAVES_PER_TEXT, MAX_LEVELS_ABOVE, MAX_NODES_PER_TEXT = 12, 3, 200
"""Most leaves, levels above a leaf, and nodes of an element that is one evidence text."""

ENOUGH_TEXTS = 4
"""Half of the texts of an evidence row must be found again, at most half of so many."""

MAX_SHARE_OF_FILL = 2
"""How many times more a column may be filled than it was."""

NOT_FOUND = (
    "no value of the evidence rows is on the new page: a repair needs the old page (--old), or"
    " learn anew"
)

FoundRow = tuple[dict[int, str], list[str]]
"""An evidence row (text by column), and the texts of the record that it is on the new page."""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """The table with the evidence rows: the column of each wrapper column, or why it has none."""

    table: Table
    column_of: dict[int, int]
    reasons: dict[int, str]


def find_table(region: RegionForm, new: Tree) -> FoundTable:
    """The table of a page with most of a region's evidence texts, and which columns it matches."""
    evidence = [
        {number: without_digits(text) for number, text in row.items()}
        for row in _evidence_rows(region)
    ]
    best: tuple[int, Table, list[FoundRow]] | None = None
    for table in extract(new, all_columns=True):
        found = _found_rows(evidence, table)
        score = sum(_hits(row, texts) for row, texts in found)
        if found and (best is None or score > best[0]):
            best = (score, table, found)
    if best is None:
        raise WrapperError(NOT_FOUND)
    _, table, found = best
    column_of, reasons = dict[int, int](), dict[int, str]()
    for number, column in enumerate(region.columns):
        likely, reason = _likely_columns(number, column, table, found)
        if len(likely) == 1:
            column_of[number] = likely[0]
        else:
            reasons[number] = reason
    for at, count in Counter(column_of.values()).items():
        if count > 1:
            for number in [number for number, of in column_of.items() if of == at]:
                del column_of[number]
                reasons[number] = "another column would be the same on the new page"
    return FoundTable(table, column_of, reasons)


def _evidence_rows(region: RegionForm) -> list[dict[int, str]]:
    """The evidence rows with columns by number."""
    numbers = {column.name: number for number, column in enumerate(region.columns)}
    return [
        {numbers[name]: text for name, text in row.items() if name in numbers}
        for row in region.evidence
    ]


def _found_rows(evidence: Sequence[dict[int, str]], table: Table) -> list[FoundRow]:
    """The evidence rows that a table has, each with the record that has most of its texts."""
    records = [
        [
            without_digits(cell.text)[:MAX_EVIDENCE_LENGTH] if cell is not None else ""
            for cell in row
        ]
        for row in table.cells
    ]
    found = []
    for row in evidence:
        if not row or not records:
            continue
        hits = [_hits(row, texts) for texts in records]
        most = max(hits)
        if most and 2 * most >= min(len(_worded(row)), ENOUGH_TEXTS):
            found.append((row, records[hits.index(most)]))
    return found


def _likely_columns(
    number: int, column: ColumnForm, table: Table, found: Sequence[FoundRow]
) -> tuple[list[int], str]:
    """The columns of a table that could be a column of the wrapper, and why there is not one."""
    had = [(row[number], texts) for row, texts in found if number in row]
    votes = Counter(
        at for text, texts in had for at, other in enumerate(texts) if other == text and text
    )
    likely = [
        at
        for at, count in votes.items()
        if count == max(votes.values()) and 2 * count > len(had) and _looks_like(column, table, at)
    ]
    if not had:
        return likely, "no evidence row that was found has a value of it"
    if not likely:
        return likely, "nothing on the new page was found to be it"
    return likely, f"{len(likely)} columns of the new page could be it"


def _hits(row: dict[int, str], texts: Sequence[str]) -> int:
    """How many different texts of an evidence row a record has; those with letters count."""
    return len(_worded(row) & set(texts))


def _worded(row: dict[int, str]) -> set[str]:
    return {text[:MAX_EVIDENCE_LENGTH] for text in row.values() if has_letters(text)}


def _looks_like(column: ColumnForm, table: Table, at: int) -> bool:
    """Whether a column of a table is filled as another was and has texts of its shapes."""
    texts = [cell.text for row in table.cells if (cell := row[at]) is not None]
    known = sum(shape(text) in column.shapes for text in texts)
    fill = (len(texts) / len(table.cells)) / max(column.fill, 0.01)
    return 2 * known >= len(texts) and MIN_SHARE_OF_FILL <= fill <= MAX_SHARE_OF_FILL


def find_record(region: RegionForm, new: Tree) -> MatchedRecords:
    """Where the evidence row that has most texts on a page that is one record has them: texts that
    are equal but for digits, and stand there once.
    """
    rows = _evidence_rows(region)
    places = _places_of_texts(new)
    found = [
        {
            column: places[key]
            for column, text in row.items()
            if (key := without_digits(text)) in places
        }
        for row in rows
    ]
    if not any(found):
        raise WrapperError(NOT_FOUND)
    best = max(range(len(rows)), key=lambda number: (len(found[number]), -number))
    column_of_leaf = {
        leaf: column
        for column, groups in found[best].items()
        if len(groups) == 1
        for leaf in groups[0]
    }
    return MatchedRecords([rows[best]], [{}], [page_roots(new)], [column_of_leaf])


def _places_of_texts(new: Tree) -> dict[str, list[tuple[int, ...]]]:
    """The leaves of each text on a page (digits made alike), also of small whole elements."""
    found: dict[str, list[tuple[int, ...]]] = {}
    leaves = Page(new).texts_in(0)
    for leaf in leaves:
        found.setdefault(without_digits(new.own_text(leaf)), []).append((leaf,))
    done: set[int] = set()
    for leaf in leaves:
        above = new.parent(leaf)
        for _ in range(MAX_LEVELS_ABOVE):
            if not above or above in done:
                break
            done.add(above)
            inside = tuple(
                at
                for at in range(above, min(new.end(above), above + MAX_NODES_PER_TEXT))
                if new.kind(at) == 2 and new.own_text(at).strip()
            )
            if len(inside) > MAX_LEAVES_PER_TEXT:
                break
            if len(inside) > 1:
                for glue in (" ", ""):
                    joined = without_digits(glue.join(new.own_text(at) for at in inside))
                    found.setdefault(re.sub(r"\s+", " ", joined), []).append(inside)
            above = new.parent(above)
    return found
