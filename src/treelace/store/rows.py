"""Rows and the values they stand for: what a column holds, and statements over many rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import BigInteger, Connection, Integer, Row, Table, Text, TypeDecorator

from treelace.errors import DamagedError
from treelace.store import times
from treelace.store.database_values import database_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

V = TypeVar("V", bound="DataclassInstance")

# SQLite gives numbers of its own only to an INTEGER primary key
Number = BigInteger().with_variant(Integer, "sqlite")

VALUES_PER_STATEMENT = 400
"""Values after one IN: SQLite has a bound."""


class Time(TypeDecorator[datetime]):
    """A time, as whole milliseconds since 1970 in UTC."""

    impl = Number
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: object) -> int | None:
        """As it is stored."""
        return None if value is None else times.to_number(value)

    def process_result_value(self, value: Any, dialect: object) -> datetime | None:
        """As it is read."""
        try:
            return None if value is None else times.from_number(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise DamagedError(f"the store is damaged: no time is {value!r:.80}") from error


class Json(TypeDecorator[Any]):
    """What has no columns of its own, as a text of JSON."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: object) -> str | None:
        """As it is stored."""
        return None if value is None else database_text(to_json(value))

    def process_result_value(self, value: str | None, dialect: object) -> Any:
        """As it is read."""
        try:
            return None if value is None else msgspec.json.decode(value)
        except (msgspec.DecodeError, TypeError) as error:
            raise DamagedError(f"the store is damaged: this is no JSON: {value!r:.80}") from error


class Word(TypeDecorator[StrEnum]):
    """A state, as its word: so `treelace sql` reads well."""

    impl = Text
    cache_ok = True

    def __init__(self, states: type[StrEnum]) -> None:
        super().__init__()
        self.states = states

    def process_bind_param(self, value: StrEnum | str | None, dialect: object) -> str | None:
        """As it is stored."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: object) -> StrEnum | None:
        """As it is read."""
        try:
            return None if value is None else self.states(value)
        except ValueError as error:
            raise DamagedError(f"the store is damaged: no state is {value!r:.80}") from error


def to_json(value: object) -> str:
    """The text of a value.

    >>> to_json({"records": "tea", "new": True})
    '{"records":"tea","new":true}'
    """
    return msgspec.json.encode(value).decode()


def value_of(cls: type[V], row: Row[Any]) -> V:
    """A value from the columns of a row that are called as its fields."""
    found = row._mapping
    return cls(**{field.name: found[field.name] for field in fields(cls)})


def row_of(value: DataclassInstance) -> dict[str, Any]:
    """The fields of a value, as a row has them."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def in_parts(values: Sequence[Any], size: int = VALUES_PER_STATEMENT) -> Iterator[Sequence[Any]]:
    """Values in parts that one statement can hold.

    >>> list(in_parts("abcde", 2))
    ['ab', 'cd', 'e']
    """
    return (values[start : start + size] for start in range(0, len(values), size))


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
    """The one thing the two databases say differently."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    return insert(table)
