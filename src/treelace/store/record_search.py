"""Searches records within a time: what was found until then, and that it was cut.

Records are looked through in the order they came, some thousand at a time, until there are enough,
none is left, or the time is up; then whoever asks can go on from there. Where conditions on indexed
numbers leave few, only these are looked at.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Table,
    any_,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError

from treelace.store.rows import to_json

_FIRST_STEP = 10_000
_LONGEST_STEP = 0.03
_INSTRUCTIONS = 10_000
"""Of SQLite between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Found:
    """Numbers of rows that were found, in the order they came; `go_on` is the row after which there
    may be more, and the search `is_cut` where the time was up.
    """

    ids: list[int]
    go_on: int | None = None
    is_cut: bool = False


def search(
    connection: Connection,
    table: Table,
    meant: Sequence[ColumnElement[bool]],
    narrow: Sequence[ColumnElement[bool]],
    *,
    after: int,
    most: int,
    until: float,
) -> Found:
    """The rows of which all that is `meant` holds, `most` of them and not more; `narrow` are those
    of its conditions that an index answers.
    """
    if narrow:
        wanted = select(table.c.id).where(*narrow, table.c.id > after).limit(most + 1)
        few = list(connection.execute(wanted).scalars())
        if len(few) <= most:
            chosen = select(table.c.id).where(among(connection, table, few), *meant)
            return Found(list(connection.execute(chosen.order_by(table.c.id)).scalars()))
    last = connection.execute(select(func.max(table.c.id))).scalar() or 0
    ids: list[int] = []
    start, step = after, _FIRST_STEP
    while start < last:
        began = time.monotonic()
        part = (
            select(table.c.id)
            .where(table.c.id > start, table.c.id <= start + step, *meant)
            .order_by(table.c.id)
            .limit(most + 1 - len(ids))
        )
        ids += connection.execute(part).scalars()
        start += step
        if len(ids) > most:
            return Found(ids[:most], go_on=ids[most - 1])
        now = time.monotonic()
        if now > until and start < last:
            return Found(ids, go_on=start, is_cut=True)
        step = step * 2 if now - began < _LONGEST_STEP / 2 else step
    return Found(ids)


def among(connection: Connection, table: Table, ids: Sequence[int]) -> ColumnElement[bool]:
    """Whether a row is one of these, however many they are."""
    if connection.dialect.name == "sqlite":
        each = func.json_each(to_json(ids)).table_valued("value")
        return table.c.id.in_(select(each.c.value))
    return table.c.id == any_(literal(list(ids), ARRAY(BigInteger)))


def in_time(connection: Connection, wanted: Select[Any], seconds: float | None) -> list[Any] | None:
    """The first values of an answer; None where the database needs longer than it may."""
    if seconds is None:
        return list(connection.execute(wanted).scalars())
    with _bounded(connection, seconds) as bounded:
        bounded.append(list(connection.execute(wanted).scalars()))
    return bounded[0] if bounded else None


@contextmanager
def _bounded(connection: Connection, until: float) -> Iterator[list[list[Any]]]:
    """Lets a statement run for a time; what is stopped leaves the transaction as it was."""
    answers: list[list[Any]] = []
    if connection.dialect.name == "sqlite":
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(lambda: int(time.monotonic() > until), _INSTRUCTIONS)
        try:
            yield answers
        except DBAPIError as error:
            if "interrupted" not in str(error.orig):
                raise
        finally:
            driver.set_progress_handler(None, 0)
        return
    try:
        with connection.begin_nested():
            left = max(1, round(1000 * (until - time.monotonic())))
            connection.execute(text(f"SET LOCAL statement_timeout = {left}"))
            yield answers
            connection.execute(text("SET LOCAL statement_timeout = DEFAULT"))
    except DBAPIError as error:
        if "statement timeout" not in str(error.orig):
            raise


def end_of(seconds: float | None) -> float:
    """When the time is up; never without a bound."""
    return math.inf if seconds is None else time.monotonic() + seconds
