"""PageReader: the one contract of everything that turns a page into tables."""

from __future__ import annotations

from typing import Protocol

from treelace.extract import Table
from treelace.tree import Tree
from treelace.wrappers.model.form import ClassForm, RegionForm


class PageReader(Protocol):
    """Turns a page of its class into tables.

    Three kinds of objects do: a `Wrapper`, which was learnt; the extractor, which promises nothing
    (`ExtractingReader`); a wrapper of another package, which `ForeignWrapper` adapts.
    """

    @property
    def regions(self) -> tuple[RegionForm, ...]:
        """The tables that it promises, with their columns; empty where it promises none."""

    @property
    def page_class(self) -> ClassForm | None:
        """The sketch that a page must be like, and how alike; None where it reads any page."""

    def apply(self, page: Tree, *, url: str = "") -> list[Table]:
        """The tables of a page; links are resolved against its address.

        A `WrapperError` says why the page cannot be read.
        """


def reads_one_record(reader: PageReader | None) -> bool:
    """Whether each page is one record to this reader, and not a list of them."""
    return reader is not None and bool(reader.regions) and reader.regions[0].kind == "page"
