"""The type of a column, and its cells with their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treelace.extract.dates import dates_in
from treelace.extract.durations import duration
from treelace.extract.locales import Locale
from treelace.extract.table import Cell
from treelace.extract.values import ENOUGH, column_type, column_values

if TYPE_CHECKING:
    from treelace.extract.values import Value


def typed(cells: Sequence[Cell | None], locale: Locale) -> tuple[str, list[Cell | None]]:
    """The type of these cells of one column, and the cells with their values.

    What `time` elements say in their `datetime` outweighs their text ("3 days ago"); a cell without text is an image.
    """
    filled = [cell for cell in cells if cell is not None]
    texts = [cell.text for cell in filled]
    values: Sequence[Value]
    stated = _stated(filled)
    if stated is not None:
        kind, values = stated
    elif filled and all(cell.items and all(item.kind != "text" for item in cell.items) for cell in filled):
        kind, values = "image", texts
    else:
        kind = column_type(texts, locale=locale)
        values = column_values(texts, kind, locale=locale)
    given = iter(values)
    return kind, [None if cell is None else Cell(cell.text, cell.node, cell.items, next(given)) for cell in cells]


def _stated(cells: Sequence[Cell]) -> tuple[str, Sequence[Value]] | None:
    """Dates or durations by the `datetime` of `time` elements, where nine cells in ten have one that reads."""
    if not cells or not any(name.local == "time" for name in cells[0].node.tree.names):
        return None
    written = [_datetime(cell) or "" for cell in cells]
    if sum(map(bool, written)) < ENOUGH * len(cells):
        return None
    dates = dates_in(written, Locale()) or []
    if dates and sum(day is not None for day in dates) >= ENOUGH * len(cells):
        return "date", dates
    durations = [duration(text) for text in written]
    if sum(length is not None for length in durations) >= ENOUGH * len(cells):
        return "duration", durations
    return None


def _datetime(cell: Cell) -> str | None:
    for item in cell.items:
        if item.kind == "text":
            node = item.node.parent
            while node is not None:
                if node.tag == "time" and (written := node.attribute("datetime")):
                    return written.strip()
                if node.index <= cell.node.index:
                    break
                node = node.parent
    return None
