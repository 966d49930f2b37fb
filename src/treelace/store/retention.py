"""Retention: which versions may go. `plan` says what the settings allow, `apply` removes that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from treelace.store import body as bodies
from treelace.store import chain, times
from treelace.store.checksums import change_rows, remove_rows
from treelace.store.schema import dictionaries, pages, versions
from treelace.store.settings import RetentionSection
from treelace.store.store import Store
from treelace.store.versions import chain_to


@dataclass(frozen=True, slots=True)
class Removal:
    """Versions of a page that may go: all before `first_kept`."""

    page_id: int
    url: str
    versions: int
    bytes: int
    first_kept: int

    def __str__(self) -> str:
        return (
            f"{self.url}: {self.versions:,} version{'s' if self.versions != 1 else ''} before"
            f" @{self.first_kept}, {self.bytes:,} bytes"
        )


def plan(store: Store, rules: RetentionSection, now: datetime) -> Iterator[Removal]:
    """What may be removed, page by page; a version stays if a rule keeps it or it is the newest."""
    if rules.keep_versions is None and rules.keep_days is None:
        return
    too_old = (
        None if rules.keep_days is None else times.to_number(now) - rules.keep_days * 86_400_000
    )
    with store._database.reading() as connection:
        for page_id, url, newest in connection.execute(
            select(pages.c.id, pages.c.url, pages.c.newest).order_by(pages.c.id)
        ).all():
            first = (
                newest
                if rules.keep_versions is None
                else max(1, newest - max(1, rules.keep_versions) + 1)
            )
            if too_old is not None:
                young = select(func.min(versions.c.number)).where(
                    versions.c.page_id == page_id, versions.c.time >= too_old
                )
                first = min(first, connection.execute(young).scalar() or newest)
            size = select(func.count(), func.sum(func.length(versions.c.data))).where(
                versions.c.page_id == page_id, versions.c.number < first
            )
            count, total = connection.execute(size).one()
            if count:
                yield Removal(page_id, url, count, total, first)


def apply(store: Store, removals: Sequence[Removal]) -> None:
    """Removes what was planned, each page in its own transaction, under the writer lock."""
    for removal in removals:
        with store._database.writing() as connection:
            links, _ = chain_to(connection, removal.page_id, removal.first_kept, removal.url)
            data = chain.follow(links, store.dictionaries.content, limits=store.limits).data
            here = versions.c.page_id == removal.page_id
            whole = {"base": None, "dictionary_id": None, "data": bodies.pack(data)}
            first = versions.c.number == removal.first_kept
            change_rows(connection, versions, here & first, whole)
            remove_rows(connection, versions, here & (versions.c.number < removal.first_kept))
    with store._database.writing() as connection:
        used = select(versions.c.dictionary_id).where(versions.c.dictionary_id.is_not(None))
        newest = select(func.max(dictionaries.c.id)).group_by(dictionaries.c.class_id)
        is_idle = dictionaries.c.id.not_in(used) & dictionaries.c.id.not_in(newest)
        remove_rows(connection, dictionaries, is_idle)
    store._database.tidy()
