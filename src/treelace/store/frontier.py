"""Frontier: addresses to fetch, which of them is next, and what became of each; the log beside it.

It outlives the crawl, which can die at any moment: an address that was taken and whose end was
never written waits again after `release`. The links of a page and its own end are one transaction:
no link is lost, and none is followed twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from treelace.store.database import Connections
from treelace.store.rows import in_parts, insert_or_ignore, row_of, value_of
from treelace.store.schema import crawl_log, frontier
from treelace.store.states import AddressState

_GOOD = ("fetched", "read", "unchanged", "rendered")
"""Events of the log that tell of nothing amiss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address of the frontier: highest `priority` first, then longest due; `about` is free."""

    url: str
    due: datetime
    priority: int = 0
    depth: int = 0
    found_on: str | None = None
    state: AddressState = AddressState.WAITING
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
    """The addresses of a store, and the log of its crawls."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    # addresses

    def add(self, addresses: Iterable[Address]) -> int:
        """Adds addresses that are not known yet, and says how many were new."""
        rows = _address_rows(addresses)
        with self._connections.writing() as connection:
            return insert_or_ignore(connection, frontier, rows)

    def take(self, now: datetime, most: int, *, resting: Sequence[str] = ()) -> list[Address]:
        """The next addresses that are due: highest priority, then least depth, then the order they
        were found; none of hosts that rest (by their origin). They are *taken* until they are
        marked or released.
        """
        wanted = select(frontier).where(
            frontier.c.state == AddressState.WAITING, frontier.c.due <= now
        )
        for host in resting:
            wanted = wanted.where(~frontier.c.url.startswith(f"{host}/", autoescape=True))
        wanted = wanted.order_by(frontier.c.priority.desc(), frontier.c.depth, frontier.c.id).limit(
            most
        )
        with self._connections.writing() as connection:
            rows = connection.execute(wanted).all()
            if rows:
                connection.execute(
                    update(frontier)
                    .where(frontier.c.id.in_([row.id for row in rows]))
                    .values(state=AddressState.TAKEN, tries=frontier.c.tries + 1)
                )
        return [value_of(Address, row) for row in rows]

    def mark(
        self,
        url: str,
        state: AddressState,
        *,
        due: datetime | None = None,
        priority: int | None = None,
        about: str | None = None,
    ) -> None:
        """Says what became of an address; or that it waits again, and when it is due."""
        with self._connections.writing() as connection:
            _mark(connection, url, state=state, due=due, priority=priority, about=about)

    def finish(
        self,
        url: str,
        state: AddressState,
        event: Event,
        found: Iterable[Address] = (),
        *,
        about: str | None = None,
    ) -> int:
        """Writes the outcome of an address with its links; answers how many links were new."""
        with self._connections.writing() as connection:
            added = insert_or_ignore(connection, frontier, _address_rows(found))
            _mark(connection, url, state=state, about=about)
            self._log(connection, event)
            return added

    def release(self) -> int:
        """What a killed process had taken waits again; how many there were."""
        return self._update(frontier.c.state == AddressState.TAKEN, {"state": AddressState.WAITING})

    def revisit(self, urls: Sequence[str], now: datetime) -> None:
        """Makes known addresses wait once more: pages that are due."""
        self._update_urls(urls, _is(AddressState.DONE, AddressState.FAILED), _from_now(now))

    def retry(self, now: datetime) -> None:
        """Makes addresses wait once more that failed in an earlier crawl."""
        self._update(_is(AddressState.FAILED), _from_now(now))

    def prefer(self, urls: Sequence[str], priority: int) -> None:
        """Moves waiting addresses to the front."""
        is_meant = _is(AddressState.WAITING) & (frontier.c.priority < priority)
        self._update_urls(urls, is_meant, {"priority": priority})

    def give_up(self, prefix: str, event: Event) -> int:
        """Ends the wait of every address that starts so; says how many."""
        is_meant = frontier.c.url.startswith(prefix, autoescape=True) & _is(
            AddressState.WAITING, AddressState.TAKEN
        )
        with self._connections.writing() as connection:
            self._log(connection, event)
            return connection.execute(
                update(frontier).where(is_meant).values(state=AddressState.FAILED)
            ).rowcount

    def prune(self, urls: Sequence[str], event: Event) -> None:
        """Ends the wait of these addresses: a trap."""
        with self._connections.writing() as connection:
            _update_urls(
                connection, urls, _is(AddressState.WAITING), {"state": AddressState.PRUNED}
            )
            self._log(connection, event)

    def _update(self, is_meant: ColumnElement[bool], values: Mapping[str, object]) -> int:
        with self._connections.writing() as connection:
            return connection.execute(update(frontier).where(is_meant).values(values)).rowcount

    def _update_urls(
        self, urls: Sequence[str], is_meant: ColumnElement[bool], values: Mapping[str, object]
    ) -> None:
        with self._connections.writing() as connection:
            _update_urls(connection, urls, is_meant, values)

    # questions

    def get(self, url: str) -> Address | None:
        """One address, if it is known."""
        with self._connections.reading() as connection:
            row = connection.execute(select(frontier).where(frontier.c.url == url)).first()
        return None if row is None else value_of(Address, row)

    def counts(self) -> dict[AddressState, int]:
        """How many addresses there are in each state."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                select(frontier.c.state, func.count()).group_by(frontier.c.state)
            ).all()
        return {row[0]: row[1] for row in rows}

    def next_due(self) -> datetime | None:
        """When the next waiting address is due."""
        with self._connections.reading() as connection:
            waiting = select(func.min(frontier.c.due)).where(_is(AddressState.WAITING))
            return connection.execute(waiting).scalar()

    def waiting(self) -> list[str]:
        """Every address that still waits."""
        wanted = select(frontier.c.url).where(_is(AddressState.WAITING)).order_by(frontier.c.id)
        with self._connections.reading() as connection:
            return list(connection.execute(wanted).scalars())

    # the log

    def log(self, event: Event) -> None:
        """Adds a line to the log."""
        with self._connections.writing() as connection:
            self._log(connection, event)

    def _log(self, connection: Connection, event: Event) -> None:
        connection.execute(insert(crawl_log).values(row_of(event)))

    def events(self, *, since: datetime | None = None, url: str | None = None) -> Iterator[Event]:
        """The log, oldest first."""
        statement = select(crawl_log).order_by(crawl_log.c.id)
        if since is not None:
            statement = statement.where(crawl_log.c.time >= since)
        if url is not None:
            statement = statement.where(crawl_log.c.url == url)
        with self._connections.reading() as connection:
            for row in connection.execute(statement, execution_options={"yield_per": 1000}):
                yield value_of(Event, row)

    def newest_events(
        self, most: int, *, failed: bool = False, before: int | None = None
    ) -> list[tuple[int, Event]]:
        """The newest lines of the log with their numbers, newest first; only those that tell of
        something that went wrong where `failed`; only those `before` a number.
        """
        statement = select(crawl_log).order_by(crawl_log.c.id.desc()).limit(most)
        if failed:
            statement = statement.where(crawl_log.c.event.not_in(_GOOD))
        if before is not None:
            statement = statement.where(crawl_log.c.id < before)
        with self._connections.reading() as connection:
            return [(row.id, value_of(Event, row)) for row in connection.execute(statement)]

    def last_time(self) -> datetime | None:
        """When the newest line of the log was written."""
        with self._connections.reading() as connection:
            return connection.execute(select(func.max(crawl_log.c.time))).scalar()


def _address_rows(addresses: Iterable[Address]) -> list[dict[str, object]]:
    now = datetime.now(UTC)
    return [{**row_of(one), "found": now} for one in addresses]


def _mark(connection: Connection, url: str, **given: object) -> None:
    values = {field: value for field, value in given.items() if value is not None}
    connection.execute(update(frontier).where(frontier.c.url == url).values(**values))


def _update_urls(
    connection: Connection,
    urls: Sequence[str],
    is_meant: ColumnElement[bool],
    values: Mapping[str, object],
) -> None:
    for part in in_parts(urls):
        changed = update(frontier).where(frontier.c.url.in_(part) & is_meant)
        connection.execute(changed.values(values))


def _is(*states: AddressState) -> ColumnElement[bool]:
    return frontier.c.state.in_(states)


def _from_now(now: datetime) -> dict[str, object]:
    return {"state": AddressState.WAITING, "due": now, "tries": 0}
