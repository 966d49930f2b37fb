"""What is the data: tables out of a page."""

from __future__ import annotations

from typing import Any

from treelace.extract.extractor import Extractor
from treelace.extract.extractors import DEFAULT_EXTRACTOR, EXTRACTORS, extractor_named
from treelace.extract.table import Cell, Column, Item, Table
from treelace.tree import Tree, parse

__all__ = [
    "EXTRACTORS",
    "Cell",
    "Column",
    "Extractor",
    "Item",
    "Table",
    "extract",
    "extractor_named",
]


def extract(
    source: object,
    *,
    extractor: str | Extractor = DEFAULT_EXTRACTOR,
    only: str = "",
    locale: str = "",
    all_columns: bool = False,
    **options: Any,
) -> list[Table]:
    """The tables of a page, the likeliest first; an empty list where nothing repeats.

    `source` is a tree, or whatever `parse` takes: markup as `str` or bytes, a path, a response.
    `url=` is the address of the page, against which links and images are resolved, `time=` when it
    was served (ISO 8601), against which `3 hours ago` is a date; other options are the extractor's
    own. `only` keeps tables of one kind (`products`, `articles`, `events`, `links`, `images`,
    `tables`), `locale` says how numbers and dates are written (`de`, `en-US`) where the page does
    not. `all_columns` keeps copies, buttons and labels too, which are left out of the default
    extractor's tables.

    >>> extract("<ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i></ul>")[0].rows
    [['tea', '3'], ['milk', '2']]
    """
    tree = source if isinstance(source, Tree) else parse(source)
    if isinstance(extractor, str):
        if isinstance(url := getattr(source, "url", ""), str) and url:
            options.setdefault("url", url)
        if only and extractor == DEFAULT_EXTRACTOR:
            options.setdefault("most", TABLES_BEFORE_CHOICE)
        extractor = extractor_named(extractor, **options)
    tables = extractor.extract(tree)
    if all_columns:
        tables = [table.with_all_columns for table in tables]
    if only:
        from treelace.extract.table_kinds import of_kind

        tables = of_kind(tables, only)
    return [table.with_locale(locale) for table in tables] if locale else tables


TABLES_BEFORE_CHOICE = 40
"""Tables that the default extractor gives where only those of one kind are kept."""
