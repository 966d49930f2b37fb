"""Classes of pages, and one of them with its example pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.site.tried_pages import COLUMN_TYPES
from treelace.studio.actions import Form, column_fields
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
        context={
            "about": about,
            "examples": examples,
            "others": [it.name for it in site.classes() if it.name != name],
            "types": COLUMN_TYPES,
        },
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


def columns(site: Site, ask: Ask) -> Answer:
    """What other columns would give on some pages of the class, before they are kept."""
    name = ask.part("name")
    form = Form(ask.query)
    drop, rename, types = column_fields(form)
    trial = site.try_columns(name, drop=drop, rename=rename, types=types)
    fields = [
        pair
        for pair in ask.query.multi_items()
        if pair[0].startswith(("name.", "type.", "was.")) or pair[0] == "drop"
    ]
    return Answer(
        template="columns.html",
        title=f"{name}: columns",
        context={"name": name, "trial": trial, "fields": fields},
        heads=("page", "records", "problem"),
        rows=[(it.url, it.count, it.problem) for it in trial.pages],
    )


def repair(site: Site, ask: Ask) -> Answer:
    """What a repair of the class's wrapper would restore, column by column, and why."""
    name = ask.part("name")
    found = site.repair(name)
    example = site.repair_example(name, found) if found.pages else None
    sides = ({}, {}) if example is None else (example.old, example.new)
    return Answer(
        template="repair.html",
        title=f"{name}: repair",
        context={
            "name": name,
            "found": found,
            "example": example,
            "frames": []
            if example is None
            else [
                ask.frame(example.url, version)
                for version in (example.old_version, example.new_version)
            ],
        },
        heads=("column", "is_restored", "why", "old", "new"),
        rows=[
            (column, is_restored, why, *(", ".join(side.get(column, ())) for side in sides))
            for is_restored, columns in ((True, found.restored), (False, found.left_out))
            for column, why in columns.items()
        ],
    )
