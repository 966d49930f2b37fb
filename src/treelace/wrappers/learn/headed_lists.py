"""Lists in tables whose heads differ from page to page: the head of a cell is its column."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from treelace.extract import Table
from treelace.extract.build_table import Region, build_table
from treelace.extract.page.page_view import PageView
from treelace.tree import Tree
from treelace.wrappers.apply.table_heads import TableHeads
from treelace.wrappers.model.form import RegionForm

MIN_HEADED = 0.9
"""Share of the records whose cells are called something by a head."""


def heads_of_records(
    pages: Sequence[Tree], records: Sequence[tuple[int, int]]
) -> list[list[str]] | None:
    """What the cells of each record are called, given by its page and node; None where not nearly
    all have heads, or all have the same.
    """
    readers = [TableHeads(page) for page in pages]
    found = [[head for _, head in readers[page].cells(node)] for page, node in records]
    if sum(map(bool, found)) < MIN_HEADED * len(found) or len(set(map(tuple, found))) < 2:
        return None
    return found


def headed_table(view: PageView, region: Region, heads: Sequence[Sequence[str]]) -> Table:
    """The table whose columns are the heads of the cells, without those that say one thing: the
    button of each row.
    """
    records = region.records
    names = list(dict.fromkeys(name for row in heads for name in row if name))
    number = {name: at for at, name in enumerate(names)}
    items = sorted({*view.texts, *(at for at, tag in enumerate(view.tags) if tag == "img")})
    columns = []
    for (root, *_), row in zip(records, heads, strict=True):
        cells = [cell for cell in view.children[root] if view.tags[cell] in ("td", "th")]
        columns.append(
            {
                number[name]: [item for item in items if cell < item < view.ends[cell]]
                for cell, name in zip(cells, row, strict=False)
                if name
            }
        )
    table = build_table(view, region, columns, names=names)
    texts = ({row[at] for row in table.rows if row[at]} for at in range(len(table.columns)))
    kept = [it.name for it, said in zip(table.columns, texts, strict=True) if len(said) > 1]
    return table.choose(kept) if kept else table


def with_heads(region: RegionForm) -> RegionForm:
    """The region whose columns are found by the heads that they are called after."""
    columns = (
        replace(column, anchors=(f"head:{column.name}", *column.anchors))
        for column in region.columns
    )
    return replace(region, columns=tuple(columns))
