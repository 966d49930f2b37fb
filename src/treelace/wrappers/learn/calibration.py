"""What is expected of columns: what the wrapper reads on the pages that it was learnt from.

A check may not be stricter than these pages. A column that one of them lacks is not always there,
and one that does not read as its type on one of them is text.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from treelace.extract import Table
from treelace.extract.types import TEXT, type_named
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.pattern import expected_column
from treelace.wrappers.model.form import ColumnForm, RegionForm

MAX_FILL_OF_A_GAP = 0.98
"""What a column is expected to be filled, at most, where a page has it in less than half."""
MIN_FILL, MIN_FILL_OF_VALUES = 0.15, 0.05
"""Share of records that must have a column of texts, and one of prices, dates or numbers."""
MAX_SPARSE_COLUMNS, MIN_FILL_OF_A_WIDE_TABLE = 12, 0.5
"""With more columns than these, those of whole posts, only what most records have is a column."""
MIN_RECORDS_FOR_FILL = 8
"""Records from which on it counts how many have a column."""


def calibrated(region: RegionForm, pages: Sequence[Page]) -> RegionForm:
    """The region of a list with what its columns are like on these pages, and without columns that
    are on hardly any record.
    """
    tables = [RegionReader(region).read(page).table for page in pages]
    sizes = [len(table.cells) for table in tables]
    made = [
        replace(
            _expected(column, at, tables),
            anchors=column.anchors,
            select=column.select,
        )
        for at, column in enumerate(region.columns)
    ]
    is_wide = len(made) > MAX_SPARSE_COLUMNS
    kept = [
        column for column in made if column.fill >= _least(column, sum(sizes), is_wide=is_wide)
    ] or made
    names = {column.name for column in kept}
    most = max(sizes, default=0)
    return replace(
        region,
        columns=tuple(kept),
        pattern=tuple(
            row if row.column in names else replace(row, column="") for row in region.pattern
        ),
        evidence=tuple(
            {name: text for name, text in row.items() if name in names} for row in region.evidence
        ),
        records=(min(region.records[0], *sizes), max(region.records[1], most)),
    )


def _least(column: ColumnForm, records: int, *, is_wide: bool) -> float:
    if column.select or records < MIN_RECORDS_FOR_FILL:
        return 0.0
    least = MIN_FILL_OF_A_WIDE_TABLE if is_wide else MIN_FILL
    return least if type_named(column.type).keeps_text else MIN_FILL_OF_VALUES


def _expected(column: ColumnForm, at: int, tables: Sequence[Table]) -> ColumnForm:
    type_, has_gap, texts, records = column.type, False, list[str](), 0
    for table in tables:
        cells = [cell for row in table.cells if (cell := row[at]) is not None]
        texts += [cell.text for cell in cells]
        records += len(table.cells)
        has_gap = has_gap or 2 * len(cells) < len(table.cells)
        unread = sum(cell.value is None for cell in cells)
        if 2 * unread > len(cells) and not type_named(column.type).keeps_text:
            type_ = TEXT.name
    made = expected_column(column.name, type_, texts, max(1, records))
    return replace(made, fill=min(made.fill, MAX_FILL_OF_A_GAP)) if has_gap else made
