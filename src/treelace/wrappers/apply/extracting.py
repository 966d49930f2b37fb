"""The extractor as a page reader: slower and less steady than a wrapper, but nothing is learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.extract import extract

if TYPE_CHECKING:
    from treelace.extract import Table
    from treelace.tree import Tree
    from treelace.wrappers.model.form import RegionForm


class ExtractingReader:
    """Finds the likeliest table of each page anew."""

    @property
    def regions(self) -> tuple[RegionForm, ...]:
        """No table is promised."""
        return ()

    @property
    def page_class(self) -> None:
        """Any page will do."""
        return

    def apply(self, page: Tree, *, url: str = "") -> list[Table]:
        """The likeliest table of the page."""
        return extract(page, url=url)[:1]

    def __repr__(self) -> str:
        return "<the extractor: the likeliest table of each page>"
