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
    drift: dict[str, dict[str, str]]


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


class ColumnsTried(Typed):
    """Other columns tried: on some pages, and over the versions as far as they were read."""

    pages: list[TriedPageLine]
    versions: int
    all_versions: int
    cells: int
    changed: dict[str, int]
    come: dict[str, int]
    gone: dict[str, int]


class PointedLine(Typed):
    """A place that someone pointed at: the column it is, or a selector."""

    column: str
    selector: str
    found: int
    records: int


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


class InboxLine(Typed):
    """A cell that changed."""

    id: str
    time: str
    records: str
    record: str
    column: str
    old: Any
    new: Any
    page: str | None
    version: int | None


class NoiseLine(Typed):
    """What a change may stand for, and how much it would hide."""

    records: str
    column: str
    record: str
    like: str
    hides: int
    changes: int
    alerts: int


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


class JobLine(Typed):
    """An event of a job."""

    time: str | None
    event: str | None
    url: str | None
    status: int | None
    note: str | None


class JobAnswer(Typed):
    """How far the newest job of a site is; number 0: there was none."""

    number: int
    what: str
    running: bool
    exit_code: int | None
    counts: dict[str, int]
    lines: list[JobLine]
    said: str


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
    "classes/{name}/columns": ColumnsTried,
    "classes/{name}/point": list[PointedLine],
    "classes/{name}/repair": list[RepairLine],
    "alerts": list[AlertLine],
    "inbox": list[InboxLine],
    "noise": list[NoiseLine],
    "rule": list[ToldLine],
    "sql": list[dict[str, Any]],
    "care": list[LogLine],
}
"""The type of each view's answer, by the view's path."""


def schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of each answer, of failures and of changes, and the parts they refer to."""
    wanted = {**ANSWERS, "failure": Failure, "changed": Changed, "job": JobAnswer}
    made, parts = msgspec.json.schema_components(
        list(wanted.values()), ref_template="#/components/schemas/{name}"
    )
    return dict(zip(wanted, made, strict=True)), parts
