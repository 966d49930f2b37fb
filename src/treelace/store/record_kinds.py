"""The tables of records: `<kind>_history` with typed columns, and a view `<kind>` of today."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    Integer,
    MetaData,
    Table,
    select,
    text,
)

from treelace.errors import UsageError
from treelace.store import keys, times
from treelace.store.checksums import add_row, change_rows
from treelace.store.database_values import PageText
from treelace.store.schema import CHECKSUM, classes, kinds, metadata

NUMBER_TYPES = {"integer": BigInteger, "number": Double, "bool": Integer, "duration": Double}
"""The types of columns that are not kept as text."""
_OWN_COLUMNS = "id key valid_from valid_to page_id page version node nodes".split()
_MAX_NAME = 48
"""Characters of a name in the database: PostgreSQL cuts names at 63, and views add to them."""


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record: its name, its key, and its columns with their types."""

    id: int
    name: str
    page_class: str | None
    key: tuple[str, ...]
    key_is_set: bool
    columns: Mapping[str, str]
    class_id: int | None = None

    @property
    def is_inside(self) -> bool:
        """Whether its records are a list inside pages that are records themselves."""
        return self.key[:1] == (keys.PAGE,)

    @property
    def names(self) -> Mapping[str, str]:
        """The name of each column in the database."""
        return _column_names(tuple(self.columns))


# kinds in the database


def load_kinds(connection: Connection) -> list[RecordKind]:
    """The kinds of records there are."""
    rows = connection.execute(
        select(kinds, classes.c.name.label("class_name"))
        .select_from(kinds.outerjoin(classes))
        .order_by(kinds.c.id)
    )
    return [
        RecordKind(
            row.id,
            row.name,
            row.class_name,
            tuple(row.key),
            bool(row.key_is_set),
            row.columns,
            row.class_id,
        )
        for row in rows
    ]


def find_kind(connection: Connection, name: str) -> RecordKind:
    """A kind by its name, or by that of its class; `UsageError` where there is none."""
    known = load_kinds(connection)
    for one in (
        *(it for it in known if it.name == name),
        *(it for it in known if it.page_class == name),
    ):
        return one
    names = [one.name for one in known]
    near = get_close_matches(name, names, n=1)
    hint = f" did you mean {near[0]!r}?" if near else ""
    raise UsageError(
        f"no records are called {name!r};{hint} there are: {', '.join(names) or 'none yet'}"
    )


def add_kind(
    connection: Connection,
    name: str,
    types: Mapping[str, str],
    class_id: int | None,
    key: Sequence[str],
    *,
    key_is_set: bool,
) -> RecordKind:
    """A new kind of records, with its table and its view."""
    values = {
        "name": name,
        "class_id": class_id,
        "key": checked_key(key, types),
        "key_is_set": int(key_is_set),
        "columns": types,
    }
    add_row(connection, kinds, values)
    kind = find_kind(connection, name)
    make_table(connection, kind)
    return kind


def add_columns(connection: Connection, kind: RecordKind, types: Mapping[str, str]) -> RecordKind:
    """The kind with a column for all of these."""
    fresh = {column: its for column, its in types.items() if column not in kind.columns}
    grown = replace(kind, columns={**kind.columns, **fresh})
    table = history_table(grown)
    for column in fresh:
        name = grown.names[column]
        sql = table.c[name].type.compile(connection.dialect)
        connection.execute(
            text(f"ALTER TABLE {quoted(table.name)} ADD COLUMN {quoted(name)} {sql}")
        )
    change_rows(connection, kinds, kinds.c.id == kind.id, {"columns": dict(grown.columns)})
    make_view(connection, grown)
    return grown


def checked_key(columns: Sequence[str], types: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of a key; `UsageError` where one of them is no column."""
    missing = [name for name in columns if name not in (*types, keys.NODE, keys.ELSE, keys.PAGE)]
    if missing:
        raise UsageError(
            f"the key names {missing[0]!r}, which is no column; there are: {', '.join(types)}"
        )
    return tuple(columns)


# tables and views


def history_table(kind: RecordKind) -> Table:
    """The table of a kind's history."""
    return _history_table(kind.id, kind.name, tuple(kind.columns.items()))


@lru_cache(maxsize=256)
def _history_table(number: int, name: str, types: tuple[tuple[str, str], ...]) -> Table:
    """One object for each table, so that statements on it are compiled once."""
    names = _column_names(tuple(column for column, _ in types))
    columns: list[Column[Any]] = [
        Column(names[column], NUMBER_TYPES.get(its, PageText)) for column, its in types
    ]
    return Table(
        f"{name}_history",
        MetaData(),
        Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
        Column("key", PageText, nullable=False, index=True),
        Column("valid_from", BigInteger, nullable=False),
        Column("valid_to", BigInteger, index=True),
        Column("page_id", BigInteger),
        Column("version", Integer),
        Column("node", BigInteger),
        Column("nodes", PageText),
        Column(CHECKSUM, BigInteger),
        *columns,
        info={"seal": f"records {number}"},
    )


def make_table(connection: Connection, kind: RecordKind) -> None:
    """Makes the table of a kind, and its view."""
    history_table(kind).create(connection)
    make_view(connection, kind)


def make_view(connection: Connection, kind: RecordKind) -> None:
    """Makes the view of the records a kind has today."""
    drop_view(connection, kind.name)
    query = view_query(kind, is_sqlite=connection.dialect.name == "sqlite")
    connection.execute(text(f"CREATE VIEW {quoted(kind.name)} AS {query}"))


def drop_view(connection: Connection, name: str) -> None:
    """Takes a view away, if it is there."""
    connection.execute(text(f"DROP VIEW IF EXISTS {quoted(name)}"))


def view_query(kind: RecordKind, *, is_sqlite: bool, at: datetime | None = None) -> str:
    """The query of a kind's view: its records of today, or of a time."""
    columns = ", ".join(f"h.{quoted(name)}" for name in kind.names.values())
    when = "h.valid_to IS NULL"
    if at is not None:
        number = times.to_number(at)
        when = f"h.valid_from <= {number} AND (h.valid_to IS NULL OR h.valid_to > {number})"
    start = (
        "strftime('%Y-%m-%dT%H:%M:%fZ', h.valid_from / 1000.0, 'unixepoch')"
        if is_sqlite
        else "to_timestamp(h.valid_from / 1000.0)"
    )
    return (
        f"SELECT h.key, {columns}, p.url AS page, h.version, h.node, {start} AS valid_from FROM"
        f" {quoted(kind.name + '_history')} h LEFT JOIN pages p ON p.id = h.page_id WHERE"
        f" {when}"
    )


# names


@lru_cache(maxsize=256)
def _column_names(columns: tuple[str, ...]) -> Mapping[str, str]:
    made: dict[str, str] = {}
    taken = set(_OWN_COLUMNS)
    for column in columns:
        made[column] = _free_name(_plain_name(column, "column"), taken)
        taken.add(made[column])
    return MappingProxyType(made)


@lru_cache(maxsize=256)
def kind_name(name: str, number: int) -> str:
    """What the records of a class's table are called; the first one has the name of the class."""
    plain = _free_name(
        _plain_name(name, "records"),
        set(metadata.tables) | {f"{table}_history" for table in metadata.tables},
    )
    return plain if number == 1 else f"{plain}_{number}"


@lru_cache(maxsize=1024)
def is_of_class(kind: str, name: str) -> bool:
    """Whether a kind's name is one of a class's tables."""
    first = kind_name(name, 1)
    return kind == first or re.fullmatch(re.escape(first) + r"_\d+", kind) is not None


def table_number(kind: str, name: str) -> int:
    """Which table of its class's wrapper a kind comes from, from 1.

    >>> table_number("tea_2", "tea"), table_number("tea", "tea")
    (2, 1)
    """
    rest = kind.removeprefix(kind_name(name, 1)).removeprefix("_")
    return int(rest) if rest.isdigit() else 1


def _plain_name(name: str, otherwise: str) -> str:
    """A name that needs no quotes in SQL."""
    made = re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")[:_MAX_NAME] or otherwise
    return made if made[0].isalpha() else f"{otherwise[0]}_{made}"


def _free_name(name: str, taken: set[str]) -> str:
    made, number = name, 2
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    return made


def quoted(name: str) -> str:
    """A name as SQL takes any.

    >>> quoted('the "best"')
    '"the ""best""\"'
    """
    return '"' + name.replace('"', '""') + '"'
