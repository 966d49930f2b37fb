"""Kinds of tables (products, articles, events, …) by simple indicators (Zhai & Liu, §3.5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from treelace import named
from treelace.extract.locales import any_word, languages
from treelace.extract.table import Cell, Table

HALF = 0.5
"""Share of records that must be so for most kinds of tables."""

NEARLY_ALL = 0.8
"""The same for lists of links and of images."""

MIN_PARAGRAPH_LENGTH = 80
"""Characters from which on a text is a paragraph rather than a title."""

MAX_TEXT_BESIDE_LINK = 20
"""Characters beside its links from which on a record is more than a link."""

MIN_LETTERS_OF_WORDS = 3
"""Letters that a text which is no price must have to be words."""

_PRICE = re.compile(
    r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF)\b)\s*\d|\d\s*(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|zł|Kč)\b)"
)
_MONTH = rf"(?:{any_word(words[:3] for words in languages()['en'].months)})[a-z]*\.?"
_DAY = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d|\d{{1,2}}\.? {_MONTH} (?:19|20)\d\d)\b",
    re.IGNORECASE,
)
"""A day of the calendar somewhere in a text."""


def of_kind(tables: list[Table], kind: str) -> list[Table]:
    """The tables that are lists of this kind, in their order. An unknown kind is wrong use.

    >>> import treelace as tl
    >>> tables = tl.extract(tl.parse("<ul><li><b>tea</b> <i>€3</i><li><b>milk</b> <i>€2</i></ul>"))
    >>> len(of_kind(tables, "products")) > 0, of_kind(tables, "images")
    (True, [])
    """
    is_one = named.pick("kind of table", KINDS, kind)
    return [table for table in tables if is_one(table)]


def is_of_products(table: Table) -> bool:
    """Half of the records or more have a price, and something besides it."""
    return (
        _share(table, _has_price) >= HALF
        and _share(table, lambda row: sum(map(_is_words, row)) > 0) >= HALF
    )


def is_of_articles(table: Table) -> bool:
    """Half of the records have a link with a paragraph or a date; few have a price."""
    reads = _share(
        table,
        lambda row: (
            _has_link(row)
            and (any(len(cell.text) >= MIN_PARAGRAPH_LENGTH for cell in row) or _has_date(row))
        ),
    )
    return reads >= HALF and _share(table, _has_price) < HALF


def is_of_events(table: Table) -> bool:
    """Things with a day: half of the records or more have a date, and words besides."""
    return _share(table, lambda row: _has_date(row) and any(map(_is_words, row))) >= HALF


def is_of_links(table: Table) -> bool:
    """Links and little else: nearly all records are one link of a few words."""
    return (
        _share(
            table,
            lambda row: (
                _has_link(row)
                and sum(len(cell.text) for cell in row if cell.link is None) < MAX_TEXT_BESIDE_LINK
            ),
        )
        >= NEARLY_ALL
    )


def is_of_images(table: Table) -> bool:
    """Pictures: nearly all records have one."""
    return (
        _share(table, lambda row: any(item.kind == "image" for cell in row for item in cell.items))
        >= NEARLY_ALL
    )


def is_of_rows(table: Table) -> bool:
    """Rows of a data table: every record is one `tr` with two cells or more."""
    return len(table.columns) > 1 and all(
        len(roots) == 1 and roots[0].tag == "tr" for roots in table.records
    )


KINDS: dict[str, Callable[[Table], bool]] = {
    "products": is_of_products,
    "articles": is_of_articles,
    "events": is_of_events,
    "links": is_of_links,
    "images": is_of_images,
    "tables": is_of_rows,
}
"""Every kind by its name; to add one, write its function and add it here."""


def _share(table: Table, holds: Callable[[list[Cell]], bool]) -> float:
    rows = [[cell for cell in row if cell is not None] for row in table.cells]
    return sum(map(holds, rows)) / (len(rows) or 1)


def _has_price(row: list[Cell]) -> bool:
    return any(_PRICE.search(cell.text) for cell in row)


def _has_link(row: list[Cell]) -> bool:
    return any(cell.link is not None for cell in row)


def _has_date(row: list[Cell]) -> bool:
    return any(isinstance(cell.value, date) or _DAY.search(cell.text) for cell in row)


def _is_words(cell: Cell) -> bool:
    return not _PRICE.search(cell.text) and sum(map(str.isalpha, cell.text)) >= MIN_LETTERS_OF_WORDS
