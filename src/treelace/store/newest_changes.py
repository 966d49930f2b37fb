"""Cells that changed, newest first, as far back as a reader goes."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from treelace.store.record_changes import RecordChange, came, ended_before, with_page
from treelace.store.record_kinds import RecordKind, history_table

ROWS_A_STEP = 500


def newest_changes(
    connection: Connection, kind: RecordKind, *, before: int | None, most_rows: int
) -> Iterator[RecordChange]:
    """The changes of records of a kind, newest first: not those that are new or gone. At most so
    many of its newest rows are looked at.
    """
    table = history_table(kind)
    last: int | None = None
    for _ in range(0, most_rows, ROWS_A_STEP):
        statement = with_page(table).order_by(table.c.id.desc()).limit(ROWS_A_STEP)
        if before is not None:
            statement = statement.where(table.c.valid_from < before)
        if last is not None:
            statement = statement.where(table.c.id < last)
        rows = connection.execute(statement).all()
        earlier = ended_before(connection, table, [row.key for row in rows])
        for row in rows:
            was = earlier.get((row.key, row.valid_from))
            change = None if was is None else came(kind, row, was)
            if change is not None:
                yield change
        if len(rows) < ROWS_A_STEP:
            return
        last = rows[-1].id
