"""Classes of pages, and one of them with its example pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.errors import UsageError
from treelace.site.class_verbs import ColumnWords
from treelace.site.tried_pages import COLUMN_TYPES
from treelace.studio.actions import Form, column_fields, column_pairs
from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.studio.asking import Ask

EXAMPLES = 6
HISTORY_SECONDS = 0.04
"""That a reader waits for what a correction changes in the past; a job counts the rest."""


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
    drop, rename, types, select = column_fields(form)
    said = ColumnWords(drop=drop, rename=rename, types=types, select=select)
    trial = site.try_columns(name, **said)
    past = site.try_history(name, seconds=HISTORY_SECONDS, **said)
    return Answer(
        template="columns.html",
        title=f"{name}: columns",
        context={"name": name, "trial": trial, "past": past, "fields": column_pairs(form)},
        heads=("page", "records", "problem"),
        rows=[(it.url, it.count, it.problem) for it in trial.pages],
        data={
            "pages": [
                {"page": it.url, "records": it.count, "problem": it.problem} for it in trial.pages
            ],
            "versions": past.versions,
            "all_versions": past.all_versions,
            "cells": past.cells,
            "changed": past.changed,
            "come": past.come,
            "gone": past.gone,
        },
    )


def point(site: Site, ask: Ask) -> Answer:
    """A page of the class at which someone points, to make a column of what stands there."""
    name = ask.part("name")
    url = ask.word("on") or site.some_pages(page_class=name, limit=1).pages[0].url
    node = ask.maybe_number("point")
    pointed, said = None, ""
    if node is not None:
        try:
            pointed = site.point_column(name, url, node)
        except UsageError as error:
            said = str(error)
    return Answer(
        template="point.html",
        title=f"{name}: a new column",
        context={
            "name": name,
            "url": url,
            "pointed": pointed,
            "said": said,
            "types": COLUMN_TYPES,
            "frame": ask.frame(url, is_pointed_at=True),
        },
        heads=("column", "selector", "found", "records"),
        rows=[]
        if pointed is None
        else [(pointed.column, pointed.selector, pointed.found, pointed.records)],
    )


def repair(site: Site, ask: Ask) -> Answer:
    """What a repair of the class's wrapper would restore, column by column, and why."""
    name, column = ask.part("name"), ask.word("column")
    select = Form(ask.query).named("select.")
    found = site.repair(name, select=select, searches=False)
    example = site.repair_example(name, found) if found.pages else None
    node, said = ask.maybe_number("point"), ""
    if example is not None and column and node is not None:
        try:
            pointed = site.point_repair(found, example.url, node)
            select = {**select, column: pointed.selector}
            found = site.repair(name, select=select, searches=False)
            example = site.repair_example(name, found)
        except UsageError as error:
            said = str(error)
    chosen = {f"select.{it}": place for it, place in select.items()}
    sides = ({}, {}) if example is None else (example.old, example.new)
    return Answer(
        template="repair.html",
        title=f"{name}: repair",
        context={
            "name": name,
            "found": found,
            "example": example,
            "column": column,
            "said": said,
            "select": select,
            "point_at": lambda it: ask.here(column=it, point=None, **chosen),
            "frames": []
            if example is None
            else [
                ask.frame(example.url, example.old_version),
                ask.frame(example.url, example.new_version, is_pointed_at=bool(column)),
            ],
        },
        heads=("column", "is_restored", "why", "old", "new"),
        rows=[
            (column, is_restored, why, *(", ".join(side.get(column, ())) for side in sides))
            for is_restored, columns in ((True, found.restored), (False, found.left_out))
            for column, why in columns.items()
        ],
    )
