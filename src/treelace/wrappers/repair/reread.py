"""The new wrapper against the table that the repair read: does it read the same page alike?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from treelace.extract import Table
from treelace.wrappers.repair.verdict import MIN_SHARE_OF_FILL, ColumnRepair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.extract import Cell

MIN_READ_ALIKE = 0.94
"""Share of a column's cells that the new wrapper must read as the repair did."""

DIFFERENCE_WEIGHT = 3
"""How many cells read alike a cell read otherwise costs."""


class _Counts(NamedTuple):
    """Of a column: cells that both tables read alike, cells that they read otherwise, cells of the
    repair's table.
    """

    alike: int
    otherwise: int
    cells: int

    @property
    def are_enough(self) -> bool:
        return (
            self.alike >= MIN_READ_ALIKE * (self.alike + self.otherwise)
            and self.alike >= MIN_SHARE_OF_FILL * self.cells
        )


def agreement(table: Table, again: Table) -> tuple[int, float]:
    """How well a wrapper reads what a repair read, to choose between two: columns that stay, and
    roughly the share of cells.
    """
    counts = [_counts(number, table, again) for number in range(len(table.columns))]
    gained = sum(one.alike - DIFFERENCE_WEIGHT * one.otherwise for one in counts)
    share = gained / max(1, sum(one.cells for one in counts))
    return sum(one.are_enough for one in counts), round(share, 2)


def judge_reread(column: ColumnRepair, number: int, table: Table, again: Table) -> ColumnRepair:
    """The verdict with what the new wrapper reads on the same page: the column stays in the wrapper
    if that is what the repair read.
    """
    counts = _counts(number, table, again)
    alike, otherwise, cells = counts
    reason = f"the new wrapper reads {alike} of {cells} of them alike" + (
        f", {otherwise} otherwise" if otherwise else ""
    )
    reasons = (*column.reasons, reason)
    if not counts.are_enough:
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
