"""Records: what stands on the pages of a class, with its history.

A record is valid from the version that first showed it until the one that no longer does; a change
ends one row and begins the next. The same record on several pages is one record: it ends when the
last page drops it, and a page changes it only when what that page says of it has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Row, Select, func, select

from treelace.errors import UsageError
from treelace.named import unique_names
from treelace.store import times
from treelace.store.checksums import change_rows, remove_rows
from treelace.store.database import Connections
from treelace.store.newest_changes import newest_changes
from treelace.store.record_changes import RecordChange, changes_of
from treelace.store.record_indexes import count_today
from treelace.store.record_kinds import (
    RecordKind,
    checked_key,
    find_kind,
    history_table,
    load_kinds,
)
from treelace.store.record_query import RecordQuery, RecordRows, find_rows
from treelace.store.record_table import RecordTable
from treelace.store.rows import in_parts
from treelace.store.schema import kinds, pages, sightings
from treelace.store.states import ChangeKind


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a record in a version; `old` and `new` are its values."""

    kind: str
    what: ChangeKind
    key: str
    node: int | None
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RecordState:
    """The values of a record from one time until another (None: they still hold)."""

    key: str
    values: Mapping[str, Any]
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class RecordMoment:
    """A record, or one column of it, from one change to the next, and where it was read: `value` is
    the column's, or all values by column.
    """

    valid_from: datetime
    valid_to: datetime | None
    value: Any
    page: str | None
    version: int
    node: int


class Records:
    """The records of a store."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    # kinds

    def kinds(self) -> list[RecordKind]:
        """The kinds of records there are."""
        with self._connections.reading() as connection:
            return load_kinds(connection)

    def kind(self, name: str) -> RecordKind:
        """A kind by its name, or by that of its class; `UsageError` where there is none."""
        with self._connections.reading() as connection:
            return find_kind(connection, name)

    def kinds_of(self, class_id: int) -> list[RecordKind]:
        """The kinds of records of a class, in the order of its wrapper's tables."""
        return [kind for kind in self.kinds() if kind.class_id == class_id]

    def set_key(self, name: str, columns: Sequence[str] | None) -> None:
        """Sets the columns that identify a record (None: chosen later); rebuild records then."""
        kind = self.kind(name)
        values: dict[str, object] = {"key_is_set": int(bool(columns))}
        if columns:
            values["key"] = checked_key(columns, kind.columns)
        with self._connections.writing() as connection:
            change_rows(connection, kinds, kinds.c.id == kind.id, values)

    def clear(self, name: str) -> None:
        """Forgets every record of a kind."""
        kind = self.kind(name)
        with self._connections.writing() as connection:
            remove_rows(connection, sightings, sightings.c.kind_id == kind.id)
            remove_rows(connection, history_table(kind))

    # reading

    def table(self, name: str, *, at: datetime | None = None, history: bool = False) -> RecordTable:
        """The records of a kind as a table: today's, those of a time, or all with their times."""
        heads, found = self.read(name, at=at, history=history)
        clock = {number for number, head in enumerate(heads) if head in ("valid_from", "valid_to")}
        rows = tuple(
            tuple(_time(value) if number in clock else value for number, value in enumerate(row))
            for row in found
        )
        return RecordTable(name, tuple(heads), rows)

    def read(
        self, name: str, *, at: datetime | None = None, history: bool = False
    ) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The records of a kind: the names of the columns, and the rows; those of today, of a time,
        or all there ever were. Times are milliseconds since 1970.
        """
        kind = self.kind(name)
        end = ["valid_to"] if history or at else []
        places = ["page", "version", "node", "valid_from", *end]
        columns = unique_names(
            kind.columns, taken=["key", *places]
        )  # a site may have a column page
        heads = ["key", *columns, *places]
        return heads, self._stream(_select(kind, at=at, history=history))

    def rows(self, name: str, query: RecordQuery) -> RecordRows:
        """Some records of a kind, found and cut by the database."""
        return find_rows(self._connections, name, query)

    def counts(self) -> dict[str, int]:
        """How many records each kind has today."""
        with self._connections.reading() as connection:
            return {kind.name: count_today(connection, kind) for kind in load_kinds(connection)}

    def _stream(self, statement: Select[Any]) -> Iterator[tuple[Any, ...]]:
        with self._connections.reading() as connection:
            for row in connection.execute(statement, execution_options={"yield_per": 5000}):
                yield tuple(row)

    def is_there(self, name: str, key: str) -> bool:
        """Whether a record of this key is there today."""
        table = history_table(self.kind(name))
        wanted = select(table.c.id).where(table.c.key == key, table.c.valid_to.is_(None))
        with self._connections.reading() as connection:
            return connection.execute(wanted).first() is not None

    def states(self, name: str, *, newest: int | None = None) -> list[RecordState]:
        """What every record of a kind was, by key and time; with `newest`, only records that came,
        changed or ended in so many of the newest rows and of the newest ends.
        """
        kind = self.kind(name)
        table = history_table(kind)
        every = select(table).order_by(table.c.key, *_by_time(kind))
        if newest is None:
            return self._states(kind, every)
        came = select(table.c.key).order_by(table.c.id.desc()).limit(newest)
        ended = select(table.c.key).where(table.c.valid_to.is_not(None))
        ended = ended.order_by(table.c.valid_to.desc(), table.c.id.desc()).limit(newest)
        with self._connections.reading() as connection:
            keys = {key for some in (came, ended) for key in connection.execute(some).scalars()}
        return [
            state
            for part in in_parts(sorted(keys))
            for state in self._states(kind, every.where(table.c.key.in_(part)))
        ]

    def row_count(self, kind: RecordKind) -> int:
        """About how many rows the past of a kind has: the number of its last one."""
        with self._connections.reading() as connection:
            last = select(func.coalesce(func.max(history_table(kind).c.id), 0))
            return int(connection.execute(last).scalar_one())

    def ended_states(self, name: str, key: str) -> list[RecordState]:
        """What a record was before what it is now, oldest first."""
        kind = self.kind(name)
        table = history_table(kind)
        ended = select(table).where(table.c.key == key, table.c.valid_to.is_not(None))
        return self._states(kind, ended.order_by(*_by_time(kind)))

    def _states(self, kind: RecordKind, statement: Select[Any]) -> list[RecordState]:
        with self._connections.reading() as connection:
            rows = connection.execute(statement).all()
        return [
            RecordState(
                row.key,
                row_values(row, kind.names),
                times.from_number(row.valid_from),
                _time(row.valid_to),
            )
            for row in rows
        ]

    def changes(
        self, kind: RecordKind, *, after_row: int, after_end: int, since: int, most: int
    ) -> tuple[list[RecordChange], int, int, bool]:
        """What became of the records of a kind; see `changes_of`."""
        with self._connections.reading() as connection:
            return changes_of(
                connection,
                kind,
                after_row=after_row,
                after_end=after_end,
                since=since,
                most=most,
            )

    def newest_changes(
        self, kind: RecordKind, *, before: int | None, most_rows: int
    ) -> Iterator[RecordChange]:
        """The changes of records of a kind, newest first; see `newest_changes`."""
        with self._connections.reading() as connection:
            yield from newest_changes(connection, kind, before=before, most_rows=most_rows)

    def history(self, name: str, key: str, column: str | None = None) -> list[RecordMoment]:
        """The states of one record, oldest first; with `column`, one for each change of it."""
        kind = self.kind(name)
        if column is not None and column not in kind.columns:
            raise UsageError(
                f"{name} has no column {column!r}; there are: {', '.join(kind.columns)}"
            )
        table = history_table(kind)
        statement = (
            select(table, pages.c.url)
            .select_from(table.outerjoin(pages, table.c.page_id == pages.c.id))
            .where(table.c.key == key)
            .order_by(*_by_time(kind))
        )
        with self._connections.reading() as connection:
            rows = connection.execute(statement).all()
        if not rows:
            raise UsageError(f"{name} has no record {key!r}: `treelace records {name}` lists them")
        made: list[RecordMoment] = []
        for row in rows:
            moment = _moment(row, kind, column)
            if column is not None and made and _goes_on(made[-1], moment):
                made[-1] = replace(made[-1], valid_to=moment.valid_to)
            else:
                made.append(moment)
        return made


def row_values(row: Row[Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The values of a record, from its row."""
    found = row._mapping
    return {name: found[column] for name, column in names.items()}


def _moment(row: Row[Any], kind: RecordKind, column: str | None) -> RecordMoment:
    values = row_values(row, kind.names)
    nodes = msgspec.json.decode(row.nodes)
    return RecordMoment(
        times.from_number(row.valid_from),
        _time(row.valid_to),
        values if column is None else values[column],
        row.url,
        row.version,
        row.node if column is None else nodes.get(_base_column(column), row.node),
    )


def _goes_on(before: RecordMoment, after: RecordMoment) -> bool:
    return before.value == after.value and before.valid_to == after.valid_from


def _by_time(kind: RecordKind) -> tuple[ColumnElement[int], ColumnElement[int]]:
    table = history_table(kind)
    return table.c.valid_from, table.c.id


def _select(kind: RecordKind, *, at: datetime | None, history: bool) -> Select[Any]:
    table, names = history_table(kind), kind.names
    columns = [
        table.c.key,
        *(table.c[names[name]] for name in kind.columns),
        pages.c.url.label("page"),
        table.c.version,
        table.c.node,
        table.c.valid_from,
        *([table.c.valid_to] if history or at else []),
    ]
    statement = (
        select(*columns)
        .select_from(table.outerjoin(pages, table.c.page_id == pages.c.id))
        .order_by(table.c.id)
    )
    if at is not None:
        number = times.to_number(at)
        return statement.where(
            table.c.valid_from <= number, (table.c.valid_to.is_(None)) | (table.c.valid_to > number)
        )
    return statement if history else statement.where(table.c.valid_to.is_(None))


def _base_column(column: str) -> str:
    from treelace.extract.types import companion_names

    for name in companion_names():
        column = column.removesuffix(f" {name}")
    return column


def _time(number: int | None) -> datetime | None:
    return None if number is None else times.from_number(number)
