"""Checksums: every row says what it is, every table how many rows it has, so damage is seen.

A row of a checked table has a checksum over all its values, but for its number (`id`): of those the
table's seal knows the sum, and how many rows there are. A changed row keeps the damage it had: its
new checksum is that of the new values, apart from the right one by as much as the old one was.
Values that are NULL do not count, so a column can be added without touching a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    DefaultClause,
    Integer,
    LargeBinary,
    RowMapping,
    Table,
    Text,
    TypeDecorator,
    Update,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    type_coerce,
    update,
)

from treelace.store.rows import Json
from treelace.store.schema import CHECKSUM, metadata, seals

NOT_CHECKED = ("about", "crawl_log", "frontier", "seals")
"""Tables of what passes: what the store says of itself, what a crawl has still to do, what it did.
"""
_ROWS = 500
_encode = msgspec.msgpack.Encoder().encode
StoredRow = Mapping[str, Any] | RowMapping
"""A row as it was read, before Python makes anything of its values."""


def checked_tables() -> list[Table]:
    """The tables of the schema whose rows have checksums; those of records come on top."""
    return [table for table in metadata.sorted_tables if table.name not in NOT_CHECKED]


def checksum(row: Iterable[tuple[str, Any]]) -> int:
    """The checksum of what is stored in a row, as a whole number of 64 bits.

    >>> checksum([("url", "a"), ("about", None)]) == checksum([("url", "a")])
    True
    """
    return _digest([pair for pair in row if pair[1] is not None])


def _digest(said: list[tuple[str, Any]]) -> int:
    return int.from_bytes(blake2b(_encode(said), digest_size=8).digest(), "big", signed=True)


def sealed(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """A new row with its checksum."""
    whole = {**_defaults(table), **row}
    said = []
    for name, form in _forms(table).items():
        value = whole.get(name)
        if value is not None:
            said.append((name, value if form is None else form(value, None)))
    whole[CHECKSUM] = _digest(said)
    return whole


def damage_of(table: Table, row: StoredRow) -> int:
    """What the values of a row, as they are stored, differ by from its checksum; 0: it is whole."""
    found: int = row[CHECKSUM] or 0
    return found ^ checksum((name, row[name]) for name in _forms(table))


# writing


def add_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds rows with their checksums."""
    if rows:
        connection.execute(insert(table), [sealed(table, row) for row in rows])
        note_added(connection, table)


def add_row(connection: Connection, table: Table, row: Mapping[str, Any]) -> int:
    """Adds a row with its checksum; its number."""
    made = insert(table).values(sealed(table, row)).returning(table.c.id)
    number = int(connection.execute(made).scalar_one())
    note_added(connection, table)
    return number


def change_rows(
    connection: Connection, table: Table, where: ColumnElement[bool], values: Mapping[str, Any]
) -> int:
    """Sets values of these rows, and their checksums; how many there are."""
    rows = connection.execute(select(*as_stored(table)).where(where)).mappings().all()
    change_each(connection, table, [(row, values) for row in rows])
    return len(rows)


def change_each(
    connection: Connection,
    table: Table,
    changes: Sequence[tuple[StoredRow, Mapping[str, Any]]],
) -> None:
    """Sets values of rows that were read as they are stored: each its own values, of one set of
    columns.
    """
    if not changes:
        return
    keys = [column.name for column in table.primary_key.columns]
    rows = [
        {**{f"b_{key}": row[key] for key in keys}, **values, CHECKSUM: changed(table, row, values)}
        for row, values in changes
    ]
    where = (table.c[key] == bindparam(f"b_{key}") for key in keys)
    connection.execute(update(table).where(*where), rows)


def changed(table: Table, row: StoredRow, values: Mapping[str, Any]) -> int:
    """The checksum of a stored row after these values are set: damage stays damage."""
    new = {**{name: row[name] for name in _forms(table)}, **_stored(table, values)}
    return checksum(new.items()) ^ damage_of(table, row)


def remove_rows(
    connection: Connection, table: Table, where: ColumnElement[bool] | None = None
) -> int:
    """Removes rows, all without a condition; how many there were."""
    condition = () if where is None else (where,)
    counted = select(func.count(), _sum_of_ids(table)).select_from(table).where(*condition)
    rows, ids = connection.execute(counted).one()
    connection.execute(delete(table).where(*condition))
    count_rows(connection, table, rows=-int(rows), ids=-int(ids), is_removal=True)
    return int(rows)


# seals


def seal_name(table: Table) -> str:
    """Under which name the seal of a table is kept: those of records keep it when renamed."""
    return str(table.info.get("seal", table.name))


def note_added(connection: Connection, table: Table) -> None:
    """Counts the rows with numbers that are new in this transaction."""
    if not connection.execute(_counting_new(table)).rowcount:
        _make_seal(connection, table)
        connection.execute(_counting_new(table))


def count_rows(
    connection: Connection, table: Table, *, rows: int, ids: int = 0, is_removal: bool = False
) -> None:
    """Adds to what the seal of a table says."""
    if not rows and not is_removal:
        return
    more = {"more_rows": rows, "more_ids": ids}
    if not connection.execute(_counting(table), more).rowcount:
        _make_seal(connection, table)
        connection.execute(_counting(table), more)


def _make_seal(connection: Connection, table: Table) -> None:
    made = {"name": seal_name(table), "rows": 0, "ids": 0, "last": 0}
    connection.execute(insert(seals).values(made))


@lru_cache(maxsize=512)
def _counting_new(table: Table) -> Update:
    """Counts the rows above the last number that the seal knows, all in one statement."""
    above = table.c.id > seals.c.last
    rows = select(func.count()).select_from(table).where(above).correlate(seals).scalar_subquery()
    ids = select(_sum_of_ids(table)).where(above).correlate(seals).scalar_subquery()
    values = {"rows": seals.c.rows + rows, "ids": seals.c.ids + ids, "last": _newest(table)}
    return update(seals).where(seals.c.name == seal_name(table)).values(values)


@lru_cache(maxsize=512)
def _counting(table: Table) -> Update:
    values = {
        "rows": seals.c.rows + bindparam("more_rows", type_=Integer),
        "ids": seals.c.ids + bindparam("more_ids", type_=BigInteger),
        "last": _newest(table),
    }
    return update(seals).where(seals.c.name == seal_name(table)).values(values)


def _newest(table: Table) -> Any:
    if "id" not in table.c:
        return 0
    return select(func.coalesce(func.max(table.c.id), 0)).scalar_subquery()


def drop_seal(connection: Connection, table: Table) -> None:
    """Forgets the seal of a table that goes."""
    connection.execute(delete(seals).where(seals.c.name == seal_name(table)))


# reading


def as_stored(table: Table, *, is_sqlite: bool = False) -> list[ColumnElement[Any]]:
    """The columns of a table without what Python makes of them; from SQLite, texts as bytes, which
    can be read whatever became of them.
    """
    return [
        (
            cast(column, LargeBinary)
            if is_sqlite and isinstance(plain_type(column.type), Text)
            else type_coerce(column, plain_type(column.type))
        ).label(column.name)
        for column in table.columns
    ]


def damaged_rows(connection: Connection, table: Table) -> Iterator[str]:
    """A line for each row that is not what was stored, and one where rows came or went."""
    is_sqlite = connection.dialect.name == "sqlite"
    keys = [column.name for column in table.primary_key.columns]
    rows = ids = 0
    every = select(*as_stored(table, is_sqlite=is_sqlite)).order_by(*table.primary_key.columns)
    for stored in connection.execute(every, execution_options={"yield_per": _ROWS}).mappings():
        rows += 1
        try:
            ids += stored.get("id", 0)
            row = {name: _text(table, name, value) for name, value in stored.items()}
            is_whole = row[CHECKSUM] is not None and damage_of(table, row) == 0
        except (UnicodeDecodeError, TypeError, ValueError):
            is_whole = False
        if not is_whole:
            which = " ".join(_shown(stored[key]) for key in keys)
            yield f"{table.name} {which}: this row is not what was stored"
    seal = connection.execute(select(seals).where(seals.c.name == seal_name(table))).first()
    said = (0, 0) if seal is None else (seal.rows, seal.ids)
    if rows != said[0]:
        yield f"{table.name}: {rows:,} rows are there, {said[0]:,} were stored"
    elif ids != said[1]:
        yield f"{table.name}: the number of a row is not what was stored"


def seal_all(connection: Connection, table: Table) -> None:
    """Gives every row of a table its checksum, and the table its seal, as they are now."""
    keys = [column.name for column in table.primary_key.columns]
    where = [table.c[key] == bindparam(f"b_{key}") for key in keys]
    every = connection.execute(select(*as_stored(table)), execution_options={"yield_per": _ROWS})
    sums = [
        {
            **{f"b_{key}": row[key] for key in keys},
            CHECKSUM: checksum((name, row[name]) for name in _forms(table)),
        }
        for row in every.mappings()
    ]
    for start in range(0, len(sums), _ROWS):
        connection.execute(update(table).where(*where), sums[start : start + _ROWS])
    drop_seal(connection, table)
    ids = sum(one["b_id"] for one in sums) if "id" in table.c else 0
    count_rows(connection, table, rows=len(sums), ids=ids)


def _text(table: Table, name: str, value: Any) -> Any:
    is_text = isinstance(plain_type(table.c[name].type), Text)
    return value.decode() if is_text and isinstance(value, bytes) else value


def _shown(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _sum_of_ids(table: Table) -> ColumnElement[int]:
    return func.coalesce(func.sum(table.c.id), 0) if "id" in table.c else literal(0)


def _stored(table: Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as the database gets them, in the order of the columns."""
    return {
        name: values[name] if form is None else form(values[name], None)
        for name, form in _forms(table).items()
        if name in values
    }


@lru_cache(maxsize=512)
def _forms(table: Table) -> dict[str, Callable[[Any, Any], Any] | None]:
    """The columns that a checksum is over, and what their types make of a value."""
    return {
        str(column.name): getattr(column.type, "process_bind_param", None)
        for column in table.columns
        if column.name not in ("id", CHECKSUM)
    }


@lru_cache(maxsize=512)
def _defaults(table: Table) -> dict[str, Any]:
    """What the database puts where nothing is said."""
    return {
        column.name: _default(column, str(column.server_default.arg))
        for column in table.columns
        if isinstance(column.server_default, DefaultClause)
    }


def _default(column: Column[Any], said: str) -> Any:
    if isinstance(column.type, Json):
        return msgspec.json.decode(said)
    return int(said) if isinstance(column.type, Integer) else said


def plain_type(kind: Any) -> Any:
    """The type of a column without what Python makes of its values."""
    return kind.impl_instance if isinstance(kind, TypeDecorator) else kind
