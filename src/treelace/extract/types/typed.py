"""The type of a column, and its cells with their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treelace.extract.locales.locale import Locale
from treelace.extract.types.date import dates_in
from treelace.extract.types.duration import duration
from treelace.extract.types.values import ENOUGH, column_type, column_values

if TYPE_CHECKING:
    from treelace.extract.cells.cell import Cell
    from treelace.extract.types.values import Value


def typed(cells: Sequence[Cell | None], locale: Locale) -> tuple[str, list[Cell | None]]:
    """The type of these cells of one column, and the cells with their values.

    What `time` elements say in their `datetime` outweighs their text ("3 days ago"); a cell without
    text is an image.
    """
    filled = [cell for cell in cells if cell is not None]
    are_images = bool(filled) and all(
        cell.items and all(item.kind != "text" for item in cell.items) for cell in filled
    )
    kind, values = stated(filled) or _kind_and_values(
        [cell.text for cell in filled], locale, are_images=are_images
    )
    given = iter(values)
    return kind, [None if cell is None else cell.with_value(next(given)) for cell in cells]


def _kind_and_values(
    texts: Sequence[str], locale: Locale, *, are_images: bool
) -> tuple[str, Sequence[Value]]:
    """The type of these texts of one column, and the value of each."""
    if are_images:
        return "image", list(texts)
    kind = column_type(texts, locale=locale)
    return kind, column_values(texts, kind, locale=locale)


def stated(cells: Sequence[Cell]) -> tuple[str, Sequence[Value]] | None:
    """Dates or durations by the `datetime` of `time` elements, where nine cells in ten have one
    that reads.
    """
    written: list[str] = []
    misses, most = 0, len(cells) - ENOUGH * len(cells)
    for cell in cells:
        written.append(_datetime(cell) or "")
        misses += not written[-1]
        if misses > most:
            return None
    if not any(written):
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
