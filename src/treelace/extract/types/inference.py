"""Which type a column has, by its texts, and the value of each cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from treelace.extract.locales import Locale
from treelace.extract.types import IMAGE, TEXT, TYPES, type_named
from treelace.extract.types.column_type import MIN_SHARE_OF_TEXTS, is_enough
from treelace.extract.types.no_value import says_no_value
from treelace.extract.types.relative_date import names_near_day

if TYPE_CHECKING:
    from treelace.extract.cells.cell import Cell
    from treelace.extract.types import Value

_AVAILABILITY = TYPES["availability"]
_DIGIT = re.compile(r"\d")


def column_type(texts: Sequence[str], *, locale: Locale | None = None) -> str:
    """The type of a column by its texts: the first of `TYPES` that 98 in a hundred are recognised
    as, if they fit it together; else `text`. What says that there is no value (a dash, `sold out`)
    fits all of them.

    >>> column_type(["€ 3.20", "€ 1.10"]), column_type(["12", "1,204"]), column_type(["12", "many"])
    ('price', 'number', 'text')
    >>> column_type(["€ 3.20", "sold out", "€ 1.10"])
    'price'
    """
    whole, texts = texts, [text for text in texts if not says_no_value(text)]
    if not texts:
        is_sold = bool(whole) and all(map(_AVAILABILITY.recognises, whole))
        return _AVAILABILITY.name if is_sold else TEXT.name
    # most columns are words, and are spared the long patterns
    has_digits = _are_most(lambda text: _DIGIT.search(text) or names_near_day(text), texts)
    for one in TYPES.values():
        if (
            (has_digits or not one.needs_digits)
            and _are_most(one.recognises, texts)
            and one.fits(texts, locale or Locale())
        ):
            return one.name
    return TEXT.name


def _are_most(holds: Callable[[str], object], texts: Sequence[str]) -> bool:
    """Whether it holds of enough texts; given up as soon as it cannot."""
    misses, most = 0, len(texts) - MIN_SHARE_OF_TEXTS * len(texts)
    for text in texts:
        if not holds(text):
            misses += 1
            if misses > most:
                return False
    return True


def column_values(
    texts: Sequence[str], type_name: str, *, language: str = "", locale: Locale | None = None
) -> Sequence[Value]:
    """The value of each text; None where it does not read as the column's type. Raw texts stay in
    their cells.

    How numbers and dates are written is decided for the whole column: by the locale where a person
    set one, else by what the texts show, then by the page's language.

    >>> column_values(["1.204,50 €", "3,20 €"], "price")
    [Price(amount=Decimal('1204.50'), currency='€'), Price(amount=Decimal('3.20'), currency='€')]
    >>> column_values(["1,204", "12"], "number")
    [1204, 12]
    """
    return type_named(type_name).values(texts, locale or Locale(language))


def typed_cells(cells: Sequence[Cell | None], locale: Locale) -> tuple[str, list[Cell | None]]:
    """The type of these cells of one column, and the cells with their values.

    What `time` elements say in their `datetime` outweighs their text ("3 days ago"); a cell without
    text is an image.
    """
    filled = [cell for cell in cells if cell is not None]
    are_images = bool(filled) and all(
        cell.items and all(item.kind != "text" for item in cell.items) for cell in filled
    )
    name, values = by_time_elements(filled) or _by_texts(
        [cell.text for cell in filled], locale, are_images=are_images
    )
    given = iter(values)
    return name, [None if cell is None else cell.with_value(next(given)) for cell in cells]


def _by_texts(
    texts: Sequence[str], locale: Locale, *, are_images: bool
) -> tuple[str, Sequence[Value]]:
    name = IMAGE.name if are_images else column_type(texts, locale=locale)
    return name, column_values(texts, name, locale=locale)


_TYPES_OF_TIME_ELEMENTS = ("date", "duration")


def by_time_elements(cells: Sequence[Cell]) -> tuple[str, Sequence[Value]] | None:
    """Dates or durations of `time` elements, where enough cells have a readable `datetime`."""
    written: list[str] = []
    misses, most = 0, len(cells) - MIN_SHARE_OF_TEXTS * len(cells)
    for cell in cells:
        written.append(_datetime(cell) or "")
        misses += not written[-1]
        if misses > most:
            return None
    if not any(written):
        return None
    for name in _TYPES_OF_TIME_ELEMENTS:
        values = type_named(name).values(written, Locale())
        if is_enough(sum(value is not None for value in values), len(cells)):
            return name, values
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
