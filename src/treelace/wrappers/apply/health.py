"""Health: whether a wrapper still finds on pages what it found when it was learnt; of several pages
as a report (`check_health`), of one page as one line (`page_trouble`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from treelace.errors import WrapperError
from treelace.extract import Cell, Table
from treelace.extract.types import type_named
from treelace.tree import Tree
from treelace.wrappers.model.form import ColumnForm, RegionForm
from treelace.wrappers.model.text_shapes import shape

MIN_SHARE_OF_FILL = 0.5
"""A column is in trouble when it is filled less than this share of what it was."""

MAX_UNREAD_SHARE = 0.2
"""Share of values that may fail to read as their column's type."""

MIN_EXPECTED_CELLS = 3
"""A column that not all records had is in trouble only where so many cells were expected."""

# One page is a small sample, and it is set aside for what is wrong: it is judged more gently.
MIN_FILL_OF_USUAL_COLUMN = 0.99
"""Share of records that had a value in a column whose absence on one page means something."""

MAX_TROUBLE_OF_ONE_PAGE = 0.5
"""Share of the records of one page that may lack a usual column, or not read as its type."""

MIN_RECORDS_OF_LIST = 3
"""Records of a list from which on a column that is empty in most says something."""


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
        return self.fill >= MIN_SHARE_OF_FILL * self.expected and self.unread <= MAX_UNREAD_SHARE


@dataclass(frozen=True, slots=True)
class Health:
    """How a wrapper fares on pages; `problems` says what is wrong, empty where all is well.

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


def check_health(
    tables_of: Callable[[Tree], list[Table]], region: RegionForm, pages: Sequence[Tree]
) -> Health:
    """The health of a wrapper on pages of its class; `region` is the first table it promises."""
    tables: list[Table] = []
    problems: list[str] = []
    low, high = region.records
    for number, page in enumerate(pages, 1):
        try:
            table = tables_of(page)[0]
        except WrapperError as error:
            problems.append(f"page {number}: {error}")
            continue
        if not low <= len(table.cells) <= high:
            problems.append(f"page {number}: {len(table.cells)} records, {low} to {high} expected")
        if table.cells:
            tables.append(table)
    rows = [row for table in tables for row in table.cells]
    columns = []
    for at, column in enumerate(region.columns):
        cells = [cell for row in rows if (cell := row[at]) is not None]
        columns.append(_column_health(column, cells, len(rows)))
        problems += _column_problems(column, columns[-1], cells, len(rows))
    coverage = round(len(tables) / len(pages), 3) if pages else 0.0
    return Health(len(pages), coverage, len(rows), tuple(columns), tuple(problems))


def _column_health(column: ColumnForm, cells: Sequence[Cell], records: int) -> ColumnHealth:
    return ColumnHealth(
        column.name,
        round(len(cells) / records, 3) if records else 0.0,
        column.fill,
        round(_unread_share(cells), 3),
        round(sum(shape(cell.text) in column.shapes for cell in cells) / max(1, len(cells)), 3),
    )


def _unread_share(cells: Sequence[Cell]) -> float:
    return sum(cell.value is None for cell in cells) / max(1, len(cells))


def _column_problems(
    column: ColumnForm, health: ColumnHealth, cells: Sequence[Cell], records: int
) -> Iterator[str]:
    is_expected = column.required or column.fill * records >= MIN_EXPECTED_CELLS
    if records and health.fill < MIN_SHARE_OF_FILL * column.fill and is_expected:
        what = "empty" if not cells else f"filled in {health.fill:.0%} of records"
        yield f"column {column.name!r} is {what}, {column.fill:.0%} expected"
    if (unread := _unread_share(cells)) > MAX_UNREAD_SHARE:
        yield f"column {column.name!r}: {unread:.0%} of its values do not read as {column.type}"


def page_trouble(table: Table, region: RegionForm) -> str:
    """What is wrong with a page's table, by what its wrapper expects; empty where all is well.

    No record at all, where all pages had some; in a list a name or a typed value that all records
    had and most have no longer, or values that do not read as their type; of a page that is one
    record, or of the texts of a list, more than half of the columns. A page is a small sample, so
    columns that are often empty tell nothing, and neither does a list of one or two.
    """
    rows = table.cells
    if not rows:
        return "no record is found" if region.records[0] else ""
    usual = [
        at for at, column in enumerate(region.columns) if column.fill >= MIN_FILL_OF_USUAL_COLUMN
    ]
    empty = {at: sum(row[at] is None for row in rows) for at in usual}
    missing = [at for at in usual if empty[at] > MAX_TROUBLE_OF_ONE_PAGE * len(rows)]
    names = [region.columns[at].name for at in missing]
    if len(missing) > len(usual) / 2:
        return f"most of its columns are empty: {', '.join(names[:5])}"
    if region.kind == "page" or len(rows) < MIN_RECORDS_OF_LIST:
        return ""
    for at, column in enumerate(region.columns):
        is_text = type_named(column.type).keeps_text
        if at in missing and (at == usual[0] or not is_text):
            return f"the column {column.name!r} is empty in {empty[at]} of {len(rows)} records"
        cells = [cell for row in rows if (cell := row[at]) is not None]
        unread = sum(cell.value is None for cell in cells)
        if not is_text and unread > MAX_TROUBLE_OF_ONE_PAGE * len(cells):
            return (
                f"the column {column.name!r} does not read as {column.type} in {unread} of"
                f" {len(cells)} records"
            )
    return ""
