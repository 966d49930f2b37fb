"""Care: is everything whole, how large is it, what could not be fetched and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.studio.asking import Ask


def care(site: Site, ask: Ask) -> Answer:
    """Sizes, and the log."""
    is_all = ask.word("log") == "all"
    log = site.fetches(failed=not is_all, limit=ask.limit, before=ask.maybe_number("before"))
    heads, rows = log.rows_for("json")
    return Answer(
        template="care.html",
        title="Care",
        context={
            "sizes": site.sizes(),
            "store": site.place,
            "log": log,
            "is_all": is_all,
            "next": ask.here(before=log[-1][0]) if len(log) == ask.limit else "",
        },
        heads=heads,
        rows=rows,
    )
