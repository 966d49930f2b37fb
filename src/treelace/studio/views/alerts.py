"""Alerts: what was noticed, why, and the evidence; and the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace.site.record_verbs import for_people
from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treelace.site import Site
    from treelace.studio.asking import Ask

STATES = {"open": "Open", "acknowledged": "Acknowledged", "suppressed": "Not told"}


def alerts(site: Site, ask: Ask) -> Answer:
    """The newest alerts of a state, with their evidence."""
    state = ask.word("state", "open")
    found = site.newest_alerts(state, limit=ask.limit, before=ask.maybe_number("before"))
    return Answer(
        template="alerts.html",
        title="Alerts",
        context={
            "found": [(it, evidence(it.about)) for it in found],
            "state": state,
            "states": STATES,
            "rules": site.rules(),
            "next": ask.here(before=found[-1].id) if len(found) == ask.limit else "",
        },
        heads=("alert", "time", "rule", "kind", "why", "page", "version", "old", "new"),
        rows=[
            (
                *(it.id, it.time, it.subscription, it.kind, it.why, it.url, it.version),
                *(_words(it.about.get(side)) for side in ("old", "new")),
            )
            for it in found
        ],
    )


def evidence(about: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """The columns that differ between the old and the new record, or the two values of a node."""
    old, new = about.get("old"), about.get("new")
    if isinstance(old, dict) and isinstance(new, dict):
        names = list(dict.fromkeys([*old, *new]))
        if not names:
            return []
        rows = [tuple(side.get(name) for name in names) for side in (old, new)]
        heads, (before, after) = for_people(names, rows)
        changed = zip(heads, before, after, strict=True)
        return [row for row in changed if row[1] != row[2]] if old and new else []
    return [("value", old, new)] if old != new else []


def _words(value: Any) -> Any:
    """A value for a cell of CSV."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {it}" for name, it in value.items() if it is not None)
    return value
