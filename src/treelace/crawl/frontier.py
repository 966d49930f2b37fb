"""The frontier as a crawl uses it: the next addresses of hosts that may be asked, ends written
together with what was found, traps cut off.

It lives in the store, so a crawl can die at any moment: an address that was taken and whose end was
never written is taken again by the next crawl. Links of a page and its own end are one transaction:
no link is lost, and none is followed twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import select, update

from treelace.store import times
from treelace.store.frontier import Address, Event, Frontier
from treelace.store.rows import thing
from treelace.store.schema import frontier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from treelace.store.store import Store

_PART = 500
"""Values in one statement: SQLite has a bound."""


class CrawlFrontier(Frontier):
    """The addresses of a store, for one crawl; `on_event` hears of everything that is logged."""

    def __init__(self, store: Store, *, on_event: Callable[[Event], None] | None = None) -> None:
        super().__init__(store)
        self._on_event = on_event

    def log(self, event: Event, connection: Connection | None = None) -> None:
        """Adds a line to the log."""
        super().log(event, connection)
        if self._on_event is not None:
            self._on_event(event)

    def take_besides(
        self, now: datetime, most: int, *, resting: Sequence[str] = ()
    ) -> list[Address]:
        """The next addresses: highest priority, then least depth, then the order they were found;
        none of hosts that rest (by their origin).
        """
        wanted = select(frontier).where(
            frontier.c.state == "waiting", frontier.c.due <= times.to_number(now)
        )
        for host in resting:
            wanted = wanted.where(~frontier.c.url.startswith(f"{host}/", autoescape=True))
        wanted = wanted.order_by(frontier.c.priority.desc(), frontier.c.depth, frontier.c.id).limit(
            most
        )
        with self._database.writing() as connection:
            rows = connection.execute(wanted).all()
            if rows:
                numbers = [row.id for row in rows]
                connection.execute(
                    update(frontier)
                    .where(frontier.c.id.in_(numbers))
                    .values(state="taken", tries=frontier.c.tries + 1)
                )
        return [thing(Address, row) for row in rows]

    def finish(
        self,
        url: str,
        state: str,
        event: Event,
        found: Iterable[Address] = (),
        *,
        about: str | None = None,
    ) -> int:
        """Writes what became of an address together with the links found there; says how many of
        them were new.
        """
        with self._database.writing() as connection:
            added = self.add(found, connection)
            self.mark(url, state, about=about, connection=connection)
            self.log(event, connection)
            return added

    def again(self, urls: Sequence[str], now: datetime) -> None:
        """Makes known addresses wait once more: pages that are due."""
        values = {"state": "waiting", "due": times.to_number(now), "tries": 0}
        with self._database.writing() as connection:
            for start in range(0, len(urls), _PART):
                is_meant = frontier.c.url.in_(urls[start : start + _PART]) & frontier.c.state.in_(
                    ("done", "failed")
                )
                connection.execute(update(frontier).where(is_meant).values(values))

    def retry(self, now: datetime) -> None:
        """Makes addresses wait once more that failed in an earlier crawl."""
        values = {"state": "waiting", "due": times.to_number(now), "tries": 0}
        with self._database.writing() as connection:
            connection.execute(update(frontier).where(frontier.c.state == "failed").values(values))

    def prefer(self, urls: Sequence[str], priority: int) -> None:
        """Moves waiting addresses to the front."""
        with self._database.writing() as connection:
            for start in range(0, len(urls), _PART):
                is_meant = (
                    frontier.c.url.in_(urls[start : start + _PART])
                    & (frontier.c.state == "waiting")
                    & (frontier.c.priority < priority)
                )
                connection.execute(update(frontier).where(is_meant).values(priority=priority))

    def give_up(self, prefix: str, event: Event) -> int:
        """Ends the wait of every address that starts so; says how many."""
        is_meant = frontier.c.url.startswith(prefix, autoescape=True) & frontier.c.state.in_(
            ("waiting", "taken")
        )
        with self._database.writing() as connection:
            self.log(event, connection)
            return connection.execute(
                update(frontier).where(is_meant).values(state="failed")
            ).rowcount

    def waiting(self) -> list[str]:
        """Every address that still waits."""
        with self._database.reading() as connection:
            return list(
                connection.execute(
                    select(frontier.c.url)
                    .where(frontier.c.state == "waiting")
                    .order_by(frontier.c.id)
                ).scalars()
            )

    def prune(self, urls: Sequence[str], event: Event) -> None:
        """Ends the wait of these addresses: a trap."""
        with self._database.writing() as connection:
            for start in range(0, len(urls), _PART):
                is_meant = frontier.c.url.in_(urls[start : start + _PART]) & (
                    frontier.c.state == "waiting"
                )
                connection.execute(update(frontier).where(is_meant).values(state="pruned"))
            self.log(event, connection)


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of an address beside its columns: how to ask whether the page has changed."""

    etag: str = ""
    last_modified: str = ""
    misses: int = 0
    """How often in a row the page was not there."""

    @classmethod
    def read(cls, text: str | None) -> About:
        """From the text in the store; what cannot be read says nothing, and then the whole page is
        asked for.
        """
        try:
            return msgspec.json.decode(text or "{}", type=cls)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return cls()

    def written(self) -> str:
        """As the store keeps it."""
        return msgspec.json.encode(self).decode()
