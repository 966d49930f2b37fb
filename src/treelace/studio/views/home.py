"""The sites of a studio, and one site at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.studio.asking import Ask

EXAMPLES = 1
NEWEST_ALERTS = 6


def sites(ask: Ask) -> Answer:
    """Every site of the studio, in a line each."""
    found = [(name, ask.sites.reading(name).status()) for name in ask.sites.folders]
    return Answer(
        template="sites.html",
        title="Sites",
        context={"found": found},
        heads=("site", "url", "pages", "records", "alerts", "last_fetch", "next_due"),
        rows=[
            (
                name,
                one.url,
                one.pages,
                sum(one.records.values()),
                one.alerts,
                one.last_fetch,
                one.next_due,
            )
            for name, one in found
        ],
    )


def overview(site: Site, ask: Ask) -> Answer:
    """A site at a glance."""
    del ask
    status = site.status()
    examples = {
        one.name: found.pages[0]
        for one in status.classes
        if (found := site.some_pages(page_class=one.name, limit=EXAMPLES)).pages
    }
    facts = {
        "url": status.url,
        "folder": status.folder,
        "store": status.store,
        "pages": status.pages,
        "unclassified": status.classes.unclassified,
        "open_alerts": status.alerts,
        "rules": status.rules,
        "last_fetch": status.last_fetch,
        "next_due": status.next_due,
        "waiting": status.waiting,
        "failed": status.failed,
    }
    return Answer(
        template="overview.html",
        title=status.url,
        context={
            "status": status,
            "examples": examples,
            "settings": site.explained_settings(),
            "alerts": site.newest_alerts(limit=NEWEST_ALERTS),
        },
        heads=("fact", "value"),
        rows=list(facts.items()),
        data={
            **facts,
            "classes": [
                {"name": one.name, "state": one.state, "pages": one.pages, "wrapper": one.wrapper}
                for one in status.classes
            ],
            "records": dict(status.records),
            "drift": {name: dict(pages) for name, pages in status.drift.items()},
        },
    )
