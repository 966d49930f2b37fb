"""What the answers of `/api/v1` look like: a type for each view, from which OpenAPI is made.

The tests hold every answer to its schema. A record has the columns of its table, so it is any
object.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class Typed(msgspec.Struct, forbid_unknown_fields=True):
    """An answer, or a part of one: these fields and no others."""


class SiteLine(Typed):
    """A site in a line."""

    site: str
    url: str
    pages: int
    records: int
    alerts: int
    last_fetch: datetime | None
    next_due: datetime | None


class ClassState(Typed):
    """A class at a glance."""

    name: str
    state: str
    pages: int
    wrapper: str


class Overview(Typed):
    """A site at a glance."""

    url: str
    folder: str
    store: str
    pages: int
    unclassified: int
    open_alerts: int
    rules: int
    last_fetch: datetime | None
    next_due: datetime | None
    waiting: int
    failed: int
    classes: list[ClassState]
    records: dict[str, int]


class TableLine(Typed):
    """A kind of records."""

    table: str
    page_class: str | None = msgspec.field(name="class")
    records: int
    key: str
    columns: str


class TableRows(Typed):
    """Some records of a table, and the address of the next ones."""

    table: str
    total: int
    is_more: bool
    is_cut: bool
    offset: int
    records: list[dict[str, Any]]
    next: str | None


class PageLine(Typed):
    """A page."""

    url: str
    page_class: str | None = msgspec.field(name="class")
    versions: int
    seen: int
    first: datetime
    last: datetime


class VersionLine(Typed):
    """A version of a page."""

    version: int
    time: datetime
    status: int
    changes: str | None
    bytes: int
    digest: str


class ChangeLine(Typed):
    """A change on a page, as a reader sees it."""

    what: str
    where: str
    old: str | None
    new: str | None


class PageChange(Typed):
    """What changed between two versions of a page."""

    url: str
    old: int
    new: int
    summary: str
    changes: list[ChangeLine]


class ClassLine(Typed):
    """A class of pages."""

    page_class: str = msgspec.field(name="class")
    state: str
    pages: int
    wrapper: str


class ColumnAbout(Typed):
    """A column of a class."""

    name: str
    type: str
    filled: float


class ClassAbout(Typed):
    """A class with its columns and some of its pages."""

    name: str
    state: str
    pages: int
    url_pattern: str | None
    wrapper: str
    columns: list[ColumnAbout]
    examples: list[str]


class TriedPageLine(Typed):
    """A page on which other columns were tried."""

    page: str
    records: int
    problem: str | None


class RepairLine(Typed):
    """A column in a repair."""

    column: str
    is_restored: bool
    why: str
    old: str
    new: str


class AlertLine(Typed):
    """An alert."""

    alert: int
    time: datetime
    rule: str | None
    kind: str
    why: str
    page: str | None
    version: int | None
    old: Any
    new: Any


class ToldLine(Typed):
    """What a rule would have told."""

    time: datetime
    why: str
    not_told: str | None


class LogLine(Typed):
    """A line of the log of fetches."""

    number: int
    time: str
    event: str
    page: str | None
    status: int | None
    ms: int | None
    note: str | None


class Failure(Typed):
    """What is wrong."""

    error: str


class Changed(Typed):
    """What was done, and the form that takes it back."""

    said: str
    undo: dict[str, str] | None


ANSWERS: dict[str, Any] = {
    "sites": list[SiteLine],
    "": Overview,
    "tables": list[TableLine],
    "table/{kind}": TableRows,
    "record/{kind}": list[dict[str, Any]],
    "pages": list[PageLine],
    "page": list[VersionLine],
    "diff": PageChange,
    "classes": list[ClassLine],
    "classes/{name}": ClassAbout,
    "classes/{name}/columns": list[TriedPageLine],
    "classes/{name}/repair": list[RepairLine],
    "alerts": list[AlertLine],
    "rule": list[ToldLine],
    "sql": list[dict[str, Any]],
    "care": list[LogLine],
}
"""The type of each view's answer, by the view's path."""


def schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of each answer, of failures and of changes, and the parts they refer to."""
    wanted = {**ANSWERS, "failure": Failure, "changed": Changed}
    made, parts = msgspec.json.schema_components(
        list(wanted.values()), ref_template="#/components/schemas/{name}"
    )
    return dict(zip(wanted, made, strict=True)), parts
