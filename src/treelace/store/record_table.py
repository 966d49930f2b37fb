"""RecordTable: records out of the store, for whoever reads Arrow, pandas, or rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from treelace import look
from treelace.errors import UsageError
from treelace.named import unique_names

if TYPE_CHECKING:
    from treelace.extract.outputs.flat import FlatColumn

_MAX_HTML_ROWS = 10


@dataclass(frozen=True, repr=False)
class RecordTable:
    """Records as columns of one type each: `polars.DataFrame(goods)`, `duckdb.sql("FROM goods")`,
    `goods.to_pandas()`, `goods.rows`.
    """

    name: str
    heads: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...] = field(repr=False)
    """Row by row, as the store has them."""

    @cached_property
    def columns(self) -> tuple[FlatColumn, ...]:
        """The columns; one that holds more than one type is text."""
        heads = enumerate(unique_names(self.heads))
        return tuple(_column(head, [row[at] for row in self.values]) for at, head in heads)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The values of the columns, row by row."""
        return list(zip(*(column.values for column in self.columns), strict=True))

    def __len__(self) -> int:
        return len(self.values)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for whoever reads Arrow; no Arrow library is needed here."""
        from treelace.extract.outputs.arrow import ArrowColumns

        return ArrowColumns(self.columns).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        from treelace.extract.outputs.pandas import to_pandas

        return to_pandas(list(self.columns))

    def to_arrow(self) -> Any:
        """The table as a pyarrow table."""
        return _library("pyarrow").table(self)

    def to_polars(self) -> Any:
        """The table as a Polars data frame."""
        return _library("polars").DataFrame(self)

    def __repr__(self) -> str:
        return (
            f"<RecordTable {self.name}: {len(self):,} records × {len(self.columns)} columns"
            f" ({', '.join(it.name for it in self.columns)})>"
        )

    def __str__(self) -> str:
        lines = ["\t".join(self.heads)]
        lines += ["\t".join("" if it is None else _text(it) for it in row) for row in self.values]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [[None if value is None else str(value) for value in row] for row in self.rows]
        return look.table([column.name for column in self.columns], rows, most_rows=_MAX_HTML_ROWS)


def _library(name: str) -> Any:
    """A library that only this conversion needs."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(f"{name} is not installed: pip install {name}") from error


def _column(head: str, values: list[Any]) -> FlatColumn:
    from treelace.extract.outputs.flat import FlatColumn

    there = [value for value in values if value is not None]
    if there and all(isinstance(value, int) for value in there):
        return FlatColumn(head, "integer", tuple(values))
    if there and all(isinstance(value, datetime) and value.tzinfo is not None for value in there):
        return FlatColumn(head, "timestamp in UTC", tuple(values))
    if there and all(isinstance(value, int | float) for value in there):
        return FlatColumn(head, "number", tuple(None if it is None else float(it) for it in values))
    return FlatColumn(head, "text", tuple(None if it is None else _text(it) for it in values))


def _text(value: Any) -> str:
    return (
        value.isoformat()
        if isinstance(value, date)
        else bytes(value).hex()
        if isinstance(value, bytes | memoryview)
        else str(value)
    )
