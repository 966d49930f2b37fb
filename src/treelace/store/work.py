"""Work: who of many workers serves which site of a database, decided by the database.

A worker looks for the site that is due longest and whose hosts it gets (`HostRights`); it keeps
them until its round is done. If it dies, PostgreSQL takes them from it, and the site, whose next
round was never written down, is due still.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, text, update

from treelace.store.database import Database
from treelace.store.host_rights import HostRights
from treelace.store.rows import value_of
from treelace.store.shared_schema import NOW, check_shared, sites, workers
from treelace.store.sites import KeptSite, database_place
from treelace.store.states import SiteState

_AT_ONCE = 50
"""Sites that are looked at with one query."""
_LONGEST_ERROR = 500
_IS_THERE = """exists (select from pg_stat_activity where pid = workers.backend
    and backend_start::text = workers.backend_start)"""
_LEAST_PAUSE = 60.0
"""Seconds until a site is served again whose round failed; doubled with each failure in a row."""


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A worker, and what it does."""

    name: str
    site: str | None
    since: datetime | None
    """When its round began."""
    started: datetime
    beat: datetime
    """Its last sign of life."""
    rounds: int
    failures: int
    error: str | None
    is_there: bool
    """Whether the database still hears it."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is to be done."""

    sites: int
    """Those that workers serve."""
    due: int
    oldest: datetime | None
    """Since when the site that is due longest has been waiting."""
    oldest_page: datetime | None
    """Since when the page that is due longest has been waiting."""
    failing: int
    now: datetime
    """By the database's clock."""


class Work:
    """A worker's place at a database; also a context manager."""

    def __init__(self, place: str, *, name: str = "") -> None:
        self.place = database_place(place)
        self.name = name or f"{socket.gethostname()}:{os.getpid()}"
        self._database = Database(self.place)
        self.rights = HostRights(self._database)

    def __enter__(self) -> Work:
        with self._database.reading() as connection:
            check_shared(connection, self._database.place)
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with self._database.sharing() as connection:
                connection.execute(_mine(self.rights.token, "delete from treelace.workers"))
        finally:
            self.rights.close()
            self._database.close()

    def begin(self) -> None:
        """Takes its place; also after the connection was lost."""
        self.rights.close()
        session = self.rights.session()
        with self._database.failures():
            session.execute(
                text(
                    "insert into treelace.workers (token, name, started, beat, backend,"
                    f" backend_start) select :token, :name, {NOW}, {NOW}, pid, backend_start::text"
                    " from pg_stat_activity where pid = pg_backend_pid() on conflict (token) do"
                    " update set backend = excluded.backend, backend_start ="
                    " excluded.backend_start, beat = excluded.beat"
                ),
                {"token": self.rights.token, "name": self.name},
            )
            session.execute(text(f"delete from treelace.workers where not {_IS_THERE}"))

    def next(self) -> KeptSite | None:
        """The site that is due longest among those whose hosts nobody else asks; it is held until
        `done`. None where there is none.
        """
        refused: set[tuple[str, ...]] = set()
        for known in self._due():
            hosts = tuple(known.hosts)
            if hosts in refused:
                continue
            if not self.rights.take(hosts):
                refused.add(hosts)
            elif self._begin_round(known):
                return known
            else:
                self.rights.give_back()  # another served it meanwhile
        return None

    def _due(self) -> Iterator[KeptSite]:
        after = (-1, -1)
        while True:
            with self._database.sharing() as connection:
                rows = connection.execute(
                    text(
                        "select * from treelace.sites where state = 'active' and due <="
                        f" {NOW} and (due, id) > (:due, :id) order by due, id limit {_AT_ONCE}"
                    ).columns(*sites.columns),
                    {"due": after[0], "id": after[1]},
                ).all()
            yield from (value_of(KeptSite, row) for row in rows)
            if len(rows) < _AT_ONCE:
                return
            after = (int(rows[-1].due.timestamp() * 1000), rows[-1].id)

    def _begin_round(self, known: KeptSite) -> bool:
        """Takes a due site whose hosts it has; False where another served it meanwhile."""
        with self._database.sharing() as connection:
            is_due = text(f"id = :id and state = 'active' and due <= {NOW}")
            wanted = select(sites.c.id).where(is_due)
            if connection.execute(wanted, {"id": known.id}).first() is None:
                return False
            connection.execute(
                _mine(
                    self.rights.token, f"update treelace.workers set site_id = :id, since = {NOW}"
                ),
                {"id": known.id},
            )
        return True

    def done(
        self, known: KeptSite, *, error: str = "", due_in: float, page_due: datetime | None
    ) -> None:
        """Writes down what came of a round and when the next one is due; then lets go of the hosts:
        whoever gets them sees that it is done.
        """
        pause = _LEAST_PAUSE * 2 ** min(known.failures, 10)
        seconds = min(due_in, pause) if error else due_in
        with self._database.sharing() as connection:
            connection.execute(
                update(sites)
                .where(sites.c.id == known.id)
                .values(
                    due=text(f"{NOW} + {round(1000 * seconds)}"),
                    page_due=page_due,
                    last_round=text(NOW),
                    rounds=sites.c.rounds + 1,
                    failures=known.failures + 1 if error else 0,
                    error=error[:_LONGEST_ERROR] or None,
                )
            )
            said = ", failures = failures + 1, error = :error" if error else ""
            connection.execute(
                _mine(
                    self.rights.token,
                    "update treelace.workers set site_id = null, since = null, rounds = rounds + 1"
                    + said,
                ),
                {"error": error[:_LONGEST_ERROR]} if error else {},
            )
        self.rights.give_back()

    def seconds_to_next(self) -> float | None:
        """Until the next site is due; None where there is none."""
        with self._database.sharing() as connection:
            left = connection.execute(
                text(f"select min(due) - {NOW} from treelace.sites where state = 'active'")
            ).scalar()
        return None if left is None else max(0.0, int(left) / 1000)

    def beat(self, site_id: int | None) -> str:
        """A sign of life; why the round must end, or nothing. From any thread."""
        with self._database.sharing() as connection:
            is_known = connection.execute(
                _mine(
                    self.rights.token,
                    f"update treelace.workers set beat = {NOW}",
                    f" and {_IS_THERE}",
                )
            ).rowcount
            if not is_known:
                return "the database has ended this worker's session"
            if site_id is None:
                return ""
            state = connection.execute(
                text("select state from treelace.sites where id = :id"), {"id": site_id}
            ).scalar()
        words = {SiteState.ACTIVE: "", SiteState.PAUSED: "the site was paused"}
        return words.get(SiteState(state), "the site is being removed") if state else "it is gone"


def load_workers(connection: Connection) -> list[WorkerState]:
    """Every worker, by name."""
    wanted = text(
        f"select workers.*, sites.name as site, {_IS_THERE} as is_there from treelace.workers as"
        " workers left join treelace.sites as sites on sites.id = workers.site_id order by"
        " workers.name, workers.started"
    ).columns(*(column for column in workers.columns if column.name != "error"))
    return [value_of(WorkerState, row) for row in connection.execute(wanted)]


def load_backlog(connection: Connection) -> Backlog:
    """What is to be done."""
    wanted = text(
        "select count(*) as sites, count(*) filter (where due <= clock) as due, min(due) filter"
        " (where due <= clock) as oldest, min(page_due) filter (where page_due <= clock) as"
        " oldest_page, count(*) filter (where failures > 0) as failing, max(clock) as now from"
        f" (select {NOW} as clock) as clocks left join treelace.sites on state = 'active'"
    )
    row = connection.execute(wanted).one()
    from treelace.store.times import from_number

    def moment(number: int | None) -> datetime | None:
        return None if number is None else from_number(number)

    return Backlog(
        row.sites,
        row.due,
        moment(row.oldest),
        moment(row.oldest_page),
        row.failing,
        from_number(row.now),
    )


def _mine(token: str, statement: str, rest: str = "") -> Any:
    return text(f"{statement} where token = :token{rest}").bindparams(token=token)
