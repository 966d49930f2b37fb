"""Page readers that are not our wrappers: the extractor, and wrappers of other packages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import Protocol, cast, runtime_checkable

from treelace.errors import WrapperError
from treelace.extract import Table, extract
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
        return extract(page, url=url, all_columns=True)[:1]

    def __repr__(self) -> str:
        return "<the extractor: the likeliest table of each page>"


@runtime_checkable
class _HasApply(Protocol):
    apply: Callable[..., object]


class ForeignWrapper:
    """Someone else's wrapper as a `PageReader`.

    `made` has `apply(page)`, or `apply(page, url=…)` if it wants the page's address, and gives
    tables, or records as mappings from column to node, text or None. It may also be a function that
    does so, or a class that makes such an object.

    What it raises becomes a `WrapperError` with its name: the page keeps its version, and the crawl
    goes on.
    """

    def __init__(self, made: object, name: str) -> None:
        if isinstance(made, type):
            made = made()
        apply = made.apply if isinstance(made, _HasApply) else made
        if not callable(apply):
            raise WrapperError(
                f"{name}: a wrapper has a method apply(page), or is a function of the page"
            )
        self._apply: Callable[..., object] = apply
        self._takes_url = "url" in signature(apply).parameters
        self.name = name

    @property
    def regions(self) -> tuple[RegionForm, ...]:
        """Nothing is known of its tables before it has read a page."""
        return ()

    @property
    def page_class(self) -> None:
        """It says itself which pages it cannot read."""
        return

    def apply(self, page: Tree, *, url: str = "") -> list[Table]:
        """The tables of a page."""
        try:
            answer = self._apply(page, url=url) if self._takes_url else self._apply(page)
            return self._tables(page, list(cast("Iterable[object]", answer)))
        except WrapperError:
            raise
        except Exception as error:
            raise WrapperError(
                f"{self.name}: {type(error).__name__}: {' '.join(str(error).split())}"
            ) from error

    def _tables(self, page: Tree, found: list[object]) -> list[Table]:
        tables = [one for one in found if isinstance(one, Table)]
        if tables and len(tables) == len(found):
            return tables
        records = [one for one in found if isinstance(one, Mapping)]
        if len(records) < len(found):
            wrong = next(one for one in found if not isinstance(one, Mapping))
            raise WrapperError(
                f"{self.name} gave a {type(wrong).__name__}, which is neither a table nor a record"
            )
        return [Table.from_records(page, records)]

    def __repr__(self) -> str:
        return f"<{self.name}, a wrapper of another package>"
