"""Trial: what a rule would have told, had it been there from the start."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import Any

from treelace.monitor.noise import MAX_EARLIER_VERSIONS
from treelace.monitor.rules import Finding, Rule, of_records, of_selection
from treelace.store import times
from treelace.store.records import Change
from treelace.store.settings import NoiseSection
from treelace.store.states import ChangeKind
from treelace.store.store import Store
from treelace.tree import Tree


def try_rule(
    rule: Rule,
    store: Store,
    noise: Sequence[NoiseSection] = (),
    *,
    newest: int | None = None,
) -> list[tuple[datetime, Finding]]:
    """Everything a rule finds in a store's history, oldest first, suppressed findings too; `noise`
    is what someone called so. With `newest`, of records only those with one of so many newest rows.
    """
    found = list(
        _of_records(rule, store, noise, newest)
        if rule.records
        else _of_page(rule, store)
        if rule.page
        else ()
    )
    return sorted(found, key=lambda pair: pair[0])


def _of_records(
    rule: Rule, store: Store, noise: Sequence[NoiseSection], newest: int | None
) -> Iterator[tuple[datetime, Finding]]:
    found = store.records.kind(rule.records)
    kind = found.name
    states = store.records.states(kind, newest=newest)
    second = store.classes.second_look(found.class_id)
    # what was there before the pages were looked at a second time is no news
    second_look = None if second is None else times.from_number(second)
    for key, group in groupby(states, key=lambda state: state.key):
        earlier: list[Mapping[str, Any]] = []
        ended: datetime | None = None

        def gone(time: datetime) -> Iterator[tuple[datetime, Finding]]:
            change = Change(kind, ChangeKind.GONE, key, None, earlier[-1], None)  # noqa: B023
            return _asked(rule, change, earlier[:-1], time, noise)  # noqa: B023

        for state in group:
            goes_on = ended == state.valid_from
            if ended is not None and not goes_on:
                yield from gone(ended)
            if goes_on:
                change = Change(kind, ChangeKind.CHANGED, key, None, earlier[-1], state.values)
                yield from _asked(rule, change, earlier[:-1], state.valid_from, noise)
            elif second_look is not None and state.valid_from >= second_look:
                change = Change(kind, ChangeKind.NEW, key, None, None, state.values)
                yield from _asked(rule, change, earlier, state.valid_from, noise)
            earlier.append(state.values)
            ended = state.valid_to
        if ended is not None:
            yield from gone(ended)


def _asked(
    rule: Rule,
    change: Change,
    earlier: list[Mapping[str, Any]],
    time: datetime,
    noise: Sequence[NoiseSection],
) -> Iterator[tuple[datetime, Finding]]:
    for finding in of_records(rule, [change], lambda _kind, _key: earlier, (), noise):
        yield time, finding


def _of_page(rule: Rule, store: Store) -> Iterator[tuple[datetime, Finding]]:
    moments = {version.number: version.time for version in store.versions(rule.page)}
    past: deque[Tree] = deque(maxlen=MAX_EARLIER_VERSIONS + 1)
    for number, body in store.bodies(rule.page):
        for finding in of_selection(
            rule, past[0] if past else None, body.tree, earlier=lambda: islice(tuple(past), 1, None)
        ):
            yield moments[number], finding
        past.appendleft(body.tree)
