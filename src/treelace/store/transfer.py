"""Copies a whole store into another, of any back end, and tells whether two are equal."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, MetaData, Table, delete, func, insert, select, text

from treelace.errors import UsageError
from treelace.store.checksums import plain_type
from treelace.store.record_kinds import history_table, load_kinds, make_table, quoted
from treelace.store.schema import metadata, pages
from treelace.store.store import Store

_ROWS = 500


def copy(source: Store, target: Store, *, on_rows: Callable[[int], None] | None = None) -> int:
    """Copies everything into an empty store in one transaction; how many rows.

    `UsageError` where the target has pages already.
    """
    count = 0
    with source._database.reading() as reading, target._database.writing() as writing:
        if writing.execute(select(func.count()).select_from(pages)).scalar():
            raise UsageError(
                f"{target.place}: this store has pages already: a whole site goes into an"
                " empty store"
            )
        for table in metadata.sorted_tables:
            if table.name in ("about", "seals"):
                writing.execute(delete(table))
            count += _copy(reading, writing, table, on_rows)
        for kind in load_kinds(writing):
            make_table(writing, kind)
            count += _copy(reading, writing, history_table(kind), on_rows)
    return count


def _copy(
    reading: Connection, writing: Connection, table: Table, on_rows: Callable[[int], None] | None
) -> int:
    """Copies rows as they are stored: their checksums say whether they arrived."""
    count = 0
    table = Table(
        table.name,
        MetaData(),
        *(
            Column(column.name, plain_type(column.type), primary_key=column.primary_key)
            for column in table.columns
        ),
    )
    rows = reading.execute(
        select(table).order_by(*table.primary_key.columns), execution_options={"yield_per": _ROWS}
    )
    for part in rows.partitions(_ROWS):
        writing.execute(insert(table), [dict(row._mapping) for row in part])
        count += len(part)
        if on_rows is not None:
            on_rows(len(part))
    if writing.dialect.name == "postgresql" and "id" in table.c:
        # numbers were given, not drawn: the next one drawn must be free
        writing.execute(
            text(
                f"select setval(pg_get_serial_sequence('{table.name}', 'id'), coalesce((select"
                f" max(id) from {quoted(table.name)}), 0) + 1, false)"
            )
        )
    return count


def fingerprint(store: Store) -> dict[str, str]:
    """A digest of the rows of every table: two stores with the same ones say the same."""
    with store._database.reading() as connection:
        tables = [*metadata.sorted_tables, *map(history_table, load_kinds(connection))]
        return {table.name: _fingerprint(connection, table) for table in tables}


def _fingerprint(connection: Connection, table: Table) -> str:
    found = blake2b(digest_size=16)
    for row in connection.execute(
        select(table).order_by(*table.primary_key.columns), execution_options={"yield_per": _ROWS}
    ):
        found.update(msgspec.msgpack.encode([_plain(value) for value in row]))
    return found.hexdigest()


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value
