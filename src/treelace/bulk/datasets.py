"""Data sets: typed columns as Parquet, the same bytes for the same values."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treelace.errors import DamagedError, MissingError

Columns = Mapping[str, str]
"""The columns of a data set, with their types: text, bytes, integer, number, bool, time."""

PAGES: Columns = {
    "url": "text",
    "host": "text",
    "time": "time",
    "status": "integer",
    "digest": "text",
    "language": "text",
    "sketch": "bytes",
    "class": "text",
    "source": "text",
    "at": "integer",
    "bytes": "integer",
}
CLASSES: Columns = {
    "host": "text",
    "number": "integer",
    "class": "text",
    "pages": "integer",
    "examples": "text",
    "sketch": "bytes",
    "tightness": "number",
    "wrapper": "text",
    "problem": "text",
    "kinds": "text",
    "key": "text",
    "health": "number",
    "health_pages": "integer",
}
RECORDS: Columns = {
    "host": "text",
    "class": "text",
    "records": "text",
    "key": "text",
    "column": "text",
    "value": "text",
    "number": "number",
    "type": "text",
    "text": "text",
    "page": "text",
    "time": "time",
    "node": "integer",
}
CHANGES: Columns = {
    "host": "text",
    "class": "text",
    "records": "text",
    "what": "text",
    "key": "text",
    "column": "text",
    "old": "text",
    "new": "text",
    "noise": "text",
    "page": "text",
    "old_time": "time",
    "new_time": "time",
}
NOISE: Columns = {"records": "text", "column": "text", "seen": "integer", "changed": "integer"}
PROBLEMS: Columns = {"stage": "text", "place": "text", "reason": "text", "message": "text"}

_ARROW = {
    "text": "utf8",
    "bytes": "binary",
    "integer": "int64",
    "number": "float64",
    "bool": "bool",
    "time": "int64",
}
_PACKING = "zstd(3)"


class Rows:
    """Rows of a data set, collected column by column."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.values: dict[str, list[Any]] = {name: [] for name in columns}

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    def add(self, **values: Any) -> None:
        """A row; what is not said is missing in it."""
        for name, some in self.values.items():
            some.append(values.get(name))

    def to_parquet(self, order: Sequence[int] | None = None) -> bytes:
        """The rows as a file, in this order."""
        picked = {
            name: some if order is None else [some[at] for at in order]
            for name, some in self.values.items()
        }
        return to_parquet(self.columns, picked)


def to_parquet(columns: Columns, values: Mapping[str, Sequence[Any]]) -> bytes:
    """A Parquet file; times are milliseconds since 1970, in UTC."""
    core, files = _arro3()
    made = {}
    for name, its in columns.items():
        array = core.Array(list(values[name]), getattr(core.DataType, _ARROW[its])())
        if its == "time":
            array = array.cast(core.DataType.timestamp("ms", tz="UTC"))
        made[name] = array
    file = io.BytesIO()
    files.write_parquet(
        core.Table.from_pydict(made), file, compression=_PACKING, created_by="treelace"
    )
    return file.getvalue()


def from_parquet(data: bytes, names: Iterable[str] | None = None) -> dict[str, list[Any]]:
    """The columns of a file that we wrote, times as numbers again."""
    core, files = _arro3()
    try:
        table = files.read_parquet(io.BytesIO(data), batch_size=65_536).read_all()
    except Exception as error:
        raise DamagedError(f"a result cannot be read: {error}") from error
    found = {}
    for name in table.schema.names if names is None else names:
        column = table[name]
        if str(column.type).startswith(("Timestamp", "arro3.core.DataType<Timestamp")):
            column = column.cast(core.DataType.int64())
        found[name] = column.to_pylist()
    return found


def _arro3() -> tuple[Any, Any]:
    try:
        import arro3.core
        import arro3.io
    except ImportError as error:
        raise MissingError("writing Parquet", package="arro3-io", extra="parquet") from error
    return arro3.core, arro3.io
