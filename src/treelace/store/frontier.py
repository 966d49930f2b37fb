"""Frontier: addresses to fetch, which of them is next, and what happened to each; the log of it
beside it.

Every change is one short transaction. An address is *taken* by one fetcher; what a killed process
had taken is waiting again after `release`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from treelace.store import times
from treelace.store.rows import thing, values
from treelace.store.schema import crawl_log, frontier
from treelace.store.upsert import insert_or_ignore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from treelace.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address of the frontier; more `priority` comes first, then what is due longest."""

    url: str
    due: datetime
    priority: int = 0
    depth: int = 0
    found_on: str | None = None
    state: str = "waiting"
    tries: int = 0
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A line of the log."""

    time: datetime
    event: str
    url: str | None = None
    status: int | None = None
    bytes: int | None = None
    milliseconds: int | None = None
    note: str | None = None


class Frontier:
    """The addresses of a store; `connection` lets a change be part of a larger transaction."""

    def __init__(self, store: Store) -> None:
        self._database = store.database

    def add(self, addresses: Iterable[Address], connection: Connection | None = None) -> int:
        """Adds addresses that are not known yet, and says how many were new."""
        now = times.now()
        rows = [{**values(it), "found": now} for it in addresses]
        if connection is not None:
            return insert_or_ignore(connection, frontier, rows)
        with self._database.writing() as own:
            return insert_or_ignore(own, frontier, rows)

    def take(self, now: datetime, most: int = 1) -> list[Address]:
        """The next addresses that are due; they are *taken* until they are marked or released."""
        due = (
            select(frontier.c.id)
            .where(frontier.c.state == "waiting", frontier.c.due <= times.to_number(now))
            .order_by(frontier.c.priority.desc(), frontier.c.due, frontier.c.id)
            .limit(most)
        )
        with self._database.writing() as connection:
            numbers = list(connection.execute(due).scalars())
            if not numbers:
                return []
            connection.execute(
                update(frontier)
                .where(frontier.c.id.in_(numbers))
                .values(state="taken", tries=frontier.c.tries + 1)
            )
            rows = connection.execute(select(frontier).where(frontier.c.id.in_(numbers))).all()
        order = {number: place for place, number in enumerate(numbers)}
        return [thing(Address, row) for row in sorted(rows, key=lambda row: order[row.id])]

    def mark(
        self,
        url: str,
        state: str,
        *,
        due: datetime | None = None,
        priority: int | None = None,
        about: str | None = None,
        connection: Connection | None = None,
    ) -> None:
        """Says what became of an address: done, failed, pruned; or waiting again, with a time when
        it is due.
        """
        said: dict[str, object] = {"state": state}
        said |= {} if due is None else {"due": times.to_number(due)}
        said |= {} if priority is None else {"priority": priority}
        said |= {} if about is None else {"about": about}
        statement = update(frontier).where(frontier.c.url == url).values(**said)
        if connection is not None:
            connection.execute(statement)
            return
        with self._database.writing() as own:
            own.execute(statement)

    def release(self) -> int:
        """What a killed process had taken waits again; how many there were."""
        with self._database.writing() as connection:
            return connection.execute(
                update(frontier).where(frontier.c.state == "taken").values(state="waiting")
            ).rowcount

    def get(self, url: str) -> Address | None:
        """One address, if it is known."""
        with self._database.reading() as connection:
            row = connection.execute(select(frontier).where(frontier.c.url == url)).first()
        return None if row is None else thing(Address, row)

    def counts(self) -> dict[str, int]:
        """How many addresses there are in each state."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(frontier.c.state, func.count()).group_by(frontier.c.state)
            ).all()
        return {row[0]: row[1] for row in rows}

    def next_due(self) -> datetime | None:
        """When the next waiting address is due."""
        with self._database.reading() as connection:
            number = connection.execute(
                select(func.min(frontier.c.due)).where(frontier.c.state == "waiting")
            ).scalar()
        return None if number is None else times.from_number(number)

    def log(self, event: Event, connection: Connection | None = None) -> None:
        """Adds a line to the log."""
        if connection is not None:
            connection.execute(insert(crawl_log).values(values(event)))
            return
        with self._database.writing() as own:
            own.execute(insert(crawl_log).values(values(event)))

    def events(self, *, since: datetime | None = None, url: str | None = None) -> Iterator[Event]:
        """The log, oldest first."""
        statement = select(crawl_log).order_by(crawl_log.c.id)
        if since is not None:
            statement = statement.where(crawl_log.c.time >= times.to_number(since))
        if url is not None:
            statement = statement.where(crawl_log.c.url == url)
        with self._database.reading() as connection:
            for row in connection.execution_options(yield_per=1000).execute(statement):
                yield thing(Event, row)
