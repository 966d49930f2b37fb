"""Some records of a kind: searched, filtered, sorted and cut by the database."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Select, Table, or_, select

from treelace.errors import UsageError
from treelace.named import pick, unique_names
from treelace.store import times
from treelace.store.record_indexes import count_today, has_index, place_of
from treelace.store.record_kinds import NUMBER_TYPES, RecordKind, find_kind, history_table
from treelace.store.record_search import Found, among, end_of, in_time, search
from treelace.store.record_table import RecordTable
from treelace.store.schema import pages

if TYPE_CHECKING:
    from treelace.store.database import Connections

MAX_COUNT = 10_000
"""Records that a search or a filter finds at a time: counting a million takes a second."""
_CONDITION = re.compile(r"\s*(?P<column>.+?)\s*(?P<sign>>=|<=|!=|=|<|>|~)\s*(?P<value>.*?)\s*")
_RANGES = ("=", "<", ">", "<=", ">=")
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
    the text `search` and meet every condition, by a column or in the order they came. A search may
    take some `seconds`, and goes on `after` a row where it was cut.
    """

    at: datetime | None = None
    since: datetime | None = None
    search: str = ""
    where: Sequence[Condition] = ()
    sort: str = ""
    descending: bool = False
    offset: int = 0
    limit: int = 50
    after: int = 0
    seconds: float | None = None

    @property
    def is_of_all(self) -> bool:
        """Whether every record of today is meant."""
        return not (self.search or self.where or self.since or self.at or self.after)


@dataclass(frozen=True, slots=True)
class RecordRows:
    """Some records, and how many there are. Of a search or a filter `MAX_COUNT` are counted:
    where there `is_more`, or where it took too long and `is_cut`, it goes on after `go_on`.
    """

    table: RecordTable
    total: int
    is_more: bool
    offset: int
    is_cut: bool = False
    go_on: int | None = None

    def __len__(self) -> int:
        return len(self.table)

    def __str__(self) -> str:
        last = self.offset + len(self)
        total = f"more than {self.total:,}" if self.is_more else f"{self.total:,}"
        so_far = " found so far" if self.is_cut else ""
        some = f"{self.offset + 1:,} to {last:,} of {total}" if len(self) else f"none of {total}"
        return some + so_far


def find_rows(connections: Connections, name: str, query: RecordQuery) -> RecordRows:
    """The records that a query asks for."""
    if query.offset < 0 or query.limit < 0 or query.after < 0:
        raise UsageError("offset, limit and after are counted from 0")
    until = end_of(query.seconds)
    with connections.reading() as connection:
        kind = find_kind(connection, name)
        table = history_table(kind)
        if query.is_of_all:
            total, found = count_today(connection, kind), Found([])
            wanted = select(table.c.id).where(table.c.valid_to.is_(None))
            ids = list(connection.execute(_page(wanted, kind, table, query)).scalars())
        else:
            found = _search(connection, kind, table, query, until)
            total = len(found.ids)
            ids = _in_order(connection, kind, table, query, found, until)
        heads, values = _read(connection, kind, table, ids, has_end=query.at is not None)
    return RecordRows(
        RecordTable(kind.name, heads, values),
        total,
        is_more=found.go_on is not None and not found.is_cut,
        offset=query.offset,
        is_cut=found.is_cut,
        go_on=found.go_on,
    )


def _search(
    connection: Connection, kind: RecordKind, table: Table, query: RecordQuery, until: float
) -> Found:
    meant, indexed = _conditions(connection, kind, table, query)
    is_today = [table.c.valid_to.is_(None)]
    narrow = [*is_today, *indexed] if indexed and query.at is None else []
    most = max(MAX_COUNT, query.offset + query.limit)
    return search(connection, table, meant, narrow, after=query.after, most=most, until=until)


def _in_order(
    connection: Connection,
    kind: RecordKind,
    table: Table,
    query: RecordQuery,
    found: Found,
    until: float,
) -> list[int]:
    """The page of what was found. Of more than is found at a time, the index of the column says
    which come first; where that takes too long, they are the first of those that were found.
    """
    if not query.sort:
        ids = found.ids[::-1] if query.descending else found.ids
        return ids[query.offset : query.offset + query.limit]
    if found.go_on is not None and not found.is_cut:
        meant, _ = _conditions(connection, kind, table, query)
        every = select(table.c.id).where(table.c.id > query.after, *meant)
        first = in_time(connection, _page(every, kind, table, query), until)
        if first is not None:
            return first
    those = select(table.c.id).where(among(connection, table, found.ids))
    return list(connection.execute(_page(those, kind, table, query)).scalars())


def _page(wanted: Select[Any], kind: RecordKind, table: Table, query: RecordQuery) -> Select[Any]:
    return wanted.order_by(*_order(kind, table, query)).offset(query.offset).limit(query.limit)


def _read(
    connection: Connection, kind: RecordKind, table: Table, ids: list[int], *, has_end: bool
) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """The names of the columns, and the rows with these numbers in their order."""
    columns = [table.c[kind.names[column]] for column in kind.columns]
    own = [pages.c.url, table.c.version, table.c.node, table.c.valid_from]
    end = [table.c.valid_to] if has_end else []
    wanted: Select[Any] = (
        select(table.c.id, table.c.key, *columns, *own, *end)
        .select_from(table.outerjoin(pages, table.c.page_id == pages.c.id))
        .where(among(connection, table, ids))
    )
    places = ["page", "version", "node", "valid_from", *(["valid_to"] if end else [])]
    heads = ["key", *unique_names(kind.columns, taken=["key", *places]), *places]
    clock = heads.index("valid_from")
    rows = {
        row[0]: tuple(
            times.from_number(value) if at >= clock and value is not None else value
            for at, value in enumerate(row[1:])
        )
        for row in connection.execute(wanted)
    }
    return tuple(heads), tuple(rows[one] for one in ids)


def _conditions(
    connection: Connection, kind: RecordKind, table: Table, query: RecordQuery
) -> tuple[list[ColumnElement[bool]], list[ColumnElement[bool]]]:
    """All that must hold, and those of these that an index may answer."""
    meant: list[ColumnElement[bool]] = []
    indexed: list[ColumnElement[bool]] = []
    if query.at is None:
        meant.append(table.c.valid_to.is_(None))
    else:
        number = times.to_number(query.at)
        is_valid = table.c.valid_to.is_(None) | (table.c.valid_to > number)
        meant += [table.c.valid_from <= number, is_valid]
    if query.since is not None:
        indexed.append(table.c.valid_from >= times.to_number(query.since))
    for one in query.where:
        made = _condition(connection, kind, table, one)
        is_number = kind.columns.get(one.column) in NUMBER_TYPES
        is_answered = is_number and one.sign in _RANGES and one.value
        (indexed if is_answered and has_index(kind, one.column) else meant).append(made)
    if query.search:
        # a reader searches what is read: where texts lead to, and signs of currencies, are not
        texts = [
            table.c[kind.names[column]]
            for column, its in kind.columns.items()
            if its not in NUMBER_TYPES and not column.endswith((" link", " currency"))
        ]
        found = [_contains(connection, one, query.search) for one in texts or [table.c.key]]
        meant.append(or_(*found))
    return [*meant, *indexed], indexed


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
    """By the column that was asked for, empty ones last; then as they came. The way down is the
    way up from its end, so that one index has both.
    """
    number = table.c.id.desc() if query.descending else table.c.id
    if not query.sort:
        return [number]
    known = {**kind.names, "key": "key", "valid_from": "valid_from"}
    pick(f"column of {kind.name}", known, query.sort)
    place = place_of(kind, table, query.sort)
    return [(place.desc() if query.descending else place.asc()).nulls_last(), number]
