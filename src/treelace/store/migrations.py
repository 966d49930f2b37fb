"""Numbered migrations: from any older schema to this one, each step in one transaction.

A store says its schema's number in `about`. Step n leads from n − 1 to n; opening a store for
writing takes the steps that are missing, and a store of a newer treelace is refused. Decision 0009
says why this is forty lines of ours and no framework.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, Table, insert, inspect, select, text, update

from treelace.errors import StoreError
from treelace.store.checksums import checked_tables, seal_all
from treelace.store.record_indexes import make_sort_indexes
from treelace.store.record_kinds import history_table, load_kinds, quoted
from treelace.store.schema import (
    CHECKSUM,
    SCHEMA,
    about,
    captured_files,
    metadata,
    page_files,
    pages,
    seals,
)


def _first(connection: Connection) -> None:
    """1: the tables."""
    metadata.create_all(connection, checkfirst=False)


def _second(connection: Connection) -> None:
    """2: checksums of rows, seals of tables; what is there counts as whole."""
    seals.create(connection, checkfirst=True)
    there = set(inspect(connection).get_table_names())
    for table in (one for one in checked_tables() if one.name in there):
        _add_checksums(connection, table)
    for kind in load_kinds(connection):
        _add_checksums(connection, history_table(kind))


def _third(connection: Connection) -> None:
    """3: pages by when they are due; large tables of records by their columns."""
    for index in pages.indexes:
        index.create(connection, checkfirst=True)
    make_sort_indexes(connection)


def _fourth(connection: Connection) -> None:
    """4: style sheets and images that pages are shown with."""
    for table in (captured_files, page_files):
        table.create(connection, checkfirst=True)


def _fifth(connection: Connection) -> None:
    """5: the pages of a class by their addresses."""
    connection.execute(text("DROP INDEX IF EXISTS pages_by_class"))
    for index in pages.indexes:
        index.create(connection, checkfirst=True)


def _add_checksums(connection: Connection, table: Table) -> None:
    known = {column["name"] for column in inspect(connection).get_columns(table.name)}
    if CHECKSUM not in known:
        connection.execute(
            text(f"ALTER TABLE {quoted(table.name)} ADD COLUMN {quoted(CHECKSUM)} BIGINT")
        )
        seal_all(connection, table)


STEPS: dict[int, Callable[[Connection], None]] = {
    1: _first,
    2: _second,
    3: _third,
    4: _fourth,
    5: _fifth,
}


def schema_of(connection: Connection) -> int:
    """The schema's number; 0 for an empty database, `StoreError` for one that is not ours."""
    names = inspect(connection).get_table_names()
    if about.name not in names:
        if names:
            raise StoreError(
                f"this database is not a store of treelace: it has the table '{names[0]}' and no"
                " table 'about'"
            )
        return 0
    number = connection.execute(select(about.c.value).where(about.c.name == "schema")).scalar()
    if number is None:
        raise StoreError(
            "this database is not a store of treelace: its table 'about' names no schema"
        )
    try:
        found = int(number)
    except (TypeError, ValueError):
        found = 0
    if found < 1:
        raise StoreError(
            f"the table 'about' of this store names the schema {number!r}, which is none: the store"
            " is damaged, take the last copy of it"
        )
    return found


def check(connection: Connection, place: str) -> bool:
    """Whether the schema is this one; `StoreError` for a newer one."""
    number = schema_of(connection)
    if number > SCHEMA:
        raise StoreError(
            f"{place}: this store has schema {number}, this treelace knows up to {SCHEMA}: update"
            " treelace"
        )
    return number == SCHEMA


def migrate(connection: Connection, place: str) -> None:
    """Takes the steps that are missing, in the transaction that is open."""
    if check(connection, place):
        return
    number = schema_of(connection)
    # a new store gets the tables as they are today, and needs no further step
    for step in range(number + 1, SCHEMA + 1) if number else (1,):
        STEPS[step](connection)
    if number:
        written = update(about).where(about.c.name == "schema").values(value=str(SCHEMA))
        connection.execute(written)
    else:
        connection.execute(insert(about).values(name="schema", value=str(SCHEMA)))
