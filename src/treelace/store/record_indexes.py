"""What makes large tables of records quick to sort and to count.

A kind with many records has, for each column that people sort by, an index with the records of
today in that order: pages of a sorted table are then read from it, however many records there
are. Small kinds need none, and writing them costs nothing more. They are made at the end of a
round.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, func, select, text

from treelace.store.checksums import seal_name
from treelace.store.record_kinds import (
    NUMBER_TYPES,
    RecordKind,
    history_table,
    load_kinds,
    quoted,
)
from treelace.store.schema import seals

MANY_RECORDS = 20_000
"""Rows of a history from which on sorting without an index would keep a person waiting."""
MOST_INDEXES = 16
"""Columns of a kind that get one: each is paid for by every record that is written."""
LETTERS = 100
"""Of a text that decide its place: PostgreSQL refuses to index a text of some thousands."""
MOST_ENDED = 200_000
"""Rows that are counted to be taken off, before those of today are counted themselves."""
_LONG_AGO = -(2**62)
_NOT_SORTED = (" link", " currency", " text")
"""Ends of the names of columns that stand beside one that people sort by."""


def has_index(kind: RecordKind, column: str) -> bool:
    """Whether a column is one that gets an index."""
    return column in _sortable(kind)


def place_of(kind: RecordKind, table: Table, column: str) -> ColumnElement[Any]:
    """What decides the place of a record in the order of a column: a number, or the beginning of a
    text.
    """
    name = kind.names.get(column, column)
    if column == "valid_from" or kind.columns.get(column) in NUMBER_TYPES:
        return table.c[name]
    return func.substr(table.c[name], text("1"), text(str(LETTERS)))


def make_sort_indexes(connection: Connection) -> list[str]:
    """Makes the indexes that are missing on kinds with many records; their names."""
    is_sqlite = connection.dialect.name == "sqlite"
    known = (
        "SELECT name FROM sqlite_master WHERE type = 'index'"
        if is_sqlite
        else "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
    )
    there = set(connection.execute(text(known)).scalars())
    made = []
    for kind in load_kinds(connection):
        if _rows_of(connection, history_table(kind)) < MANY_RECORDS:
            continue
        for name, statement in _statements(connection, kind).items():
            if name not in there:
                connection.execute(text(statement))
                made.append(name)
    return made


def count_today(connection: Connection, kind: RecordKind) -> int:
    """How many records a kind has today: all there ever were, as the table's seal says, without
    those that ended, where these are few enough to be counted.
    """
    table = history_table(kind)
    is_ended = table.c.valid_to > _LONG_AGO  # SQLite looks "is not null" up in no index
    rows = _rows_of(connection, table)
    most = max(MOST_ENDED, rows // 3)
    some = select(table.c.id).where(is_ended).limit(most + 1).subquery()
    ended = int(connection.execute(select(func.count()).select_from(some)).scalar_one())
    if ended <= most:
        return rows - ended
    today = select(func.count()).select_from(table).where(table.c.valid_to.is_(None))
    return int(connection.execute(today).scalar_one())


def _rows_of(connection: Connection, table: Table) -> int:
    said = select(seals.c.rows).where(seals.c.name == seal_name(table))
    return int(connection.execute(said).scalar() or 0)


def _sortable(kind: RecordKind) -> list[str]:
    """The columns that get an index; the time a record came or changed is one."""
    known = [name for name in kind.columns if not name.endswith(_NOT_SORTED)]
    return ["valid_from", *known[: MOST_INDEXES - 1]]


def _statements(connection: Connection, kind: RecordKind) -> dict[str, str]:
    """The statements by the names of the indexes. These hold the kind's number, not its name, and
    so stay when it gets another one. PostgreSQL has two for each column: it keeps empty values
    last on the way down only if the index does, and takes an index over some rows; SQLite would
    rather take the one by `valid_to`, and so has that in front.
    """
    table = history_table(kind)
    made = {}
    for column in _sortable(kind):
        place = place_of(kind, table, column).compile(
            dialect=connection.dialect, compile_kwargs={"literal_binds": True}
        )
        base = f"by_{kind.id}_{kind.names.get(column, column)}"
        said = str(place).replace(f"{quoted(table.name)}.", "").replace(f"{table.name}.", "")
        start = f"CREATE INDEX %s ON {quoted(table.name)}"
        if connection.dialect.name == "sqlite":
            made[base] = f"{start} (valid_to, {said}, id)"
        else:
            today = "WHERE valid_to IS NULL"
            made[base] = f"{start} (({said}), id) {today}"
            made[f"{base}_down"] = f"{start} (({said}) DESC NULLS LAST, id DESC) {today}"
    return {name: statement % quoted(name) for name, statement in made.items()}
