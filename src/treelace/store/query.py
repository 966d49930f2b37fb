"""Queries: SQL over a store, read-only, today or as of a time."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from treelace.errors import LimitError, StoreError, TreelaceError, UsageError
from treelace.limits import Limits
from treelace.store.record_kinds import quoted, view_query
from treelace.store.store import Store

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_ROWS = 5000
_STEPS = 100_000
"""Instructions of SQLite between two looks at the clock."""
_LONGEST_VALUE = 100 * 2**20
"""Bytes of one value of an answer: `zeroblob` and `printf` make any."""


@contextmanager
def query(
    store: Store, statement: str, *, at: datetime | None = None
) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    """Column names and rows of one SELECT; with `at`, every kind of record as it was then.

    The statement goes to the database as it is. What would change anything is refused:
    `UsageError`. A query that takes longer than the store's limit of seconds is stopped.
    """
    with (
        _sqlite(store, statement, at)
        if store._database.is_sqlite
        else _postgresql(store, statement, at)
    ) as found:
        yield found


@contextmanager
def _sqlite(
    store: Store, statement: str, at: datetime | None
) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    views = _views(store, at)
    with store._database.failures():
        own = store._database.raw()
    try:
        # first, since it drops the views; what is sorted or grouped may be larger than memory
        own.execute("PRAGMA temp_store=FILE")
        for view in views:
            own.execute(view)
        deadline = time.monotonic() + store.limits.seconds
        own.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS)
        own.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        own.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )
        try:
            cursor = own.execute(statement)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise _failure(error, store.limits) from error
        yield [column[0] for column in cursor.description or ()], _fetched(cursor, store.limits)
    finally:
        own.close()


@contextmanager
def _postgresql(
    store: Store, statement: str, at: datetime | None
) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    import psycopg

    views = _views(store, at)
    with store._database.failures():
        own = store._database.raw()
    try:
        own.execute("SET default_transaction_read_only = off")
        for view in views:
            own.execute(view)
        own.execute(f"SET statement_timeout = {round(1000 * store.limits.seconds)}")
        own.commit()
        own.execute("SET TRANSACTION READ ONLY")
        # a server-side cursor takes one query and nothing else
        cursor = own.cursor(name="treelace")
        cursor.itersize = _ROWS
        try:
            cursor.execute(statement.rstrip().rstrip(";"))
        except psycopg.Error as error:
            raise _failure(error, store.limits) from error
        yield [column.name for column in cursor.description or ()], _fetched(cursor, store.limits)
    finally:
        own.close()


def _views(store: Store, at: datetime | None) -> list[str]:
    """What makes every kind of record look as it was at that time; nothing for now."""
    if at is None:
        return []
    is_sqlite = store._database.is_sqlite
    return [
        f"CREATE TEMP VIEW {quoted(kind.name)} AS {view_query(kind, is_sqlite=is_sqlite, at=at)}"
        for kind in store.records.kinds()
    ]


def _failure(error: Exception, limits: Limits) -> TreelaceError:
    """What went wrong with a query: it was too slow, or is no query that reads."""
    if re.search(r"interrupted|statement timeout", str(error)):
        return LimitError("seconds", bound=limits.seconds)
    return UsageError(_refused(str(error)))


def _fetched(cursor: Any, limits: Limits) -> Iterator[tuple[Any, ...]]:
    deadline = time.monotonic() + limits.seconds  # PostgreSQL counts each part by itself
    try:
        while rows := cursor.fetchmany(_ROWS):
            yield from rows
            if time.monotonic() > deadline:
                raise LimitError("seconds", bound=limits.seconds)
    except Exception as error:
        if type(error).__module__.startswith(("sqlite3", "psycopg")):
            if isinstance(stopped := _failure(error, limits), LimitError):
                raise stopped from error
            raise StoreError(f"the query failed: {' '.join(str(error).split())}") from error
        raise


def _refused(said: str) -> str:
    plain = " ".join(said.split())
    if re.search(
        r"not authorized|read-only|syntax error at or near"
        r" \"(insert|update|delete|drop|create|alter|commit)",
        plain,
        re.IGNORECASE,
    ):
        return f"this query would change something, and queries only read: {plain}"
    if "one statement at a time" in plain:
        return "one query at a time, please"
    table = re.search(r"no such table: (\S+)|relation \"(\S+)\" does not exist", plain)
    return (
        f"{plain}: `treelace records` lists the tables" if table else f"the query is wrong: {plain}"
    )
