"""Tables as plain columns, one type each: what CSV, JSON lines, Parquet, SQLite, Arrow and pandas
are made from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from treelace.extract.types.values import Price
from treelace.named import once

if TYPE_CHECKING:
    from treelace.extract.table import Cell, Table

FlatType = Literal[
    "text", "integer", "number", "bool", "date", "timestamp", "timestamp in UTC", "duration"
]

_LARGEST = 2**63
"""Integers from here on are kept as numbers with a point: Arrow and SQLite have 64 bits."""


@dataclass(frozen=True, slots=True)
class FlatColumn:
    """A column with a value or None for each row: str, int, float, bool, date, datetime or
    timedelta, by its type.
    """

    name: str
    type: FlatType
    values: tuple[Any, ...]


def flatten(tables: Sequence[Table], *, pages: Sequence[str] | None = None) -> list[FlatColumn]:
    """The columns of these tables, one below the other; equal names are one column.

    A column `price` of type price becomes `price` (a number), `price currency` and `price text`;
    every other column that is not text keeps its raw text beside it too (`born`, `born text`), and
    one with links has `… link`. `pages` names the page of each table, in a column `page`. Columns
    whose types do not go together over the tables are text.

    >>> import treelace as tl
    >>> table = tl.extract(tl.parse("<ul><li><b>tea</b> <i>€ 3</i><li><b>milk</b> <i>€ 2</i></ul>"))[0]
    >>> [(column.name, column.type, column.values) for column in flatten([table])][1:3]
    [('price', 'number', (3.0, 2.0)), ('price currency', 'text', ('€', '€'))]
    """
    kinds: dict[str, set[str]] = {}
    for column in (column for table in tables for column in table.columns):
        kinds.setdefault(column.name, set()).add(column.type)
    places = [
        {column.name: number for number, column in reversed(list(enumerate(table.columns)))}
        for table in tables
    ]
    made: list[FlatColumn] = []
    if pages is not None:
        made.append(
            FlatColumn(
                "page",
                "text",
                tuple(page for page, table in zip(pages, tables, strict=True) for _ in table.cells),
            )
        )
    for name, its in kinds.items():
        made += _parts(
            name,
            its,
            [
                cell
                for table, place in zip(tables, places, strict=True)
                for cell in _cells(table, place.get(name))
            ],
        )
    return _with_names_once(made)


def _cells(table: Table, number: int | None) -> list[Cell | None]:
    return [None if number is None else row[number] for row in table.cells]


def _parts(name: str, kinds: set[str], cells: list[Cell | None]) -> list[FlatColumn]:
    values = [None if cell is None else cell.value for cell in cells]
    texts = tuple(None if cell is None else cell.text for cell in cells)
    made: list[FlatColumn] = []
    if kinds == {"price"}:
        prices = [value if isinstance(value, Price) else None for value in values]
        made.append(
            FlatColumn(
                name,
                "number",
                tuple(None if price is None else float(price.amount) for price in prices),
            )
        )
        made.append(
            FlatColumn(
                f"{name} currency",
                "text",
                tuple(None if price is None else price.currency or None for price in prices),
            )
        )
    elif kinds & {"text", "price"} or (len(kinds) > 1 and not kinds <= {"number", "percentage"}):
        made.append(FlatColumn(name, "text", texts))
    else:
        made.append(FlatColumn(name, *_typed(values)))
    if made[0].type != "text":
        made.append(FlatColumn(f"{name} text", "text", texts))
    links = tuple(None if cell is None else cell.link for cell in cells)
    if any(link is not None for link in links):
        made.append(FlatColumn(f"{name} link", "text", links))
    return made


def _typed(values: list[Any]) -> tuple[FlatType, tuple[Any, ...]]:
    """The narrowest type for these values."""
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, bool) for value in there):
        return "bool", tuple(values)
    if there and all(isinstance(value, (int, float)) for value in there):
        if all(isinstance(value, int) and -_LARGEST <= value < _LARGEST for value in there):
            return "integer", tuple(values)
        return "number", tuple(None if value is None else float(value) for value in values)
    if there and all(isinstance(value, timedelta) for value in there):
        return "duration", tuple(values)
    if there and all(isinstance(value, date) for value in there):
        return _dates(values)
    return "text", tuple(None if value is None else str(value) for value in values)


def _dates(values: list[Any]) -> tuple[FlatType, tuple[Any, ...]]:
    times = [value for value in values if isinstance(value, datetime)]
    if not times:
        return "date", tuple(values)
    moments = [
        (
            datetime.combine(value, datetime.min.time())
            if value is not None and not isinstance(value, datetime)
            else value
        )
        for value in values
    ]
    if all(moment.tzinfo is not None for moment in times) and len(times) == sum(
        value is not None for value in values
    ):
        return "timestamp in UTC", tuple(
            None if moment is None else moment.astimezone(UTC) for moment in moments
        )
    return "timestamp", tuple(
        None if moment is None else moment.replace(tzinfo=None) for moment in moments
    )


def _with_names_once(columns: list[FlatColumn]) -> list[FlatColumn]:
    """A name that is there already (a page's own column may be called `price text`) gets a
    number.
    """
    names = once(column.name for column in columns)
    return [replace(column, name=name) for name, column in zip(names, columns, strict=True)]
