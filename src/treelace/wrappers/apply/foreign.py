"""Wrappers of others: any object that turns a page into tables, or into records, used like one of
ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from treelace.errors import WrapperError
from treelace.extract import Table
from treelace.extract.table_from_records import table_from_records

if TYPE_CHECKING:
    from treelace.tree import Tree


class ForeignWrapper:
    """Someone else's wrapper. What it raises becomes a `WrapperError` with its name: the page keeps
    its version, and the crawl goes on.

    `made` has `apply(page)`, or `apply(page, url=…)` if it wants the page's address, and gives
    tables, or records as mappings from column to node, text or None; it may also be a function that
    does so, or a class or function that makes such an object.
    """

    def __init__(self, made: Any, name: str) -> None:
        if isinstance(made, type):
            made = made()
        self._apply = getattr(made, "apply", made)
        if not callable(self._apply):
            raise WrapperError(
                f"{name}: a wrapper has a method apply(page), or is a function of the page"
            )
        self._takes_url = "url" in signature(self._apply).parameters
        self.name = name

    def apply(self, page: Tree, *, url: str = "") -> list[Table]:
        """The tables of a page."""
        try:
            found = list(self._apply(page, url=url) if self._takes_url else self._apply(page))
            if all(isinstance(one, Table) for one in found) and found:
                return found
            wrong = next((one for one in found if not isinstance(one, Mapping)), None)
            if wrong is not None:
                raise WrapperError(
                    f"{self.name} gave a {type(wrong).__name__}, which is neither a table nor a"
                    " record"
                )
            return [table_from_records(page, found)]
        except WrapperError:
            raise
        except Exception as error:
            raise WrapperError(
                f"{self.name}: {type(error).__name__}: {' '.join(str(error).split())}"
            ) from error

    def __repr__(self) -> str:
        return f"<{self.name}, a wrapper of another package>"
