"""Flat columns as the bytes or text of whole files: CSV, JSON lines, Parquet, SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from treelace.errors import MissingError
from treelace.extract.types import FlatColumn
from treelace.extract.types.storage import plain

MAX_SQLITE_COLUMNS = 2000
"""Columns of a table that SQLite takes as it is shipped; those after them are left out."""


def to_csv(columns: Sequence[FlatColumn]) -> str:
    """CSV (RFC 4180, lines end in a line feed) with a header; dates in ISO 8601, durations in
    seconds, no value as an empty field.
    """
    import csv
    import io

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if columns:
        writer.writerow([column.name for column in columns])
        writer.writerows(
            zip(*([plain(value) for value in column.values] for column in columns), strict=True)
        )
    return file.getvalue()


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_sheet_csv(columns: Sequence[FlatColumn]) -> str:
    """The same for spreadsheets: a text of the page that one would take for a formula has an
    apostrophe before it. Numbers stay numbers.
    """
    return to_csv(
        [replace(column, values=tuple(map(no_formula, column.values))) for column in columns]
    )


def no_formula(value: object) -> object:
    """A value that no spreadsheet computes.

    >>> no_formula("=1+1"), no_formula(-1), no_formula("tea")
    ("'=1+1", -1, 'tea')
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def to_jsonl(columns: Sequence[FlatColumn]) -> str:
    """One JSON object a line; dates in ISO 8601, durations in seconds, no value as null."""
    names = [column.name for column in columns]
    rows = zip(*([plain(value) for value in column.values] for column in columns), strict=True)
    return "".join(
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows
    )


def to_parquet(columns: Sequence[FlatColumn]) -> bytes:
    """A Parquet file. Needs the extra `parquet`."""
    import io

    from treelace.extract.outputs.arrow import ArrowColumns

    try:
        from arro3.core import Table as ArrowTable
        from arro3.io import write_parquet
    except ImportError as missing:
        raise MissingError("writing Parquet", package="arro3-io", extra="parquet") from missing
    file = io.BytesIO()
    write_parquet(ArrowTable.from_arrow(ArrowColumns(tuple(columns))), file)
    return file.getvalue()


def to_sqlite(columns: Sequence[FlatColumn], *, table: str = "records") -> bytes:
    """A SQLite database with one table. Dates are ISO 8601 texts, durations seconds, true is 1."""
    import sqlite3
    from contextlib import closing

    kept = list(columns)[:MAX_SQLITE_COLUMNS]
    with closing(sqlite3.connect(":memory:")) as database:
        if kept:
            database.execute(f"CREATE TABLE {_quoted(table)} ({', '.join(names_for_sql(kept))})")
            rows = zip(*([plain(value) for value in column.values] for column in kept), strict=True)
            places = ", ".join("?" * len(kept))
            database.executemany(f"INSERT INTO {_quoted(table)} VALUES ({places})", rows)
        else:
            database.execute(f"CREATE TABLE {_quoted(table)} (page TEXT)")
        database.commit()
        return database.serialize()


def names_for_sql(columns: Sequence[FlatColumn]) -> list[str]:
    """`"name" TYPE` for each column; SQLite does not tell letters of different case apart, so names
    that differ in nothing else are numbered.
    """
    seen: set[str] = set()
    made = []
    for column in columns:
        name, number = column.name, 2
        while name.lower() in seen:
            name, number = f"{column.name} {number}", number + 1
        seen.add(name.lower())
        made.append(f"{_quoted(name)} {column.form.sqlite}")
    return made


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""').replace("\0", "") + '"'
