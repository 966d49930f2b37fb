"""The inbox: changed cells walked one by one; and what a click at noise would hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.site.noise_verbs import noise_words
from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.studio.asking import Ask


def inbox(site: Site, ask: Ask) -> Answer:
    """Cells that changed and that nobody has dealt with, newest first."""
    found = site.inbox(limit=ask.limit, before=ask.time("until"))
    heads, rows = found.rows_for("json")
    return Answer(
        template="inbox.html",
        title="Inbox",
        context={
            "found": found,
            "noises": [(it, noise_words(it)) for it in site.noise()],
            "next": ask.here(until=found[-1].time.isoformat()) if found.is_more else "",
        },
        heads=heads,
        rows=rows,
    )


def noise(site: Site, ask: Ask) -> Answer:
    """What a change may stand for that someone calls noise, and what else that would hide."""
    trials = site.noise_like(ask.wanted("id"))
    return Answer(
        template="noise.html",
        title="This is noise",
        context={"trials": [(it, noise_words(it.noise)) for it in trials]},
        heads=("records", "column", "record", "like", "hides", "changes", "alerts"),
        rows=[
            (
                *(it.noise.records, it.noise.column, it.noise.key, it.noise.like),
                *(it.hidden, it.changes, len(it.alerts)),
            )
            for it in trials
        ],
    )
