"""Tables for other programs: CSV, JSON lines, Parquet, SQLite, Arrow, pandas, and the page with its
records marked.

All of them but the last have the same columns: those of `flatten`.
"""

from __future__ import annotations

from treelace.extract.outputs.flat import FlatColumn, flatten
from treelace.extract.outputs.marked import marked_page
from treelace.extract.outputs.writers import to_csv, to_jsonl, to_parquet, to_sqlite

__all__ = ["FlatColumn", "flatten", "marked_page", "to_csv", "to_jsonl", "to_parquet", "to_sqlite"]
