"""Pages as the store knows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from treelace.store import times
from treelace.store.checksums import as_stored, damage_of
from treelace.store.rows import in_parts
from treelace.store.schema import classes, pages


@dataclass(frozen=True, slots=True)
class Page:
    """A page the store knows."""

    id: int
    url: str
    page_class: str | None
    newest: int
    first_seen: datetime
    last_seen: datetime
    seen: int

    def __str__(self) -> str:
        return f"{self.url} ({self.newest} version{'s' if self.newest != 1 else ''})"


@dataclass(frozen=True, slots=True)
class PageState:
    """What the store knows of a page before its next version (milliseconds); `id` None: new.
    `damage` is what its row differed by from its checksum when it was read.
    """

    url: str
    id: int | None = None
    class_id: int | None = None
    newest: int = 0
    first_seen: int = 0
    last_seen: int = -1
    source: bytes = b""
    seen: int = 0
    due: int | None = None
    damage: int = 0


def select_pages() -> Select[Any]:
    """The rows that `page_of` reads."""
    columns = (
        pages.c.id,
        pages.c.url,
        classes.c.name.label("page_class"),
        pages.c.newest,
        pages.c.first_seen,
        pages.c.last_seen,
        pages.c.seen,
    )
    return select(*columns).select_from(pages.outerjoin(classes))


def select_some_pages(like: str, page_class: str | None) -> tuple[Select[Any], Select[Any]]:
    """The rows of some pages, by address, and how many there are: see `Store.some_pages`."""
    meant = []
    if like:
        meant.append(pages.c.url.contains(like, autoescape=True))
    if page_class is not None:
        number = select(classes.c.id).where(classes.c.name == page_class).scalar_subquery()
        meant.append(pages.c.class_id == number if page_class else pages.c.class_id.is_(None))
    total = select(func.count()).select_from(pages).where(*meant)
    return select_pages().where(*meant).order_by(pages.c.url), total


def page_of(row: Row[Any]) -> Page:
    """A page from its row."""
    return Page(
        row.id,
        row.url,
        row.page_class,
        row.newest,
        times.from_number(row.first_seen),
        times.from_number(row.last_seen),
        row.seen,
    )


def load_states(connection: Connection, urls: Sequence[str]) -> dict[str, PageState]:
    """The states of these pages; those that are not known are left out."""
    names = [field.name for field in fields(PageState) if field.name != "damage"]
    found = {}
    for part in in_parts(urls):
        known = select(*as_stored(pages)).where(pages.c.url.in_(part))
        for row in connection.execute(known).mappings():
            found[row["url"]] = PageState(
                **{name: row[name] for name in names}, damage=damage_of(pages, row)
            )
    return found


def load_urls(connection: Connection, due_by: datetime | None) -> list[str]:
    """The addresses of all pages, or of those that are due by a time, in the order they came."""
    wanted = select(pages.c.url).order_by(pages.c.id)
    if due_by is not None:
        is_due = (pages.c.due <= times.to_number(due_by)) | pages.c.due.is_(None)
        wanted = wanted.where(is_due)
    return list(connection.execute(wanted).scalars())


def nearest_url(connection: Connection, url: str) -> str:
    """What to say about an address that no page has."""
    from difflib import get_close_matches

    known = connection.execute(select(pages.c.url).order_by(pages.c.id).limit(2000)).scalars().all()
    near = get_close_matches(url, known, n=1)
    return f": did you mean {near[0]!r}?" if near else ": `treelace pages` lists them"
