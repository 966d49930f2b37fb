"""Fitting: whether a page is still what a wrapper was learnt from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.errors import WrapperError
from treelace.extract.types import type_named

if TYPE_CHECKING:
    from treelace.extract import Table
    from treelace.tree import Tree
    from treelace.wrappers.model.form import ClassForm, RegionForm
    from treelace.wrappers.model.page_reader import PageReader


class Watched:
    """A wrapper that refuses a page that is not what it was learnt from: then there are no tables,
    and the class has drifted.
    """

    def __init__(self, wrapper: PageReader) -> None:
        self._wrapper = wrapper

    @property
    def regions(self) -> tuple[RegionForm, ...]:
        """The tables that the wrapper promises."""
        return self._wrapper.regions

    @property
    def page_class(self) -> ClassForm | None:
        """What a page must be like for the wrapper."""
        return self._wrapper.page_class

    def apply(self, page: Tree, *, url: str = "") -> list[Table]:
        """The tables; a `WrapperError` where the page is not what the wrapper knows."""
        tables = self._wrapper.apply(page, url=url)
        trouble = trouble_of(tables[0], self.regions[0]) if self.regions else ""
        if trouble:
            raise WrapperError(trouble)
        return tables


def trouble_of(table: Table, region: RegionForm) -> str:
    """What is wrong with the table of one page, by what its wrapper expects; empty where all is
    well.

    No record at all; a column of a list that all records had and most have no longer, or most of
    whose values do not read as its type; more than half of the columns of a page that is one
    record. A page is a small sample, so columns that are often empty tell nothing.
    """
    rows = table.cells
    if not rows:
        return "no record is found"
    if region.kind == "page":
        usual = [at for at, column in enumerate(region.columns) if column.fill >= 0.99]
        missing = [region.columns[at].name for at in usual if rows[0][at] is None]
        return (
            f"most of its columns are empty: {', '.join(missing[:5])}"
            if len(missing) > len(usual) / 2
            else ""
        )
    for at, column in enumerate(region.columns):
        cells = [row[at] for row in rows if row[at] is not None]
        if column.fill >= 0.99 and len(cells) < len(rows) / 2:
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
