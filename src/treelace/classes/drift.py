"""Drift: whether a page is still what the wrapper of its class was learnt from."""

from __future__ import annotations

from dataclasses import dataclass, field

from treelace.classes.catalogue import KnownClass
from treelace.errors import WrapperError
from treelace.extract import Table
from treelace.extract.types import type_named
from treelace.tree import Tree
from treelace.wrappers import Wrapper
from treelace.wrappers.model.form import RegionForm

_ALWAYS = 0.99
"""Share of records that have a value in a column which is never empty."""


@dataclass(slots=True)
class Drift:
    """Pages of a class that are not what its wrapper knows any more, each with the reason."""

    pages: dict[str, str] = field(default_factory=dict)


def read_page(known: KnownClass, page: Tree, url: str) -> list[Table] | None:
    """The tables of a page of a class; None where nothing reads it. A `WrapperError` where the page
    is not what the wrapper knows: then there are no tables, and the class has drifted.
    """
    reader = known.reader
    if reader is None:
        return None
    if not known.examples:  # nobody has looked whether the page is of the class: the reader does
        return reader.apply(page, url=url)
    tables = (
        reader.apply(page, url=url, force=True)
        if isinstance(reader, Wrapper)
        else reader.apply(page, url=url)
    )
    trouble = trouble_of(tables[0], reader.regions[0]) if reader.regions else ""
    if trouble:
        raise WrapperError(trouble)
    return tables


def trouble_of(table: Table, region: RegionForm) -> str:
    """What is wrong with a page's table, by what its wrapper expects; empty where all is well.

    No record at all; a column of a list that all records had and most have no longer, or most of
    whose values do not read as its type; more than half of the columns of a page that is one
    record. A page is a small sample, so columns that are often empty tell nothing.
    """
    rows = table.cells
    if not rows:
        return "no record is found"
    if region.kind == "page":
        usual = [at for at, column in enumerate(region.columns) if column.fill >= _ALWAYS]
        missing = [region.columns[at].name for at in usual if rows[0][at] is None]
        return (
            f"most of its columns are empty: {', '.join(missing[:5])}"
            if len(missing) > len(usual) / 2
            else ""
        )
    for at, column in enumerate(region.columns):
        cells = [row[at] for row in rows if row[at] is not None]
        if column.fill >= _ALWAYS and len(cells) < len(rows) / 2:
            return (
                f"the column {column.name!r} is empty in {len(rows) - len(cells)} of {len(rows)}"
                " records"
            )
        unread = sum(cell.value is None for cell in cells if cell is not None)
        if not type_named(column.type).keeps_text and unread > len(cells) / 2:
            return (
                f"the column {column.name!r} does not read as {column.type} in {unread} of"
                f" {len(cells)} records"
            )
    return ""
