"""Tables for other programs: CSV, JSON lines, Parquet, SQLite, Arrow, pandas, marked HTML.

All of them but the last have the same columns: those of `flatten`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treelace.extract.outputs.flat import FlatColumn, flatten
from treelace.extract.outputs.marked import marked_page
from treelace.extract.outputs.writers import (
    to_csv,
    to_jsonl,
    to_parquet,
    to_sheet_csv,
    to_sqlite,
)

__all__ = [
    "FILE_WRITERS",
    "FlatColumn",
    "flatten",
    "marked_page",
    "to_csv",
    "to_jsonl",
    "to_parquet",
    "to_sheet_csv",
    "to_sqlite",
]

FILE_WRITERS: dict[str, Callable[[Sequence[FlatColumn]], str | bytes]] = {
    "jsonl": to_jsonl,
    "csv": to_csv,
    "sheet-csv": to_sheet_csv,
    "parquet": to_parquet,
    "sqlite": to_sqlite,
}
"""File formats by their name in `--to`. To add one: write its function, add it here."""
