"""The verdict on each column of a repaired list: taken over into the new wrapper or left out, and
why; first by the table that the repair read, then by what the new wrapper reads on the same page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treelace.extract import Cell, Table
from treelace.extract.types import type_named
from treelace.wrappers.apply.health import MIN_SHARE_OF_FILL
from treelace.wrappers.model.form import ColumnForm, RegionForm
from treelace.wrappers.model.text_shapes import shape, without_digits
from treelace.wrappers.repair.matched_records import MatchedRecords

MIN_KNOWN_SHAPES, MIN_READ, MIN_REAPPEARING, MIN_LINKS_ALIKE = 0.5, 0.8, 0.5, 0.5
"""What a column of the new table must reach to be the old one, besides its fill: texts of a known
shape, texts that read as its type, texts that reappear but for digits, as many links as before.
"""

SURE_SHAPES = 0.9
"""With this share of known shapes, texts need not read as their type: `31 February` is a date."""

MIN_EQUAL_TEXTS, SURE_EQUAL = 3, 0.9
"""Texts, and their share, that are just as they were: then a link may have come or gone."""

MIN_READ_ALIKE = 0.94
"""Share of a column's cells that the new wrapper must read as the repair did."""

MIN_READ_BY_PATTERN = 0.8
"""The same by the pattern alone, where what is known of odd records makes up for the rest."""

DIFFERENCE_WEIGHT = 3
"""How many cells read alike a cell read otherwise costs."""


@dataclass(frozen=True, slots=True)
class ColumnRepair:
    """What became of one column: taken over into the wrapper or left out, how sure, and why.

    `is_read`: left out of the wrapper, but the repair's table has it.
    """

    name: str
    is_restored: bool
    confidence: float
    reasons: tuple[str, ...]
    is_read: bool = False

    def __str__(self) -> str:
        what = (
            "restored"
            if self.is_restored
            else "read on this page only"
            if self.is_read
            else "left out"
        )
        return f"{self.name}: {what} ({self.confidence:.2f}): {'; '.join(self.reasons)}"


@dataclass(frozen=True, slots=True)
class RepairedRegions:
    """What came of a repair: the regions of the new wrapper (none where nothing could be proved),
    each column's verdict, and the records of the first new page.
    """

    regions: tuple[RegionForm, ...]
    columns: Sequence[ColumnRepair]
    old_records: int
    table: Table | None = None
    origins: tuple[int | None, ...] = ()


def left_out(name: str, *reasons: str, confidence: float = 0.0) -> ColumnRepair:
    """A column that is not taken over."""
    return ColumnRepair(name, False, confidence, reasons)


def all_left_out(names: Iterable[str], reason: str) -> list[ColumnRepair]:
    """Columns that are left out for one reason."""
    return [left_out(name, reason) for name in names]


def judge_column(
    column: ColumnForm,
    number: int,
    matched: MatchedRecords,
    table: Table,
    origins: Sequence[int | None],
) -> ColumnRepair:
    """Whether a new column is the old one; `origins` gives the old number of each new record."""
    before = [texts[number] for texts in matched.texts if number in texts]
    cells = [cell for row in table.cells if (cell := row[number]) is not None]
    if not before:
        return left_out(column.name, "the old page has no value of it")
    if not cells:
        return left_out(column.name, "nothing on the new page was found to be it")
    old_fill, fill = len(before) / len(matched.texts), len(cells) / len(table.cells)
    shapes = {shape(text) for text in before}
    known = sum(shape(cell.text) in shapes for cell in cells) / len(cells)
    needs_no_reading = type_named(column.type).keeps_text or known >= SURE_SHAPES
    read = 1.0 if needs_no_reading else sum(cell.value is not None for cell in cells) / len(cells)
    old = [
        (cell.text, matched.texts[origin][number])
        for row, origin in zip(table.cells, origins, strict=True)
        if origin is not None and (cell := row[number]) is not None
    ]
    same = sum(without_digits(now) == without_digits(then) for now, then in old)
    linked = sum(links.get(number, False) for links in matched.links) / len(before)
    now_linked = sum(cell.link is not None for cell in cells) / len(cells)
    links_alike = 1 - abs(linked - now_linked) if any(matched.links) else 1.0
    equal = sum(now == then for now, then in old)
    if equal >= max(MIN_EQUAL_TEXTS, SURE_EQUAL * len(old)) and len(set(before)) > 1:
        links_alike = 1.0  # the new design does without the link, or has one
    filled = min(1.0, fill / old_fill)
    checks = [
        (filled, MIN_SHARE_OF_FILL, f"filled in {fill:.0%} of records, {old_fill:.0%} before"),
        (known, MIN_KNOWN_SHAPES, f"{known:.0%} of its texts have a known shape"),
        (read, MIN_READ, f"{read:.0%} read as {column.type}"),
        (
            same / len(old) if old else 0.0,
            MIN_REAPPEARING,
            f"{same} of {len(old)} texts reappear but for digits",
        ),
        (links_alike, MIN_LINKS_ALIKE, f"{now_linked:.0%} are links, {linked:.0%} before"),
    ]
    if failed := [what for value, least, what in checks if value < least]:
        return left_out(column.name, *failed)
    reasons = tuple(what for _, _, what in checks[:4])
    return ColumnRepair(column.name, True, round(min(known, filled), 3), reasons)


class _Counts(NamedTuple):
    """For one column: cells read alike, cells read otherwise, and cells of the repair's table."""

    alike: int
    otherwise: int
    cells: int

    def are_enough(self, share: float = MIN_READ_ALIKE) -> bool:
        """Whether this share of what is read is alike, and enough is read."""
        return (
            self.alike >= share * (self.alike + self.otherwise)
            and self.alike >= MIN_SHARE_OF_FILL * self.cells
        )


def agreement(table: Table, again: Table) -> tuple[int, float]:
    """How well a wrapper rereads a repair: columns that stay, and roughly the share of cells."""
    counts = [_counts(number, table, again) for number in range(len(table.columns))]
    gained = sum(one.alike - DIFFERENCE_WEIGHT * one.otherwise for one in counts)
    share = gained / max(1, sum(one.cells for one in counts))
    return sum(one.are_enough() for one in counts), round(share, 2)


def judge_reread(
    column: ColumnRepair, number: int, table: Table, again: Table, by_pattern: Table
) -> ColumnRepair:
    """The verdict after rereading: the column stays if the wrapper reads what the repair read, and
    most of it by its pattern, without what it knows of odd records.
    """
    counts = _counts(number, table, again)
    alike, otherwise, cells = counts
    reason = f"the new wrapper reads {alike} of {cells} of them alike" + (
        f", {otherwise} otherwise" if otherwise else ""
    )
    reasons = (*column.reasons, reason)
    is_pattern = _counts(number, table, by_pattern).are_enough(MIN_READ_BY_PATTERN)
    if not (counts.are_enough() and is_pattern):
        return ColumnRepair(column.name, False, 0.0, reasons, is_read=True)
    confidence = round(min(column.confidence, alike / (alike + otherwise)), 3)
    return ColumnRepair(column.name, True, confidence, reasons)


def completed(table: Table, again: Table, kept: Sequence[int], are_new: Sequence[bool]) -> Table:
    """The table with the cells that only the new wrapper reads, in columns that it was found to
    read right and records that have new texts.
    """
    record_of = _record_of_leaf(table)
    cells = [list(row) for row in table.cells]
    for row in again.cells:
        record = _record_of_row(row, record_of)
        if record is not None and are_new[record]:
            own = cells[record]
            for number in kept:
                own[number] = own[number] or row[number]
    body = tuple(map(tuple, cells))
    return Table(table.columns, body, table.place, table.confidence, table.records)


def _counts(number: int, table: Table, again: Table) -> _Counts:
    given = {
        node for row in table.cells if (cell := row[number]) is not None for node in _nodes(cell)
    }
    alike = sum(
        bool(_nodes(cell) & given) for row in again.cells if (cell := row[number]) is not None
    )
    have = sum(row[number] is not None for row in table.cells)
    return _Counts(alike, _differing(number, table, again), have)


def _differing(number: int, table: Table, again: Table) -> int:
    """Records of which both tables have the column, each another cell."""
    record_of = _record_of_leaf(table)
    differ = 0
    for row in again.cells:
        cell, record = row[number], _record_of_row(row, record_of)
        if cell is not None and record is not None:
            other = table.cells[record][number]
            differ += other is not None and not _nodes(cell) & _nodes(other)
    return differ


def _nodes(cell: Cell) -> set[int]:
    return {item.node.index for item in cell.items}


def _record_of_leaf(table: Table) -> dict[int, int]:
    """The record of each leaf in a table's cells."""
    return {
        item.node.index: record
        for record, row in enumerate(table.cells)
        for cell in row
        if cell is not None
        for item in cell.items
        if item.kind != "link"
    }


def _record_of_row(row: Sequence[Cell | None], record_of_leaf: Mapping[int, int]) -> int | None:
    """The record that most items of a row are known to belong to."""
    owners = Counter(
        record_of_leaf[item.node.index]
        for cell in row
        if cell is not None
        for item in cell.items
        if item.node.index in record_of_leaf
    )
    return owners.most_common(1)[0][0] if owners else None
