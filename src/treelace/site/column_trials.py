"""Columns tried on other pages of their class, before they are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.classes.column_choice import ColumnChoice
from treelace.errors import TreelaceError, UsageError
from treelace.site.listings import write_rows
from treelace.wrappers import Wrapper
from treelace.wrappers.loading import load_reader

if TYPE_CHECKING:
    from treelace.classes.catalogue import KnownClass
    from treelace.extract import Table
    from treelace.store import Store
    from treelace.store.settings import ColumnsSection

ROWS_OF_A_PAGE = 8


@dataclass(frozen=True, slots=True)
class TriedColumns:
    """What a page gives by the new columns: its first rows, or why it gives none."""

    url: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    count: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ColumnTrial:
    """A choice of columns on some pages; `misfits` are cells that do not read as their type."""

    name: str
    pages: tuple[TriedColumns, ...]
    misfits: int

    def __str__(self) -> str:
        read = sum(not page.problem for page in self.pages)
        odd = f"; {self.misfits:,} cells do not read as their type" if self.misfits else ""
        return f"{self.name}: {read} of {len(self.pages)} pages read{odd}"

    def text(self) -> str:
        """With the first rows of each page, for a terminal."""
        parts = [str(self)]
        for page in self.pages:
            parts.append(f"\n{page.url}: {page.problem or f'{page.count:,} records'}")
            if page.rows:
                parts.append(write_rows(page.rows, page.heads, "table").rstrip())
        return "\n".join(parts)


def try_columns(store: Store, known: KnownClass, said: ColumnsSection, pages: int) -> ColumnTrial:
    """Reads pages of a class with its wrapper and a new choice of columns."""
    one = known.page_class
    wrapper = choice_of(said).apply(_learnt(store, one.name))
    tried, misfits = [], 0
    members = store.classes.members(one.id)
    step = max(len(members) // pages, 1)
    for url in members[::step][:pages]:
        try:
            table = wrapper.apply(store.body(url).tree, force=True, url=url, limits=store.limits)[0]
        except TreelaceError as error:
            tried.append(TriedColumns(url, (), (), 0, str(error)))
            continue
        misfits += sum(len(table.misfits(column.name)) for column in table.columns)
        tried.append(_tried(url, table))
    return ColumnTrial(one.name, tuple(tried), misfits)


def _tried(url: str, table: Table) -> TriedColumns:
    heads = tuple(column.name for column in table.columns)
    rows = tuple(tuple(row) for row in table.shown_rows[:ROWS_OF_A_PAGE])
    return TriedColumns(url, heads, rows, len(table), "" if len(table) else "nothing was read")


def choice_of(said: ColumnsSection | None) -> ColumnChoice:
    """The choice of columns that the settings say."""
    if said is None:
        return ColumnChoice()
    return ColumnChoice(tuple(said.only), tuple(said.drop), said.rename, said.type, said.select)


def learnt_columns(store: Store, name: str) -> list[str]:
    """The columns of a class by the names that its wrapper has for them."""
    return [column.name for column in _learnt(store, name).regions[0].columns]


def _learnt(store: Store, name: str) -> Wrapper:
    stored = store.classes.newest_wrapper(store.classes.get(name).id)
    reader = None if stored is None else load_reader(stored.data)
    if not isinstance(reader, Wrapper):
        raise UsageError(f"{name} has no wrapper whose columns could be chosen")
    return reader
