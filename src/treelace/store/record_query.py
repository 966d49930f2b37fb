"""Some records of a kind: searched, filtered, sorted and cut by the database."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Select, Table, func, or_, select

from treelace.errors import UsageError
from treelace.named import pick, unique_names
from treelace.store import times
from treelace.store.record_kinds import NUMBER_TYPES, RecordKind, find_kind, history_table
from treelace.store.record_table import RecordTable
from treelace.store.schema import pages

if TYPE_CHECKING:
    from treelace.store.database import Connections

MAX_COUNT = 10_000
"""Records that a search or a filter is counted up to: counting a million takes a second."""
_CONDITION = re.compile(r"\s*(?P<column>.+?)\s*(?P<sign>>=|<=|!=|=|<|>|~)\s*(?P<value>.*?)\s*")
_COMPARE: dict[str, Callable[[ColumnElement[Any], Any], ColumnElement[bool]]] = {
    "=": lambda column, value: column == value,
    "!=": lambda column, value: column != value,
    "<": lambda column, value: column < value,
    ">": lambda column, value: column > value,
    "<=": lambda column, value: column <= value,
    ">=": lambda column, value: column >= value,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """What a column must be: `price >= 20`, `title ~ tea` (it contains that), `stock =` (empty)."""

    column: str
    sign: str
    value: str

    @classmethod
    def read(cls, words: str) -> Condition:
        """A condition as people write it.

        >>> Condition.read("former price>=20")
        Condition(column='former price', sign='>=', value='20')
        """
        found = _CONDITION.fullmatch(words)
        if found is None:
            raise UsageError(
                f"{words!r} is no condition: write it like 'price >= 20', 'title ~ tea' (contains)"
                " or 'stock =' (empty)"
            )
        return cls(found["column"], found["sign"], found["value"])

    def __str__(self) -> str:
        return f"{self.column} {self.sign} {self.value}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordQuery:
    """Which records: those of today or as of `at`, that came or changed `since` then, that hold
    the text `search` and meet every condition, by a column or in the order they came.
    """

    at: datetime | None = None
    since: datetime | None = None
    search: str = ""
    where: Sequence[Condition] = ()
    sort: str = ""
    descending: bool = False
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True)
class RecordRows:
    """Some records, and how many there are; beyond `MAX_COUNT` of a search it `is_more`."""

    table: RecordTable
    total: int
    is_more: bool
    offset: int

    def __len__(self) -> int:
        return len(self.table)

    def __str__(self) -> str:
        last = self.offset + len(self)
        total = f"more than {self.total:,}" if self.is_more else f"{self.total:,}"
        return f"{self.offset + 1:,} to {last:,} of {total}" if len(self) else f"none of {total}"


def find_rows(connections: Connections, name: str, query: RecordQuery) -> RecordRows:
    """The records that a query asks for."""
    if query.offset < 0 or query.limit < 0:
        raise UsageError("offset and limit are counted from 0")
    with connections.reading() as connection:
        kind = find_kind(connection, name)
        table = history_table(kind)
        meant = _conditions(connection, kind, table, query)
        total, is_more = _count(connection, table, query, meant)
        is_past_the_end = not is_more and query.offset >= total
        order = _order(kind, table, query)
        ids = (
            select(table.c.id)
            .where(*meant)
            .order_by(*order)
            .offset(query.offset)
            .limit(query.limit)
            .subquery()
        )
        columns = [table.c[kind.names[column]] for column in kind.columns]
        own = [pages.c.url, table.c.version, table.c.node, table.c.valid_from]
        end = [table.c.valid_to] if query.at is not None else []
        wanted: Select[Any] = (
            select(table.c.key, *columns, *own, *end)
            .select_from(
                ids.join(table, ids.c.id == table.c.id).outerjoin(
                    pages, table.c.page_id == pages.c.id
                )
            )
            .order_by(*order)
        )
        rows = [] if is_past_the_end else connection.execute(wanted).all()
    places = ["page", "version", "node", "valid_from", *(["valid_to"] if end else [])]
    heads = ["key", *unique_names(kind.columns, taken=["key", *places]), *places]
    clock = heads.index("valid_from")
    values = tuple(
        tuple(
            times.from_number(value) if at >= clock and value is not None else value
            for at, value in enumerate(row)
        )
        for row in rows
    )
    return RecordRows(RecordTable(kind.name, tuple(heads), values), total, is_more, query.offset)


def _count(
    connection: Connection, table: Table, query: RecordQuery, meant: list[ColumnElement[bool]]
) -> tuple[int, bool]:
    is_of_all = not (query.search or query.where or query.since or query.at)
    found = select(table.c.id).where(*meant)
    if not is_of_all:
        found = found.limit(MAX_COUNT + 1)
    count = int(connection.execute(select(func.count()).select_from(found.subquery())).scalar_one())
    return (MAX_COUNT, True) if not is_of_all and count > MAX_COUNT else (count, False)


def _conditions(
    connection: Connection, kind: RecordKind, table: Table, query: RecordQuery
) -> list[ColumnElement[bool]]:
    meant: list[ColumnElement[bool]] = []
    if query.at is None:
        meant.append(table.c.valid_to.is_(None))
    else:
        number = times.to_number(query.at)
        is_valid = table.c.valid_to.is_(None) | (table.c.valid_to > number)
        meant += [table.c.valid_from <= number, is_valid]
    if query.since is not None:
        meant.append(table.c.valid_from >= times.to_number(query.since))
    meant += [_condition(connection, kind, table, one) for one in query.where]
    if query.search:
        # a reader searches what is read: where texts lead to, and signs of currencies, are not
        texts = [
            table.c[kind.names[column]]
            for column, its in kind.columns.items()
            if its not in NUMBER_TYPES and not column.endswith((" link", " currency"))
        ]
        found = [_contains(connection, one, query.search) for one in texts or [table.c.key]]
        meant.append(or_(*found))
    return meant


def _condition(
    connection: Connection, kind: RecordKind, table: Table, one: Condition
) -> ColumnElement[bool]:
    known = {**kind.names, "key": "key"}
    column = table.c[pick(f"column of {kind.name}", known, one.column)]
    is_number = kind.columns.get(one.column) in NUMBER_TYPES
    if one.sign in ("=", "!=") and not one.value:
        is_empty = column.is_(None) if is_number else column.is_(None) | (column == "")
        return is_empty if one.sign == "=" else ~is_empty
    if one.sign == "~":
        return _contains(connection, column, one.value)
    if not is_number:
        return _COMPARE[one.sign](column, one.value)
    try:
        number = float(one.value.replace(",", ""))
    except ValueError as error:
        raise UsageError(
            f"{one.column} is a number, and {one.value!r} is none: write it like"
            f" '{one.column} {one.sign} 20'"
        ) from error
    return _COMPARE[one.sign](column, number)


def _contains(
    connection: Connection, column: ColumnElement[Any], words: str
) -> ColumnElement[bool]:
    """Small and capital letters are one (on SQLite those of ASCII, as its LIKE has it: to change
    every text to small letters first takes three times as long and does no more).
    """
    escaped = re.sub(r"([/%_])", r"/\1", words)
    pattern = f"%{escaped}%"
    if connection.dialect.name == "sqlite":
        return column.like(pattern, escape="/")
    return column.ilike(pattern, escape="/")


def _order(kind: RecordKind, table: Table, query: RecordQuery) -> list[ColumnElement[Any]]:
    """By the column that was asked for, empty ones last; then as they came."""
    if not query.sort:
        return [table.c.id.desc() if query.descending else table.c.id]
    known = {**kind.names, "key": "key", "valid_from": "valid_from"}
    column = table.c[pick(f"column of {kind.name}", known, query.sort)]
    by = column.desc() if query.descending else column.asc()
    return [by.nulls_last(), table.c.id]
