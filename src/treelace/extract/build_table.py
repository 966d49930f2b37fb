"""Makes a Table from records and the column of each item: cells with links, images, names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from treelace.extract.cells.cell import Grid
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.columns.alignment import Slots
from treelace.extract.table import Table
from treelace.tree import Node

if TYPE_CHECKING:
    from treelace.extract.page.page_view import PageView


class Region(NamedTuple):
    """Records of one part of a page, each by its root nodes in document order; and a confidence."""

    records: tuple[tuple[int, ...], ...]
    confidence: float


def build_table(
    view: PageView,
    region: Region,
    columns: Sequence[Mapping[int, Sequence[int]]] | Callable[[], Slots],
    *,
    names: Sequence[str] | None = None,
) -> Table:
    """The table of a region. `columns[r]` gives, for record r, the items (text nodes and images) of
    each column number; or a function gives the slots, when the table is first looked at.

    Columns come in the order of their numbers, those that no record fills are left out, and their
    names are made from what the page calls them unless `names` are given. Where a function gives
    the slots, only the columns that a person would keep are shown, and `full` has all of them.
    Columns and cells are made at the first look, types and values when they are asked for.
    """
    from treelace.extract.table_parts import TableParts

    line_up = columns if callable(columns) else lambda: Slots.of(columns)
    parts = TableParts(view, region.records, line_up, names, is_trimmed=callable(columns))
    place = view.core.place(region.records[0][0], region.records[-1][-1])
    records = LazyTuple(
        lambda: (tuple(Node(view.tree, root) for root in roots) for roots in region.records),
        size=len(region.records),
    )
    size = len(region.records)
    full = Table(
        LazyTuple(lambda: parts.heads),
        Grid(lambda: parts.read, lambda: parts.places, size=size),
        place,
        region.confidence,
        records,
    )
    if not callable(columns):
        return full
    return replace(
        full,
        columns=LazyTuple(lambda: parts.shown_heads),
        cells=Grid(lambda: parts.read, lambda: parts.shown, size=size),
        full=full,
        left_out=LazyTuple(lambda: parts.left_out),
    )
