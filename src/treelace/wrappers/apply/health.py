"""Health: whether a wrapper still finds on pages what it found when it was learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.errors import WrapperError
from treelace.wrappers.model.text_shapes import shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Table
    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.wrapper import Wrapper

LOST = 0.5
"""A column is in trouble when it is filled less than this share of what it was."""

UNREAD = 0.2
"""Share of values that may fail to read as their column's type."""


@dataclass(frozen=True, slots=True)
class ColumnHealth:
    """One column on the pages that were checked: share of records that have it, what was expected,
    values that do not read as its type, share of texts of a known shape.
    """

    name: str
    fill: float
    expected: float
    unread: float
    known_shapes: float

    @property
    def is_fine(self) -> bool:
        """Whether it is filled as it was and its values read as its type."""
        return self.fill >= LOST * self.expected and self.unread <= UNREAD


@dataclass(frozen=True, slots=True)
class Health:
    """How a wrapper fares on pages: `problems` says in words what is wrong, empty where all is
    well.

    `coverage` is the share of pages that are of the class and gave at least one record; `records`
    counts them.
    """

    pages: int
    coverage: float
    records: int
    columns: tuple[ColumnHealth, ...]
    problems: tuple[str, ...]

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        head = (
            f"{'healthy' if self.is_fine else 'broken'}: {self.coverage:.0%} of {self.pages} pages,"
            f" {self.records} records"
        )
        return "\n".join([head, *(f"- {problem}" for problem in self.problems)])


def check(wrapper: Wrapper, pages: Sequence[Tree], *, limits: Limits) -> Health:
    """The health of a wrapper on pages of its class: coverage, number of records, empty columns,
    values that do not read as their type.
    """
    tables: list[Table] = []
    problems: list[str] = []
    for number, page in enumerate(pages):
        try:
            table = wrapper.apply(page, limits=limits)[0]
        except WrapperError as error:
            problems.append(f"page {number + 1}: {error}")
            continue
        low, high = wrapper.regions[0].records
        if not low <= len(table.cells) <= high:
            problems.append(
                f"page {number + 1}: {len(table.cells)} records, {low} to {high} expected"
            )
        if table.cells:
            tables.append(table)
    rows = [row for table in tables for row in table.cells]
    columns = []
    for number, column in enumerate(wrapper.regions[0].columns):
        cells = [row[number] for row in rows if row[number] is not None]
        unread = (
            sum(cell is not None and cell.value is None for cell in cells) / len(cells)
            if cells
            else 0.0
        )
        known = (
            sum(cell is not None and shape(cell.text) in column.shapes for cell in cells)
            / len(cells)
            if cells
            else 0.0
        )
        columns.append(
            ColumnHealth(
                column.name,
                round(len(cells) / len(rows), 3) if rows else 0.0,
                column.fill,
                round(unread, 3),
                round(known, 3),
            )
        )
        if (
            rows
            and columns[-1].fill < LOST * column.fill
            and (column.required or column.fill * len(rows) >= 3)
        ):
            what = "empty" if not cells else f"filled in {columns[-1].fill:.0%} of records"
            problems.append(f"column {column.name!r} is {what}, {column.fill:.0%} expected")
        if cells and unread > UNREAD:
            problems.append(
                f"column {column.name!r}: {unread:.0%} of its values do not read as {column.type}"
            )
    return Health(
        len(pages),
        round(len(tables) / len(pages), 3) if pages else 0.0,
        len(rows),
        tuple(columns),
        tuple(problems),
    )
