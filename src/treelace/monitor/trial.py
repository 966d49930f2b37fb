"""Trial: what a rule would have told, had it been there from the start."""

from __future__ import annotations

from collections import deque
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from treelace.monitor.noise import WINDOW
from treelace.monitor.rules import Finding, Rule, of_records, of_selection
from treelace.store import times
from treelace.store.records import Change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from treelace.store.records import Records
    from treelace.store.store import Store
    from treelace.tree import Tree


def try_rule(rule: Rule, store: Store, records: Records) -> list[tuple[datetime, Finding]]:
    """Everything a rule finds in the history of a store, oldest first; what it would suppress is
    among it.
    """
    found = list(
        _of_records(rule, records, store)
        if rule.records
        else _of_page(rule, store)
        if rule.page
        else ()
    )
    return sorted(found, key=lambda pair: pair[0])


def _of_records(rule: Rule, records: Records, store: Store) -> Iterator[tuple[datetime, Finding]]:
    kind = records.kind(rule.records)
    table, names = records.table(kind), kind.names
    with store.database.reading() as connection:
        rows = connection.execute(
            select(table).order_by(table.c.key, table.c.valid_from, table.c.id)
        ).all()
    start = min((row.valid_from for row in rows), default=0)
    for key, group in groupby(rows, key=lambda row: str(row.key)):
        earlier: list[Mapping[str, Any]] = []
        ended: int | None = None
        for row in group:
            values = {name: row._mapping[column] for name, column in names.items()}
            if ended is not None and ended != row.valid_from and earlier:
                yield from _asked(
                    rule,
                    Change(kind.name, "gone", key, None, earlier[-1], None),
                    earlier[:-1],
                    ended,
                )
            is_step = bool(earlier) and ended == row.valid_from
            if (
                is_step or row.valid_from > start
            ):  # what was there at the very first look is no news
                change = Change(
                    kind.name,
                    "changed" if is_step else "new",
                    key,
                    None,
                    earlier[-1] if is_step else None,
                    values,
                )
                yield from _asked(
                    rule, change, earlier[:-1] if is_step else earlier, row.valid_from
                )
            earlier.append(values)
            ended = row.valid_to
        if ended is not None:
            yield from _asked(
                rule, Change(kind.name, "gone", key, None, earlier[-1], None), earlier[:-1], ended
            )


def _asked(
    rule: Rule, change: Change, earlier: list[Mapping[str, Any]], time: int
) -> Iterator[tuple[datetime, Finding]]:
    for finding in of_records(rule, [change], lambda _kind, _key: earlier):
        yield times.from_number(time), finding


def _of_page(rule: Rule, store: Store) -> Iterator[tuple[datetime, Finding]]:
    moments = {version.number: version.time for version in store.versions(rule.page)}
    past: deque[Tree] = deque(maxlen=WINDOW + 1)
    for number, body in store.bodies(rule.page):
        for finding in of_selection(
            rule, past[0] if past else None, body.tree, earlier=lambda: islice(tuple(past), 1, None)
        ):
            yield moments[number], finding
        past.appendleft(body.tree)
