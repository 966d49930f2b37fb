"""Record keys: which columns of a learnt list tell its records apart, today and tomorrow."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from treelace.classes.model import ELSE
from treelace.extract.types import IMAGE, TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Table
    from treelace.tree import Tree
    from treelace.wrappers import Wrapper
    from treelace.wrappers.model.form import ColumnForm

MIN_TOLD_APART, MAX_NAMES_OF_A_KEY = 0.9, 3
"""Share of the records that the names of a key tell apart (others are numbered); names of a key."""
MIN_OWN_LINKS = 0.95
"""Share of records with a link that no other record of the page has in a column of their links; the
rest are numbered.
"""
MIN_LINKS = 2
"""Records with a link, where others have none, so that links come before names."""


def record_key(wrapper: Wrapper, trees: Sequence[Tree]) -> list[str]:
    """The columns that identify the records of a list on all pages; empty if none do.

    The column whose text leads to the record's own page is better than any value: an address
    outlives prices, names and designs. Pictures lead there, too, but pictures come and go, so they
    are asked last. A record without a link is known by the fewest columns of names that tell nearly
    all of them apart.
    """
    first = wrapper.form.regions[0]
    if first.kind == "page":
        return []
    tables = [wrapper.apply(tree, force=True)[0] for tree in trees]
    names = _name_key([row for table in tables for row in table.rows], first.columns)
    link, is_everywhere = _own_link(tables, first.columns, names)
    if not link:
        return names
    return [link] if is_everywhere or not names else [link, ELSE, *names]


def _own_link(
    tables: Sequence[Table], columns: Sequence[ColumnForm], names: Sequence[str]
) -> tuple[str, bool]:
    """The links that lead to the records' own pages, and whether every record has one."""
    rows = sum(len(table.cells) for table in tables)
    linked: dict[str, int] = {}
    own: dict[str, int] = {}
    for at, column in enumerate(columns):
        links = [
            [cell.link for row in table.cells if (cell := row[at]) and cell.link]
            for table in tables
        ]
        linked[column.name] = sum(map(len, links))
        own[column.name] = sum(len(set(some)) for some in links)
    pictures = {column.name for column in columns if column.type == IMAGE.name}
    for name in sorted(own, key=lambda name: name in pictures):
        if own[name] >= MIN_OWN_LINKS * max(1, rows):
            return f"{name} link", linked[name] == rows
    for name in names:
        if own[name] >= max(MIN_LINKS, MIN_OWN_LINKS * linked[name]):
            return f"{name} link", False
    return "", False


def _name_key(rows: Sequence[Sequence[str | None]], columns: Sequence[ColumnForm]) -> list[str]:
    different = {tuple(row) for row in rows}
    names = [
        at
        for at, column in enumerate(columns)
        if column.type == TEXT.name
        and sum(row[at] is not None for row in rows) >= MIN_OWN_LINKS * len(rows)
        and 2 * sum(_is_name(row[at] or "") for row in rows) > len(rows)
    ]
    for size in range(1, MAX_NAMES_OF_A_KEY + 1):
        for some in combinations(names, size):
            keys = {tuple(row[at] for at in some) for row in different}
            if len(keys) >= MIN_TOLD_APART * len(different):
                return [columns[at].name for at in some]
    return []


def _is_name(text: str) -> bool:
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))
