"""How a text of structured data is compared with what a page shows."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from treelace.extract.cells.cell import Cell
from treelace.extract.types import Price, Rating

MIN_LETTERS_OF_CUT_TEXT = 8
"""Letters of a text that was cut short by which the whole one is known."""

_CUT = re.compile(r"\s*(?:…|\.\.\.)\W*$")

_CODED = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?(?:[T ].{2,})?|-?P(?:\d|T\d)[\dDHMSTWY.]*|[a-z]+://\S+|true|false",
    re.IGNORECASE | re.ASCII,
)
"""Days, durations, addresses and truth as machines write them."""


def key(cell: Cell) -> str:
    """A cell's text as it is compared; of a price its amount."""
    value = cell.value
    return plain(str(value.amount)) if isinstance(value, Price) else plain(cell.text)


def plain(text: str) -> str:
    """A text to be compared: small letters, single spaces, numbers without noughts at the end."""
    text = " ".join(text.lower().split())
    if re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30})?", text, re.ASCII):
        return f"{Decimal(text).normalize():f}"
    return text


def is_cut_from(text: str, whole: str) -> bool:
    """Whether a text that ends in `…` is the start of a longer one.

    >>> is_cut_from("The long way …", "The long way home"), is_cut_from("Tea", "Tea and jam")
    (True, False)
    """
    start = plain(_CUT.sub("", text))
    is_cut = _CUT.search(text) is not None and len(start) >= MIN_LETTERS_OF_CUT_TEXT
    return is_cut and plain(whole).startswith(start)


def agrees(cell: Cell, said: str) -> bool:
    """Whether a cell says what the data says: the same, its start, or it and more; the same day,
    number or rating. What machines alone write, and the cell's type cannot read, is taken for the
    same.
    """
    text, value = plain(said), cell.value
    if key(cell) == text or is_cut_from(cell.text, said):
        return True
    if isinstance(value, (Price, bool)):
        return isinstance(value, bool)
    if isinstance(value, (int, float, Decimal, Rating)):
        return _is_number(value.points if isinstance(value, Rating) else value, text)
    if isinstance(value, date):
        return _is_day(value, text, has_year=str(value.year) in cell.text)
    if _CODED.fullmatch(text):
        return True
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", key(cell)) is not None


def _is_number(value: float | Decimal, text: str) -> bool:
    """Whether a text is this number, or none at all."""
    if not re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30})?", text, re.ASCII):
        return True
    return abs(float(value) - float(text)) < 1e-9 * max(1.0, abs(float(value)))


def _is_day(value: date, text: str, *, has_year: bool) -> bool:
    """Whether a text is this day, or none at all. With a time it may be the day beside it, in
    another time zone.
    """
    try:
        said = date.fromisoformat(text[:10])
        said = said if has_year else said.replace(year=value.year)
    except ValueError:
        return True
    return abs(said.toordinal() - value.toordinal()) <= (1 if len(text) > 10 else 0)


def short_name(name: str) -> str:
    """The last word of a property, or the one before `name`.

    >>> [short_name(name) for name in ("offers.price", "brand.name", "name")]
    ['price', 'brand', 'name']
    """
    parts = name.split(".")
    return parts[-2] if parts[-1] == "name" and len(parts) > 1 else parts[-1]
