"""One record: what it is, where it was read, what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace.site.record_verbs import for_people
from treelace.studio.answers import Answer
from treelace.studio.drawing import Point, plot, timeline

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.store.records import RecordMoment
    from treelace.studio.asking import Ask

MAX_DRAWINGS = 6


def record(site: Site, ask: Ask) -> Answer:
    """A record with its history; the page beside it."""
    name, key = ask.part("kind"), ask.wanted("key")
    kind = site.kind(name)
    moments = list(site.record_history(kind.name, key))
    last = moments[-1]
    shown = _shown(last.value)
    columns = list(last.value)
    return Answer(
        template="record.html",
        title=str(next((it for _, it in shown if it), key)),
        context={
            "kind": kind,
            "key": key,
            "last": last,
            "shown": shown,
            "changes": _changes(moments),
            "drawings": _drawings(site, kind.name, key, moments, ask),
            "frame": ask.frame(last.page, last.version, last.node) if last.page else "",
        },
        heads=("from", "to", *columns, "page", "version", "node"),
        rows=[
            (
                *(one.valid_from, one.valid_to),
                *(one.value.get(it) for it in columns),
                *(one.page, one.version, one.node),
            )
            for one in moments
        ],
    )


def _shown(values: dict[str, Any]) -> list[tuple[str, Any]]:
    heads, rows = for_people(list(values), [tuple(values.values())])
    return list(zip(heads, rows[0], strict=True))


def _changes(moments: list[RecordMoment]) -> list[tuple[RecordMoment, list[tuple[str, Any, Any]]]]:
    """Each moment with what was different from the one before, the newest first."""
    made = []
    before: dict[str, Any] = {}
    for one in moments:
        now = dict(_shown(one.value))
        changed = [(it, before.get(it), value) for it, value in now.items() if before]
        made.append((one, [row for row in changed if row[1] != row[2]]))
        before = now
    return made[::-1]


def _drawings(
    site: Site, kind: str, key: str, moments: list[RecordMoment], ask: Ask
) -> list[tuple[str, str]]:
    """A plot for each column of numbers that changed, a timeline for each other one."""
    made: list[tuple[str, str]] = []
    types = site.kind(kind).columns
    parts = {name for name, _ in _shown(moments[-1].value)}
    for column in types:
        values = {one.value.get(column) for one in moments}
        if column not in parts or len(values) < 2 or len(made) >= MAX_DRAWINGS:
            continue
        points = [
            Point(
                one.valid_from,
                one.valid_to,
                one.value,
                ask.to("page", url=one.page, version=one.version, mark=one.node),
            )
            for one in site.record_history(kind, key, column=column)
        ]
        is_number = all(isinstance(it.value, int | float) or it.value is None for it in points)
        made.append((column, plot(points) if is_number else timeline(points)))
    return made
