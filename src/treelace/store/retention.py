"""Retention: what may go, and a page that must go.

`plan` says what the settings allow to remove; `apply` removes exactly that. `forget` removes a page
for good: its versions, its records, its place in the frontier and the log, and what dictionaries
learnt from it; the space it took is overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from treelace.store import body as bodies
from treelace.store import chain, times
from treelace.store.record_kinds import history_table, load_kinds
from treelace.store.schema import (
    alerts,
    crawl_log,
    deliveries,
    dictionaries,
    frontier,
    nodes,
    pages,
    sightings,
    versions,
)
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
            whole = (
                update(versions)
                .where(here, versions.c.number == removal.first_kept)
                .values(base=None, dictionary_id=None, data=bodies.pack(data))
            )
            connection.execute(whole)
            connection.execute(delete(versions).where(here, versions.c.number < removal.first_kept))
    with store._database.writing() as connection:
        used = select(versions.c.dictionary_id).where(versions.c.dictionary_id.is_not(None))
        newest = select(func.max(dictionaries.c.id)).group_by(dictionaries.c.class_id)
        connection.execute(
            delete(dictionaries).where(
                dictionaries.c.id.not_in(used), dictionaries.c.id.not_in(newest)
            )
        )
    store._database.tidy()


def forget(store: Store, url: str) -> int:
    """Removes a page for good; how many versions it had. Who calls holds the writer lock."""
    page = store.page(url)
    with store._database.writing() as connection:
        _forget_dictionaries(store, connection, page.id)
        _forget_records(connection, page.id)
        told = select(alerts.c.id).where(alerts.c.page_id == page.id)
        connection.execute(delete(deliveries).where(deliveries.c.alert_id.in_(told)))
        connection.execute(delete(alerts).where(alerts.c.page_id == page.id))
        connection.execute(delete(nodes).where(nodes.c.page_id == page.id))
        count = connection.execute(delete(versions).where(versions.c.page_id == page.id)).rowcount
        connection.execute(delete(pages).where(pages.c.id == page.id))
        connection.execute(delete(frontier).where(frontier.c.url == url))
        connection.execute(update(frontier).where(frontier.c.found_on == url).values(found_on=None))
        connection.execute(delete(crawl_log).where(crawl_log.c.url == url))
    store.dictionaries.read_again()
    store._database.tidy()
    return count


def _forget_dictionaries(store: Store, connection: Connection, page_id: int) -> None:
    """A dictionary may hold pieces of the page: the versions of others that lean on one of its
    class are packed without it.
    """
    class_id = connection.execute(select(pages.c.class_id).where(pages.c.id == page_id)).scalar()
    where = (
        dictionaries.c.class_id.is_(None)
        if class_id is None
        else dictionaries.c.class_id == class_id
    )
    for number in connection.execute(select(dictionaries.c.id).where(where)).scalars().all():
        content = store.dictionaries.content(number)
        leaning = select(versions.c.id, versions.c.data).where(
            versions.c.dictionary_id == number, versions.c.page_id != page_id
        )
        for row in connection.execute(leaning).all():
            data = bodies.pack(
                bodies.unpack(row.data, content, is_trained=True, limits=store.limits)
            )
            connection.execute(
                update(versions)
                .where(versions.c.id == row.id)
                .values(dictionary_id=None, data=data)
            )
        connection.execute(
            update(versions).where(versions.c.dictionary_id == number).values(dictionary_id=None)
        )
        connection.execute(delete(dictionaries).where(dictionaries.c.id == number))


def _forget_records(connection: Connection, page_id: int) -> None:
    """What only this page showed goes; what others show too is theirs from now on."""
    for kind in load_kinds(connection):
        table = history_table(kind)
        mine = sightings.c.kind_id == kind.id
        others: dict[str, Any] = {}
        for row in connection.execute(
            select(sightings.c.key, sightings.c.page_id, sightings.c.node).where(
                mine, sightings.c.page_id != page_id
            )
        ):
            others.setdefault(row.key, row)
        held = connection.execute(
            select(table.c.id, table.c.key).where(
                table.c.page_id == page_id, table.c.valid_to.is_(None)
            )
        ).all()
        for record in held:
            if record.key in others:
                heir = others[record.key]
                newest = select(pages.c.newest).where(pages.c.id == heir.page_id).scalar_subquery()
                theirs = {
                    "page_id": heir.page_id,
                    "version": newest,
                    "node": heir.node,
                    "nodes": "{}",
                }
                connection.execute(update(table).where(table.c.id == record.id).values(theirs))
        connection.execute(delete(table).where(table.c.page_id == page_id))
        connection.execute(delete(sightings).where(mine, sightings.c.page_id == page_id))
