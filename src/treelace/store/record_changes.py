"""What became of records, in the order it was stored: new, changed cell by cell, gone.

A cursor says how far a reader is: the last row of each kind, and the last end of one. Rows get
their numbers in the order they are written, so nothing that comes later is missed, whatever time
its page has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Table, select

from treelace.store import times
from treelace.store.record_kinds import RecordKind, history_table
from treelace.store.rows import in_parts
from treelace.store.schema import pages
from treelace.store.states import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell before and after."""

    column: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class RecordChange:
    """What became of a record: when, on which version of which page, and which cells changed."""

    kind: str
    what: ChangeKind
    key: str
    time: datetime
    page: str | None
    version: int | None
    node: int | None
    cells: tuple[CellChange, ...]
    values: Mapping[str, Any]


def changes_of(
    connection: Connection,
    kind: RecordKind,
    *,
    after_row: int,
    after_end: int,
    since: int,
    most: int,
) -> tuple[list[RecordChange], int, int, bool]:
    """What became of the records of a kind after a row and an end, at most so many of each; the
    new row and end, and whether there is more.
    """
    table = history_table(kind)
    rows = connection.execute(
        with_page(table)
        .where(table.c.id > after_row, table.c.valid_from >= since)
        .order_by(table.c.id)
        .limit(most + 1)
    ).all()
    ended = connection.execute(
        with_page(table)
        .where(table.c.valid_to > after_end, table.c.valid_to >= since)
        .order_by(table.c.valid_to, table.c.id)
        .limit(most + 1)
    ).all()
    is_more = len(rows) > most or len(ended) > most
    rows, ended = rows[:most], _whole_times(connection, table, ended, most)
    before = ended_before(connection, table, [row.key for row in rows])
    goes_on = _begun(connection, table, [row.key for row in ended])
    made = [came(kind, row, before.get((row.key, row.valid_from))) for row in rows]
    made += [_gone(kind, row) for row in ended if (row.key, row.valid_to) not in goes_on]
    found = [it for it in made if it is not None]
    last_row = rows[-1].id if rows else after_row
    last_end = ended[-1].valid_to if ended else after_end
    return sorted(found, key=lambda it: it.time), last_row, last_end, is_more


def _whole_times(
    connection: Connection, table: Table, rows: Sequence[Row[Any]], most: int
) -> list[Row[Any]]:
    """All that ended at one time together, even where they are more: the cursor is a time."""
    if len(rows) <= most:
        return list(rows)
    kept = [row for row in rows if row.valid_to < rows[most].valid_to]
    if kept:
        return kept
    of_then = with_page(table).where(table.c.valid_to == rows[0].valid_to).order_by(table.c.id)
    return list(connection.execute(of_then))


def with_page(table: Table) -> Any:
    """The rows of a kind, each with the address of its page."""
    return select(table, pages.c.url).select_from(
        table.outerjoin(pages, table.c.page_id == pages.c.id)
    )


def ended_before(
    connection: Connection, table: Table, keys: Sequence[str]
) -> dict[tuple[str, int], Row[Any]]:
    """What these records were before, by key and the time it ended."""
    found: dict[tuple[str, int], Row[Any]] = {}
    for part in in_parts(sorted(set(keys))):
        wanted = select(table).where(table.c.key.in_(part), table.c.valid_to.is_not(None))
        found |= {(row.key, row.valid_to): row for row in connection.execute(wanted)}
    return found


def _begun(connection: Connection, table: Table, keys: Sequence[str]) -> set[tuple[str, int]]:
    """The times at which these records began anew."""
    found: set[tuple[str, int]] = set()
    for part in in_parts(sorted(set(keys))):
        wanted = select(table.c.key, table.c.valid_from).where(table.c.key.in_(part))
        found |= {(row.key, row.valid_from) for row in connection.execute(wanted)}
    return found


def came(kind: RecordKind, row: Row[Any], before: Row[Any] | None) -> RecordChange | None:
    """What a row says: a new record, or what changed since the row `before` it."""
    values = _values(kind, row)
    old = {} if before is None else _values(kind, before)
    cells = tuple(
        CellChange(name, old.get(name), value)
        for name, value in values.items()
        if before is not None and old.get(name) != value
    )
    if before is not None and not cells:
        return None  # it is shown somewhere else, and says the same
    what = ChangeKind.NEW if before is None else ChangeKind.CHANGED
    return RecordChange(
        kind.name,
        what,
        row.key,
        times.from_number(row.valid_from),
        row.url,
        row.version,
        row.node,
        cells,
        values,
    )


def _gone(kind: RecordKind, row: Row[Any]) -> RecordChange:
    when = times.from_number(row.valid_to)
    values = _values(kind, row)
    place = (row.url, row.version, row.node)
    return RecordChange(kind.name, ChangeKind.GONE, row.key, when, *place, (), values)


def _values(kind: RecordKind, row: Row[Any]) -> dict[str, Any]:
    found = row._mapping
    return {name: found[column] for name, column in kind.names.items()}
