"""Records side by side: names in one row of cells, prices in the next (as in DEPTA)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treelace.extract.page.page_view import PageView
from treelace.extract.records.comparison_tables import MIN_AGREEMENT, agreement, look_of

MAX_CELLS_IN_A_ROW = 40
"""Cells of a row above which it is no row of records."""


class SideBySideRecords(NamedTuple):
    """Records made of one cell from each row of a group, and their items by row number."""

    records: tuple[tuple[int, ...], ...]
    columns: list[dict[int, list[int]]]


def side_by_side_records(
    view: PageView, groups: Sequence[tuple[int, ...]]
) -> SideBySideRecords | None:
    """The records that stand side by side in groups of rows, where they do; None where each group
    is one record.

    `groups` are records that were found, each of two rows or more. They are rows of cells if all
    rows of a group have the same number of cells, two or more; the cells of a row are made alike,
    tags and classes; and the texts of a row are of one kind, which those of a lane are not.

    >>> from treelace import parse
    >>> from treelace.extract.page.page_view import PageView
    >>> lines = "Tea Milk Jam", "€3 €1 €4", "Oil Rice Salt", "€6 €2 €1"
    >>> cells = ["<td>".join(line.split()) for line in lines]
    >>> page = parse(f"<table><tr><td>{'<tr><td>'.join(cells)}</table>")
    >>> rows = [row.index for row in page.select("tr")]
    >>> found = side_by_side_records(PageView.of(page), [(rows[0], rows[1]), (rows[2], rows[3])])
    >>> [[page[cell].text for cell in record] for record in found.records]
    [['Tea', '€3'], ['Milk', '€1'], ['Jam', '€4'], ['Oil', '€6'], ['Rice', '€2'], ['Salt', '€1']]
    """
    if len({len(group) for group in groups}) != 1 or len(groups[0]) < 2:
        return None
    rows = [[view.below(row) for row in group] for group in groups]
    for number, group in enumerate(rows, start=1):
        fewest = 1 if number == len(rows) > 1 else 2  # the last may be what was left over
        if (
            not fewest <= len(group[0]) <= MAX_CELLS_IN_A_ROW
            or len({len(cells) for cells in group}) > 1
        ):
            return None
    if any(
        len({_made_of(view, cell) for cell in cells}) > 1 for group in rows for cells in group
    ) or not all(_rows_are_fields(view, group) for group in rows):
        return None
    records = tuple(
        tuple(cells[lane] for cells in group) for group in rows for lane in range(len(group[0]))
    )
    columns = [
        {number: items for number, cell in enumerate(record) if (items := view.items_in((cell,)))}
        for record in records
    ]
    kept = [number for number, items in enumerate(columns) if items]
    return SideBySideRecords(
        tuple(records[number] for number in kept), [columns[number] for number in kept]
    )


def grid_records(
    view: PageView, rows: Sequence[tuple[int, ...]]
) -> tuple[tuple[int, ...], ...] | None:
    """The cells of rows as records, where each cell is a whole one: a grid; None where the cells of
    a row are its fields.

    They are if every row has the same number of cells, two or more (the last may have fewer), all
    made alike, each with an image or a link and two texts or more.

    >>> from treelace import parse
    >>> from treelace.extract.page.page_view import PageView
    >>> cell = "<td><a href=/1>Tea</a><p>€3</p>"
    >>> page = parse(f"<table><tr>{cell}{cell}<tr>{cell}{cell}<tr>{cell}</table>")
    >>> len(grid_records(PageView.of(page), [(row.index,) for row in page.select("tr")]))
    5
    """
    width = len(view.below(rows[0][0]))
    if len(rows) < 2 or not 2 <= width <= MAX_CELLS_IN_A_ROW:
        return None
    all_cells: list[int] = []
    for number, row in enumerate(rows, start=1):  # given up early: most lists are no grids
        if len(row) != 1:
            return None
        cells = view.below(row[0])
        fewest = 1 if number == len(rows) else width
        if not fewest <= len(cells) <= width or any(view.text_count(cell) < 2 for cell in cells):
            return None
        all_cells += cells
    common, largest = _made_of(view, all_cells[0]), 0
    for cell in all_cells:
        shape = _made_of(view, cell)
        common, largest = common & shape, max(largest, len(shape))
        leads = any(part[0] in ("a", "img") for part in common if isinstance(part, tuple))
        if not leads or 3 * len(common) < 2 * largest:  # both can only get worse
            return None
    return tuple((cell,) for cell in all_cells)


def _made_of(view: PageView, cell: int) -> frozenset[object]:
    """Tags and classes in a cell, once each; a text outside of cells is like no other."""
    if view.tree.kind(cell) != 1:
        return frozenset([cell])
    return frozenset(
        (view.tree.local_name(at), *view.class_words(at))
        for at in range(cell, view.tree.end(cell))
        if view.tree.kind(at) == 1
    )


def _rows_are_fields(view: PageView, group: Sequence[Sequence[int]]) -> bool:
    """Whether the texts of rows are of one kind each, and those of lanes are not."""
    texts = [
        [" ".join(view.texts[text] for text in view.texts_in(cell)) for cell in cells]
        for cells in group
    ]
    shown = [[look_of(text) for text in row] for row in texts if any(row)]
    if len(shown) < 2:
        return False
    return (
        agreement(shown) >= MIN_AGREEMENT
        and agreement([list(lane) for lane in zip(*shown, strict=True)]) < 1
    )
