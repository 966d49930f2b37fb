"""RecordTable: records out of the store, for whoever reads Arrow, pandas, or rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from treelace import look
from treelace.extract.outputs.flat import FlatColumn
from treelace.named import unique_names

_SHOWN = 10


@dataclass(frozen=True, slots=True, repr=False)
class RecordTable:
    """Records as columns of one type each: `polars.DataFrame(goods)`, `duckdb.sql("FROM goods")`,
    `goods.to_pandas()`, `goods.rows`.
    """

    name: str
    columns: tuple[FlatColumn, ...]

    @classmethod
    def of(cls, name: str, heads: Iterable[str], rows: Sequence[Sequence[Any]]) -> RecordTable:
        """A table of rows; a column that holds more than one type is text."""
        made = tuple(
            _column(head, [row[number] for row in rows])
            for number, head in enumerate(unique_names(heads))
        )
        return cls(name, made)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The values, row by row."""
        return list(zip(*(column.values for column in self.columns), strict=True))

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for whoever reads Arrow; no Arrow library is needed here."""
        from treelace.extract.outputs.arrow import ArrowColumns

        return ArrowColumns(self.columns).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        from treelace.extract.outputs.pandas import to_pandas

        return to_pandas(list(self.columns))

    def __repr__(self) -> str:
        return (
            f"<RecordTable {self.name}: {len(self):,} records × {len(self.columns)} columns"
            f" ({', '.join(it.name for it in self.columns)})>"
        )

    def _repr_html_(self) -> str:
        rows = [[None if value is None else str(value) for value in row] for row in self.rows]
        return look.table([column.name for column in self.columns], rows, most_rows=_SHOWN)


def _column(head: str, values: list[Any]) -> FlatColumn:
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, int) for value in there):
        return FlatColumn(head, "integer", tuple(values))
    if there and all(isinstance(value, int | float) for value in there):
        return FlatColumn(
            head, "number", tuple(None if value is None else float(value) for value in values)
        )
    if there and all(isinstance(value, datetime) and value.tzinfo is not None for value in there):
        return FlatColumn(head, "timestamp in UTC", tuple(values))
    return FlatColumn(
        head, "text", tuple(None if value is None else _text(value) for value in values)
    )


def _text(value: Any) -> str:
    return (
        value.isoformat()
        if isinstance(value, date)
        else bytes(value).hex()
        if isinstance(value, bytes | memoryview)
        else str(value)
    )
