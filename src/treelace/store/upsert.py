"""Inserting what may be there already: the one thing the two databases say differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table

VALUES_PER_STATEMENT = 400
"""Values after one IN: SQLite has a bound."""


def insert_or_ignore(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]
) -> int:
    """Adds the rows that break no uniqueness, and says how many were added."""
    if not rows:
        return 0
    statement = (
        _insert(connection, table).on_conflict_do_nothing().returning(*table.primary_key.columns)
    )
    return sum(connection.execute(statement.values(row)).first() is not None for row in rows)


def insert_or_update(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, object]],
    *,
    key: Sequence[str],
) -> None:
    """Adds the rows; where `key` is there already, its row becomes the new one."""
    if not rows:
        return
    statement = _insert(connection, table)
    changed = {name: statement.excluded[name] for name in rows[0] if name not in key}
    connection.execute(
        statement.on_conflict_do_update(index_elements=list(key), set_=changed), list(rows)
    )


def _insert(connection: Connection, table: Table) -> Any:
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    return insert(table)
