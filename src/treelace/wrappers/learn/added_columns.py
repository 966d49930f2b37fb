"""Columns of lists whose values stand in no text of a record, as a wrapper keeps them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from treelace.extract.columns.added_columns import AddedColumn, AddedColumns
from treelace.extract.page.page_view import PageView
from treelace.extract.types.rating import RatingType
from treelace.named import unique_names
from treelace.tree import Tree
from treelace.wrappers.apply.added_cells import DRAWN, GROUP, anchor_of
from treelace.wrappers.learn.pattern import expected_column
from treelace.wrappers.model.form import ColumnForm, RegionForm


def is_added(column: ColumnForm) -> bool:
    """Whether the values of a column stand in no text of a record."""
    return any(anchor == DRAWN or anchor.startswith(GROUP) for anchor in column.anchors)


def with_added_columns(
    region: RegionForm, pages: Sequence[Tree], records: Sequence[Sequence[Sequence[int]]]
) -> RegionForm:
    """The region with the group and the drawn rating of its records, where more pages have them
    than have not; `records` are the top nodes of each record, page by page.
    """
    shown = [(page, some) for page, some in zip(pages, records, strict=True) if len(some) > 1]
    found: dict[str, list[AddedColumn]] = {}
    anchors: dict[str, str] = {}
    for page, some in shown:
        seen = AddedColumns(PageView.of(page), [tuple(roots) for roots in some])
        for column in (seen.groups(), seen.ratings()):
            if column is not None:
                found.setdefault(column.name, []).append(column)
                kind = seen.kind_of(column.cells[0].node)
                anchors[column.name] = DRAWN if column.kind == RatingType.name else anchor_of(kind)
    made = []
    count = sum(len(some) for _, some in shown)
    taken = [column.name for column in region.columns]
    for name, columns in found.items():
        if 2 * len(columns) <= len(shown):
            continue
        texts = [cell.text for column in columns for cell in column.cells]
        (own,) = unique_names([name], taken=taken)
        expected = expected_column(own, columns[0].kind, texts, max(count, len(texts)))
        made.append(replace(expected, required=False, anchors=(anchors[name],)))
    return replace(region, columns=(*region.columns, *made)) if made else region
