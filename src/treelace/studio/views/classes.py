"""Classes of pages, and one of them with its example pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.studio.asking import Ask

EXAMPLES = 6


def classes(site: Site, ask: Ask) -> Answer:
    """Every class, with the number of its pages and what its wrapper gives."""
    del ask
    found = site.classes()
    examples = {
        one.name: some.pages[0]
        for one in found
        if (some := site.some_pages(page_class=one.name, limit=1)).pages
    }
    return Answer(
        template="classes.html",
        title="Classes",
        context={"found": found, "examples": examples},
        heads=("class", "state", "pages", "wrapper"),
        rows=[(it.name, it.state, it.pages, it.wrapper) for it in found],
    )


def one_class(site: Site, ask: Ask) -> Answer:
    """A class: its columns, its tables, and example pages."""
    name = ask.part("name")
    about = site.class_details(name)
    examples = site.some_pages(page_class=name, limit=EXAMPLES)
    return Answer(
        template="class.html",
        title=name,
        context={"about": about, "examples": examples},
        heads=("column", "type", "filled"),
        rows=[(it.name, it.type, it.fill) for it in about.columns],
        data={
            "name": about.name,
            "state": about.state,
            "pages": examples.total,
            "url_pattern": about.url_pattern,
            "wrapper": about.wrapper,
            "columns": [
                {"name": it.name, "type": it.type, "filled": it.fill} for it in about.columns
            ],
            "examples": [it.url for it in examples.pages],
        },
    )
