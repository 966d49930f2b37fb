"""Drift: whether a page is still what the wrapper of its class was learnt from."""

from __future__ import annotations

from collections import Counter

from treelace.classes.catalogue import KnownClass
from treelace.errors import WrapperError
from treelace.extract import Table
from treelace.tree import Tree
from treelace.wrappers import Wrapper
from treelace.wrappers.apply.health import page_trouble

SAME_VALUES = 0.6
"""Share of the values of a page that a wrapper must find again on its new design to go on."""


class RefusedRecordsError(WrapperError):
    """A wrapper read records that its checks refuse; `records` is how many."""

    def __init__(self, why: str, records: int) -> None:
        super().__init__(why)
        self.records = records


def read_page(known: KnownClass, page: Tree, url: str) -> list[Table] | None:
    """The tables of a page of a class; None where nothing reads it. A `WrapperError` where the page
    is not what the wrapper knows: then there are no tables, and the class has drifted.
    """
    reader = known.reader
    if reader is None:
        return None
    if not known.examples:  # nobody has looked whether the page is of the class: the reader does
        return (
            reader.apply(page, url=url, language=known.language)
            if isinstance(reader, Wrapper)
            else reader.apply(page, url=url)
        )
    tables = read_tables(known, page, url)
    trouble = page_trouble(tables[0], reader.regions[0]) if reader.regions else ""
    if trouble:
        raise RefusedRecordsError(trouble, len(tables[0].cells))
    return tables


def read_tables(known: KnownClass, page: Tree, url: str) -> list[Table]:
    """What the reader of a class finds on a page, whatever the page is."""
    reader = known.reader
    if reader is None:
        return []
    if isinstance(reader, Wrapper):
        return reader.apply(page, url=url, force=True, language=known.language)
    return reader.apply(page, url=url)


def read_on(known: KnownClass, old: Tree, new: Tree, url: str) -> list[Table] | None:
    """The tables of a page in another design, where the wrapper of its class still reads it: every
    column that had a value has one, and most of the values are those that the page had before. Else
    None: a wrapper that finds something on a page of another design may have found anything.
    """
    try:
        before, after = (read_page(known, tree, url) for tree in (old, new))
    except WrapperError:
        return None
    if not before or not after or len(before[0].columns) != len(after[0].columns):
        return None
    columns = zip(_columns(before[0]), _columns(after[0]), strict=True)
    had, kept = 0, 0
    for texts, now in columns:
        if texts and 2 * now.total() < texts.total():
            return None
        had, kept = had + texts.total(), kept + (texts & now).total()
    return after if had and kept >= SAME_VALUES * had else None


def _columns(table: Table) -> list[Counter[str]]:
    """The texts of each column."""
    return [
        Counter(cell.text for row in table.cells if (cell := row[at]) is not None)
        for at in range(len(table.columns))
    ]
