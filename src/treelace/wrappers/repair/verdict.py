"""The verdict on each column of a repair: taken over into the new wrapper or left out, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.extract.types import type_named
from treelace.wrappers.model.text_shapes import shape, without_digits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treelace.extract import Table
    from treelace.wrappers.model.form import ColumnForm
    from treelace.wrappers.repair.matched_records import MatchedRecords

MIN_SHARE_OF_FILL, MIN_KNOWN_SHAPES, MIN_READ, MIN_REAPPEARING, MIN_LINKS_ALIKE = (
    0.5,
    0.5,
    0.8,
    0.5,
    0.5,
)
"""What a column of the new table must reach to be the old one: fill of what it was, texts of a
known shape, texts that read as its type, texts that reappear but for digits, as many links as before.
"""

SURE_SHAPES = 0.9
"""Texts of which this share has a known shape need not read as their type: `31 February` is a date
all the same.
"""


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
    """Whether a column of the new table is the old column; `origins` has for each of its records
    the number of the old one.
    """
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
