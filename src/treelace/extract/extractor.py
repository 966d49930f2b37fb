"""The contract of every extractor."""

from __future__ import annotations

from typing import ClassVar, Protocol

from treelace.extract.table import Table
from treelace.tree import Tree


class Extractor(Protocol):
    """Finds the tables of a page.

    Every extractor promises, and tests/contracts/test_extractors.py checks: the likeliest table
    first, an empty list where there is nothing; a table has two records or more, but for the page's
    own record; every visible text of a record stands in exactly one cell; every cell names the
    element that holds it; the same page gives the same tables.
    """

    name: ClassVar[str]

    def extract(self, tree: Tree) -> list[Table]:
        """The tables of the page."""
        ...
