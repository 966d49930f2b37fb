"""Storage forms: how the values of a column lie in SQLite, Arrow and pandas.

A column type (`price`) is stored in one or more flat columns, each of one of these eight forms.
They are what Arrow and SQL have in common; a new column type chooses among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

FormName = Literal[
    "text", "integer", "number", "bool", "date", "timestamp", "timestamp in UTC", "duration"
]


@dataclass(frozen=True, slots=True)
class StorageForm:
    """One form: its type in SQLite (dates and times are ISO 8601 texts, as its own functions read
    them; durations are seconds), its format in the Arrow C data interface, and the NumPy type of
    its values there.
    """

    name: FormName
    sqlite: Literal["TEXT", "INTEGER", "REAL"]
    arrow: bytes
    numpy: Literal["uint8", "int32", "int64", "float64", "bool"]


FORMS: dict[str, StorageForm] = {
    form.name: form
    for form in (
        StorageForm("text", "TEXT", b"u", "uint8"),
        StorageForm("integer", "INTEGER", b"l", "int64"),
        StorageForm("number", "REAL", b"g", "float64"),
        StorageForm("bool", "INTEGER", b"b", "bool"),
        StorageForm("date", "TEXT", b"tdD", "int32"),
        StorageForm("timestamp", "TEXT", b"tsu:", "int64"),
        StorageForm("timestamp in UTC", "TEXT", b"tsu:UTC", "int64"),
        StorageForm("duration", "REAL", b"tDu", "int64"),
    )
}
"""Every form by its name."""

INTEGER_BOUND = 2**63
"""Integers from here on are kept as numbers with a point: Arrow and SQLite have 64 bits."""


@dataclass(frozen=True, slots=True)
class FlatColumn:
    """A column with a value or None for each row: str, int, float, bool, date, datetime or
    timedelta, by its type, which is the name of a storage form.
    """

    name: str
    type: FormName
    values: tuple[Any, ...]

    @property
    def form(self) -> StorageForm:
        """How it is stored."""
        return FORMS[self.type]


def plain(value: Any) -> Any:
    """A stored value as JSON, CSV and SQLite have it: dates in ISO 8601, durations in seconds."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.isoformat() if isinstance(value, date) else value


def narrowest(name: str, values: Sequence[Any]) -> FlatColumn:
    """A column of the narrowest form that holds these values.

    >>> narrowest("n", [1, None]).type, narrowest("n", [1, 2.5]).type, narrowest("n", [1, "a"]).type
    ('integer', 'number', 'text')
    """
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, bool) for value in there):
        return FlatColumn(name, "bool", tuple(values))
    if there and all(isinstance(value, (int, float)) for value in there):
        if all(
            isinstance(value, int) and -INTEGER_BOUND <= value < INTEGER_BOUND for value in there
        ):
            return FlatColumn(name, "integer", tuple(values))
        return FlatColumn(
            name, "number", tuple(None if value is None else float(value) for value in values)
        )
    if there and all(isinstance(value, timedelta) for value in there):
        return FlatColumn(name, "duration", tuple(values))
    if there and all(isinstance(value, date) for value in there):
        return _dates(name, values)
    return FlatColumn(
        name, "text", tuple(None if value is None else str(value) for value in values)
    )


def _dates(name: str, values: Sequence[Any]) -> FlatColumn:
    """Days; or moments where one has a time, in UTC where all say their zone."""
    times = [value for value in values if isinstance(value, datetime)]
    if not times:
        return FlatColumn(name, "date", tuple(values))
    moments = [
        (
            datetime.combine(value, datetime.min.time())
            if value is not None and not isinstance(value, datetime)
            else value
        )
        for value in values
    ]
    filled = sum(value is not None for value in values)
    if all(moment.tzinfo is not None for moment in times) and len(times) == filled:
        return FlatColumn(
            name,
            "timestamp in UTC",
            tuple(None if moment is None else moment.astimezone(UTC) for moment in moments),
        )
    return FlatColumn(
        name,
        "timestamp",
        tuple(None if moment is None else moment.replace(tzinfo=None) for moment in moments),
    )
