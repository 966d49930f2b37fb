"""What the sites of one database share: which there are, who asks which host, who works.

It stands in a schema of its own, `treelace`; each site has the tables of `treelace.store.schema` in
another, `site_N`. Decision 0013 says why. Times are those of the database's clock: the machines
that share it may disagree.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    Double,
    Index,
    Integer,
    MetaData,
    Table,
    insert,
    select,
    text,
)

from treelace.errors import StoreError, UsageError
from treelace.store.database_values import PageText
from treelace.store.rows import Json, Number, Time, Word
from treelace.store.states import SiteState

SHARED = "treelace"
"""The name of the schema."""
SHARED_NUMBER = 1
"""Its version."""
NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
"""The database's clock, as times are kept."""

shared = MetaData(schema=SHARED)

about_shared = Table(
    "about",
    shared,
    Column("name", PageText, primary_key=True),
    Column("value", PageText, nullable=False),
)

sites = Table(
    "sites",
    shared,
    Column("id", Number, primary_key=True),
    Column("name", PageText, nullable=False, unique=True),
    Column("state", Word(SiteState), nullable=False),
    Column("url", PageText, nullable=False),
    Column("settings", PageText, nullable=False),
    Column("hosts", Json, nullable=False),
    Column("every", Double, nullable=False),
    Column("due", Time, nullable=False),
    Column("page_due", Time),
    Column("made", Time, nullable=False),
    Column("last_round", Time),
    Column("rounds", Integer, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("error", PageText),
    Index("sites_due", "state", "due", "id"),
)

hosts = Table(
    "hosts",
    shared,
    Column("host", PageText, primary_key=True),
    Column("held_by", PageText),
    Column("asked", Number),
    Column("not_before", Number),
    Column("delay", Double, nullable=False, server_default="0"),
    Index("hosts_held", "held_by"),
)

workers = Table(
    "workers",
    shared,
    Column("token", PageText, primary_key=True),
    Column("name", PageText, nullable=False),
    Column("started", Time, nullable=False),
    Column("beat", Time, nullable=False),
    Column("site_id", Number),
    Column("since", Time),
    Column("rounds", Integer, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("error", PageText),
    Column("backend", Integer, nullable=False),
    Column("backend_start", PageText, nullable=False),
)


def make_shared(connection: Connection) -> None:
    """Makes the shared tables where there are none; one process at a time."""
    connection.execute(text("select pg_advisory_xact_lock(hashtextextended('treelace sites', 0))"))
    if not has_shared(connection):
        connection.execute(text(f"create schema if not exists {SHARED}"))
        shared.create_all(connection)
        connection.execute(insert(about_shared).values(name="schema", value=str(SHARED_NUMBER)))


def has_shared(connection: Connection) -> bool:
    """Whether this database has sites."""
    return connection.execute(text(f"select to_regclass('{SHARED}.sites')")).scalar() is not None


def check_shared(connection: Connection, place: str) -> None:
    """`UsageError` where this database has no sites, `StoreError` where it is of a newer
    treelace.
    """
    if not has_shared(connection):
        raise UsageError(f"{place}: this database has no sites yet: `treelace sites add` adds one")
    said = select(about_shared.c.value).where(about_shared.c.name == "schema")
    number = int(connection.execute(said).scalar() or 0)
    if number != SHARED_NUMBER:
        raise StoreError(
            f"{place}: its sites have schema {number}, this treelace knows {SHARED_NUMBER}: update"
            " treelace"
        )
