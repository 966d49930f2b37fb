"""The tables: one schema for SQLite and PostgreSQL.

Times are whole milliseconds since 1970 in UTC; digests are 16 bytes; what has no columns of its own
is JSON. The tables of records, one for each kind of record with columns of its own, are made when
their first record comes (`treelace.store.records`).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
)

from treelace.classes.model import ClassState
from treelace.store.database_values import HttpStatus, PageText
from treelace.store.rows import Json, Number, Time, Word
from treelace.store.states import AddressState, AlertState, DeliveryState, SubscriptionState

SCHEMA = 5
"""The number of the newest migration."""
CHECKSUM = "_checksum"
"""The column that says what a row is; no column of records can be called so."""

metadata = MetaData()


def _id() -> Column[int]:
    return Column("id", Number, primary_key=True)


def _page(**options: bool) -> Column[int]:
    return Column("page_id", Number, ForeignKey("pages.id"), **options)  # type: ignore[arg-type]


def _checksum() -> Column[int]:
    return Column(CHECKSUM, BigInteger)


about = Table(
    "about",
    metadata,
    Column("name", PageText, primary_key=True),
    Column("value", PageText, nullable=False),
    comment=(
        "What the store says of itself: schema, when it was made; small state of whoever needs"
        " some."
    ),
)

classes = Table(
    "classes",
    metadata,
    _id(),
    Column("name", PageText, nullable=False, unique=True),
    Column("state", Word(ClassState), nullable=False, server_default="accepted"),
    Column("url_pattern", PageText),
    Column("sketch", LargeBinary),
    Column("about", Json, nullable=False, server_default="{}"),
    Column("made", Time, nullable=False),
    _checksum(),
    comment="Page classes: pages of one template. state: proposed, accepted, rejected.",
)

pages = Table(
    "pages",
    metadata,
    _id(),
    Column("url", PageText, nullable=False, unique=True),
    Column("class_id", Number, ForeignKey("classes.id")),
    Column("newest", Integer, nullable=False),
    Column("first_seen", Number, nullable=False),
    Column("last_seen", Number, nullable=False),
    Column("source", LargeBinary, nullable=False),
    Column("seen", Integer, nullable=False),
    Column("due", Number),
    Column("about", PageText),
    _checksum(),
    Index("pages_of_class", "class_id", "url"),
    Index("pages_due", "due"),
    comment=(
        "Pages: address, class, newest version, digest of the bytes last seen, how often and when"
        " it was seen, when it is due again."
    ),
)

dictionaries = Table(
    "dictionaries",
    metadata,
    _id(),
    Column("class_id", Number, ForeignKey("classes.id")),
    Column("made", Time, nullable=False),
    Column("data", LargeBinary, nullable=False),
    _checksum(),
    comment="zstd dictionaries, trained on pages of a class (class_id NULL: of no class).",
)

versions = Table(
    "versions",
    metadata,
    _id(),
    _page(nullable=False),
    Column("number", Integer, nullable=False),
    Column("time", Number, nullable=False),
    Column("status", HttpStatus),
    Column("base", Integer),
    Column("dictionary_id", Number, ForeignKey("dictionaries.id")),
    Column("changes", PageText),
    Column("digest", LargeBinary, nullable=False),
    Column("source", LargeBinary, nullable=False),
    Column("data", LargeBinary, nullable=False),
    _checksum(),
    Index("versions_of_page", "page_id", "number", unique=True),
    comment=(
        "Versions: packed whole (base NULL) or against the version `base`. status NULL is 200."
        " `source` is the digest of the bytes that came in."
    ),
)

captured_files = Table(
    "captured_files",
    metadata,
    _id(),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("content_type", PageText, nullable=False),
    Column("data", LargeBinary, nullable=False),
    _checksum(),
    comment="Style sheets and images that pages are shown with, each once, by its digest.",
)

page_files = Table(
    "page_files",
    metadata,
    _id(),
    _page(nullable=False),
    Column("url", PageText, nullable=False),
    Column("file_id", Number, ForeignKey("captured_files.id"), nullable=False),
    _checksum(),
    Index("page_files_of_page", "page_id", "url", unique=True),
    Index("page_files_by_url", "url"),
    comment="Which style sheets and images a page shows, by their addresses.",
)

nodes = Table(
    "nodes",
    metadata,
    _page(primary_key=True),
    Column("changes", LargeBinary, nullable=False),
    _checksum(),
    comment=(
        "How often each node of a page changed, and summed by label: `treelace.store.rates` has the"
        " form."
    ),
)

wrappers = Table(
    "wrappers",
    metadata,
    _id(),
    Column("class_id", Number, ForeignKey("classes.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", Word(ClassState), nullable=False, server_default="accepted"),
    Column("made", Time, nullable=False),
    Column("why", PageText),
    Column("data", PageText, nullable=False),
    _checksum(),
    UniqueConstraint("class_id", "number"),
    comment=(
        "Wrappers of a class with their versions; the newest accepted one is applied. state:"
        " proposed, accepted, rejected."
    ),
)

kinds = Table(
    "kinds",
    metadata,
    _id(),
    Column("name", PageText, nullable=False, unique=True),
    Column("class_id", Number, ForeignKey("classes.id")),
    Column("key", Json, nullable=False),
    Column("key_is_set", Integer, nullable=False, server_default="0"),
    Column("columns", Json, nullable=False),
    _checksum(),
    comment=(
        "Kinds of records: each has a table of its own, `<name>_history`, and a view of its current"
        " records, `<name>`."
    ),
)

sightings = Table(
    "sightings",
    metadata,
    Column("kind_id", Number, ForeignKey("kinds.id"), primary_key=True),
    Column("key", PageText, primary_key=True),
    Column("page_id", Number, ForeignKey("pages.id"), primary_key=True),
    Column("node", Number),
    Column("digest", LargeBinary, nullable=False),
    _checksum(),
    Index("sightings_of_page", "page_id"),
    comment=(
        "Which pages show a record today, and the digest of what each says of it: the same record"
        " on several pages is one record."
    ),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    _id(),
    Column("name", PageText, nullable=False, unique=True),
    Column("state", Word(SubscriptionState), nullable=False, server_default="active"),
    Column("rule", Json, nullable=False),
    Column("made", Time, nullable=False),
    Column("muted_until", Time),
    _checksum(),
    comment="What someone wants to be told of, as JSON. state: active, muted, removed.",
)

alerts = Table(
    "alerts",
    metadata,
    _id(),
    Column("subscription_id", Number, ForeignKey("subscriptions.id")),
    Column("name", PageText, nullable=False, unique=True),
    Column("time", Time, nullable=False),
    Column("page_id", Number, ForeignKey("pages.id")),
    Column("version", Integer),
    Column("kind", PageText, nullable=False),
    Column("state", Word(AlertState), nullable=False, server_default="open"),
    Column("why", PageText, nullable=False, server_default=""),
    Column("about", Json, nullable=False, server_default="{}"),
    _checksum(),
    Index("alerts_by_time", "time"),
    Index("alerts_of_page", "page_id"),
    comment=(
        "What was noticed. `name` is unique, so that nothing is recorded twice. state: open,"
        " acknowledged, suppressed."
    ),
)

deliveries = Table(
    "deliveries",
    metadata,
    _id(),
    Column("alert_id", Number, ForeignKey("alerts.id"), nullable=False),
    Column("channel", PageText, nullable=False),
    Column("idempotency_key", PageText, nullable=False, unique=True),
    Column("state", Word(DeliveryState), nullable=False, server_default="waiting"),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("due", Time, nullable=False),
    Column("done", Time),
    Column("error", PageText),
    _checksum(),
    Index("deliveries_due", "state", "due"),
    comment="Alerts on their way, one row a channel. state: waiting, done, given-up.",
)

frontier = Table(
    "frontier",
    metadata,
    _id(),
    Column("url", PageText, nullable=False, unique=True),
    Column("state", Word(AddressState), nullable=False, server_default="waiting"),
    Column("priority", Integer, nullable=False, server_default="0"),
    Column("due", Time, nullable=False),
    Column("depth", Integer, nullable=False, server_default="0"),
    Column("found_on", PageText),
    Column("found", Time, nullable=False),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("about", PageText),
    Index("frontier_next", "state", "priority", "due"),
    comment="Addresses to fetch. state: waiting, taken, done, failed, pruned.",
)

crawl_log = Table(
    "crawl_log",
    metadata,
    _id(),
    Column("time", Time, nullable=False),
    Column("event", PageText, nullable=False),
    Column("url", PageText),
    Column("status", HttpStatus),
    Column("bytes", Number),
    Column("milliseconds", Integer),
    Column("note", PageText),
    Index("crawl_log_by_time", "time"),
    comment="What happened, in order: fetched, failed, skipped, pruned, …",
)

seals = Table(
    "seals",
    metadata,
    Column("name", PageText, primary_key=True),
    Column("rows", Number, nullable=False),
    Column("ids", Number, nullable=False),
    Column("last", Number, nullable=False),
    comment=(
        "How many rows each table should have, the sum of their numbers, and the last number:"
        " `treelace verify` looks at them."
    ),
)
