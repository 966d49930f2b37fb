"""Sites: those that one PostgreSQL database keeps, each with its settings and a schema of its own.

A site of a database is named by the database's address and its own name: `postgresql://…#shop`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from treelace.errors import UsageError
from treelace.store import migrations, times
from treelace.store import settings as site_settings
from treelace.store.database import Database, is_postgresql, with_schema, without_password
from treelace.store.host_rights import hosts_of
from treelace.store.rows import value_of
from treelace.store.schema import about
from treelace.store.shared_schema import NOW, check_shared, make_shared, sites, workers
from treelace.store.states import SiteState
from treelace.store.store import Store

EVERY = 3600.0
"""Seconds from one round of a site to the next, where nothing else is said."""
_NAME = re.compile(r"\w[\w.-]{0,62}")


@dataclass(frozen=True, slots=True)
class KeptSite:
    """A site of a database."""

    id: int
    name: str
    state: SiteState
    url: str
    settings: str
    """Its `treelace.toml`."""
    hosts: list[str]
    every: float
    due: datetime
    """When its next round is due."""
    page_due: datetime | None
    """When its first page is due."""
    last_round: datetime | None
    rounds: int
    failures: int
    """In a row."""
    error: str | None

    @property
    def schema(self) -> str:
        """Where its tables are."""
        return schema_name(self.id)


class Sites:
    """The sites of a database; also a context manager."""

    def __init__(self, place: str) -> None:
        self.place = database_place(place)
        self.database = Database(self.place)

    def close(self) -> None:
        """Lets go of the database."""
        self.database.close()

    def __enter__(self) -> Sites:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(
        self,
        name: str,
        settings: str,
        *,
        every: float = EVERY,
        state: SiteState = SiteState.ACTIVE,
    ) -> KeptSite:
        """Makes an empty site with the text of its settings; `UsageError` for an existing one."""
        check_name(name)
        said = site_settings.parse(settings, name=name)
        row = {
            "name": name,
            "state": state,
            "url": said.site.url,
            "settings": site_settings.with_store(settings, None),
            "hosts": hosts_of([said.site.url], said.crawl.hosts),
            "every": every,
            "due": text(NOW),
            "made": text(NOW),
        }
        taken = f"{self.database.place}: there is a site '{name}' already"
        with self.database.sharing() as connection:
            make_shared(connection)
            check_shared(connection, self.database.place)
            if connection.execute(select(sites.c.id).where(sites.c.name == name)).first():
                raise UsageError(taken)
            try:
                number = connection.execute(insert(sites).values(row).returning(sites.c.id))
            except IntegrityError as error:
                raise UsageError(taken) from error
            _make_tables(connection, number.scalar_one(), name)
        return self.get(name)

    def all(self) -> list[KeptSite]:
        """Every site, by name."""
        with self.database.reading() as connection:
            check_shared(connection, self.database.place)
            return [
                value_of(KeptSite, row)
                for row in connection.execute(select(sites).order_by(sites.c.name))
            ]

    def get(self, name: str) -> KeptSite:
        """A site by its name; `UsageError` with the nearest one where there is none."""
        with self.database.reading() as connection:
            check_shared(connection, self.database.place)
            row = connection.execute(select(sites).where(sites.c.name == name)).first()
            if row is not None:
                return value_of(KeptSite, row)
            names = connection.execute(select(sites.c.name).order_by(sites.c.name)).scalars().all()
        from difflib import get_close_matches

        near = get_close_matches(name, names, n=1)
        hint = f"did you mean '{near[0]}'?" if near else "`treelace sites list` has those there are"
        raise UsageError(f"{self.database.place}: no site '{name}': {hint}")

    def set_state(self, name: str, state: SiteState) -> None:
        """Lets workers serve a site, or not; a round that is under way ends soon."""
        known = self.get(name)
        if known.state is SiteState.REMOVING:
            raise UsageError(
                f"{name} is being removed: `treelace sites remove {name}` brings that to its end"
            )
        self._change(known.id, state=state)

    def set_settings(self, name: str, settings: str) -> None:
        """Gives a site other settings; the next round has them."""
        said = site_settings.parse(settings, name=name)
        hosts = hosts_of([said.site.url], said.crawl.hosts)
        plain = site_settings.with_store(settings, None)
        self._change(self.get(name).id, url=said.site.url, settings=plain, hosts=hosts)

    def set_every(self, name: str, seconds: float) -> None:
        """Says how long it is from one round to the next."""
        self._change(self.get(name).id, every=seconds)

    def remove(self, name: str) -> None:
        """Removes a site for good, with all it knows: as soon as nobody writes to it."""
        known = self.get(name)
        self._change(known.id, state=SiteState.REMOVING)
        own = Database(with_schema(self.place, known.schema), shown=f"{self.database.place}#{name}")
        try:
            with own.writer(wait=True), self.database.sharing() as connection:
                connection.execute(text(f"drop schema if exists {known.schema} cascade"))
                connection.execute(sites.delete().where(sites.c.id == known.id))
                connection.execute(
                    update(workers).where(workers.c.site_id == known.id).values(site_id=None)
                )
        finally:
            own.close()

    def _change(self, number: int, **values: Any) -> None:
        with self.database.sharing() as connection:
            connection.execute(update(sites).where(sites.c.id == number).values(values))


def read_settings(store: Store, name: str) -> str:
    """The settings of a site whose store is open."""
    with store._database.reading() as connection:
        said = connection.execute(select(sites.c.settings).where(sites.c.name == name)).scalar()
    if said is None:
        raise UsageError(f"{store.place}: this site was removed")
    return str(said)


def split_place(place: str) -> tuple[str, str]:
    """The database's address and the site's name of `postgresql://…#name`.

    >>> split_place("postgresql://localhost/shops#tea")
    ('postgresql://localhost/shops', 'tea')
    """
    address, _, name = place.rpartition("#")
    if not address or not name:
        raise UsageError(
            f"{without_password(place)}: which site of this database? Write its address, # and the"
            " name; `treelace sites list --store URL` has the names"
        )
    return database_place(address), name


def database_place(place: str) -> str:
    """The address of a database; `UsageError` where it is none of PostgreSQL."""
    said = site_settings.said_place(place, "--store")
    if not is_postgresql(said):
        raise UsageError(
            f"{without_password(said)}: many sites are kept by PostgreSQL: write"
            " postgresql://user@host/name, or env:NAME"
        )
    if "#" in said:
        raise UsageError(f"{without_password(said)}: the address of a database has no #")
    return said


def is_site_of_database(place: str) -> bool:
    """Whether a site is named by a database, and not by its folder."""
    return is_postgresql(place) or re.match(r"env:\w+#", place) is not None


def schema_name(number: int) -> str:
    """The schema of a site."""
    return f"site_{number}"


def check_name(name: str) -> None:
    """`UsageError` where this cannot be the name of a site."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a site: take up to 63 letters, digits, dots, dashes and"
            " underscores"
        )


def _make_tables(connection: Connection, number: int, name: str) -> None:
    schema = schema_name(number)
    connection.execute(text(f"create schema {schema}"))
    connection.execute(text(f"comment on schema {schema} is 'treelace: {name}'"))
    connection.execute(text(f"set local search_path to {schema}"))
    migrations.migrate(connection, name)
    connection.execute(insert(about).values(name="made", value=str(times.now())))
