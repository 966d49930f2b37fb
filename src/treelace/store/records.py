"""Records: what stands on the pages of a class, with its history.

Each kind of record has a table `<kind>_history` with typed columns of its own, and a view `<kind>`
of the records there are today. A record is valid from the version that first showed it until the
one that no longer does; a change ends one row and begins the next. The same record on several pages
is one record: it ends when the last page drops it, and a page changes it only when what that page
says of it has changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    MetaData,
    Table,
    Text,
    delete,
    insert,
    select,
    text,
    update,
)

from treelace.errors import UsageError
from treelace.extract.types import companion_names
from treelace.store import keys, times
from treelace.store.schema import classes, kinds, metadata, pages, sightings
from treelace.store.table import RecordTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from treelace.extract import Table as Extracted
    from treelace.store.body import Body
    from treelace.store.recording import Place
    from treelace.store.store import Store

NUMBERS = {"integer": BigInteger, "number": Double, "bool": Integer, "duration": Double}
"""The types of columns that are not kept as text."""
_OWN = ("id", "key", "valid_from", "valid_to", "page_id", "page", "version", "node", "nodes")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record: its name, its key, and its columns with their types."""

    id: int
    name: str
    page_class: str | None
    key: tuple[str, ...]
    key_is_set: bool
    columns: Mapping[str, str]

    @property
    def names(self) -> Mapping[str, str]:
        """The name of each column in the database."""
        return _column_names(tuple(self.columns))


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a record in a version: new, changed or gone; `old` and `new` are its
    values.
    """

    kind: str
    what: str
    key: str
    node: int | None
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


class Records:
    """The records of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._database = store.database
        self._tables: dict[tuple[str, tuple[str, ...]], Table] = {}

    # kinds

    def kinds(self, connection: Connection | None = None) -> list[Kind]:
        """The kinds of records there are."""
        if connection is None:
            with self._database.reading() as own:
                return self.kinds(own)
        rows = connection.execute(
            select(kinds, classes.c.name.label("class_name"))
            .select_from(kinds.outerjoin(classes))
            .order_by(kinds.c.id)
        )
        return [
            Kind(
                it.id,
                it.name,
                it.class_name,
                tuple(msgspec.json.decode(it.key)),
                bool(it.key_is_set),
                msgspec.json.decode(it.columns),
            )
            for it in rows
        ]

    def kind(self, name: str, connection: Connection | None = None) -> Kind:
        """A kind by its name, or by that of its class; `UsageError` where there is none."""
        known = self.kinds(connection)
        for one in (
            *(it for it in known if it.name == name),
            *(it for it in known if it.page_class == name),
        ):
            return one
        raise UsageError(
            f"no records are called {name!r}; there are:"
            f" {', '.join(one.name for one in known) or 'none yet'}"
        )

    # writing

    def store_page(
        self,
        connection: Connection,
        tables: Sequence[Extracted],
        body: Body,
        place: Place,
        *,
        only: str | None = None,
    ) -> list[Change]:
        """Stores what one version of a page shows; for many versions in one transaction there is
        `Recording`. Returns what changed.
        """
        from treelace.store.recording import Recording
        from treelace.store.shown import shown_by

        recording = Recording(self, connection)
        changes = recording.page(shown_by(tables, body), place, only=only)
        recording.flush()
        return changes

    def remove_page(self, connection: Connection, place: Place) -> list[Change]:
        """The page shows nothing any more: what only it showed ends. Returns what changed."""
        from treelace.store.recording import Recording

        recording = Recording(self, connection)
        changes = recording.page_is_gone(place)
        recording.flush()
        return changes

    def add_kind(
        self,
        connection: Connection,
        name: str,
        types: Mapping[str, str],
        class_id: int | None,
        key: Sequence[str],
        *,
        key_is_set: bool,
    ) -> Kind:
        """A new kind of records, with its table and its view."""
        chosen = _checked_key(key, types)
        values = {
            "name": name,
            "class_id": class_id,
            "key": _json(chosen),
            "key_is_set": int(key_is_set),
            "columns": _json(types),
        }
        connection.execute(insert(kinds).values(values))
        kind = self.kind(name, connection)
        self.make(connection, kind)
        return kind

    def add_columns(self, connection: Connection, kind: Kind, types: Mapping[str, str]) -> Kind:
        """The kind with a column for all of these."""
        fresh = {column: its for column, its in types.items() if column not in kind.columns}
        grown = Kind(
            kind.id,
            kind.name,
            kind.page_class,
            kind.key,
            kind.key_is_set,
            {**kind.columns, **fresh},
        )
        columns = grown.names
        for column in fresh:
            sql = self.table(grown).c[columns[column]].type.compile(connection.dialect)
            connection.execute(
                text(
                    f"ALTER TABLE {_quoted(kind.name + '_history')} ADD COLUMN"
                    f" {_quoted(columns[column])} {sql}"
                )
            )
        connection.execute(
            update(kinds).where(kinds.c.id == kind.id).values(columns=_json(dict(grown.columns)))
        )
        self.make_view(connection, grown)
        return grown

    # reading

    def __call__(
        self, name: str, *, at: datetime | None = None, history: bool = False
    ) -> RecordTable:
        """The records of a kind as a table: those of today, of a time, or all there ever were with
        the times they were valid.
        """
        heads, found = self.read(name, at=at, history=history)
        clock = {number for number, head in enumerate(heads) if head in ("valid_from", "valid_to")}
        rows = [
            tuple(_time(value) if number in clock else value for number, value in enumerate(row))
            for row in found
        ]
        return RecordTable.of(name, heads, rows)

    def read(
        self, name: str, *, at: datetime | None = None, history: bool = False
    ) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The records of a kind: the names of the columns, and the rows; those of today, of a time,
        or all there ever were.
        """
        kind = self.kind(name)
        statement = self._select(kind, at=at, history=history)
        heads = [
            "key",
            *kind.columns,
            "page",
            "version",
            "node",
            "valid_from",
            *(["valid_to"] if history or at else []),
        ]
        return heads, self._stream(statement)

    def _stream(self, statement: Any) -> Iterator[tuple[Any, ...]]:
        with self._database.reading() as connection:
            for row in connection.execution_options(yield_per=5000).execute(statement):
                yield tuple(row)

    def history(self, name: str, key: str, column: str | None = None) -> list[tuple[Any, ...]]:
        """The rows of one record, oldest first: (valid from, valid to, values or one value, page,
        version, node).
        """
        kind = self.kind(name)
        table, names = self.table(kind), kind.names
        if column is not None and column not in kind.columns:
            raise UsageError(
                f"{name} has no column {column!r}; there are: {', '.join(kind.columns)}"
            )
        statement = (
            select(table, pages.c.url)
            .select_from(table.outerjoin(pages, table.c.page_id == pages.c.id))
            .where(table.c.key == key)
        )
        with self._database.reading() as connection:
            rows = connection.execute(statement.order_by(table.c.valid_from, table.c.id)).all()
        if not rows:
            raise UsageError(f"{name} has no record {key!r}: `treelace records {name}` lists them")
        made: list[tuple[Any, ...]] = []
        for row in rows:
            values = of_row(row, names)
            nodes = msgspec.json.decode(row.nodes)
            value = values if column is None else values[column]
            if (
                column is not None
                and made
                and made[-1][2] == value
                and made[-1][1] == times.from_number(row.valid_from)
            ):
                made[-1] = (made[-1][0], _time(row.valid_to), *made[-1][2:])
                continue
            node = row.node if column is None else nodes.get(_base(column), row.node)
            made.append(
                (
                    times.from_number(row.valid_from),
                    _time(row.valid_to),
                    value,
                    row.url,
                    row.version,
                    node,
                )
            )
        return made

    def number_of(self, kind: str, name: str) -> int:
        """Which table of its class's wrapper a kind comes from, from 1."""
        rest = kind.removeprefix(kind_name(name, 1)).removeprefix("_")
        return int(rest) if rest.isdigit() else 1

    def set_key(self, connection: Connection, name: str, columns: Sequence[str] | None) -> None:
        """Says which columns identify a record (None: to be chosen); the records are to be built
        anew then (`Site.rebuild_records`).
        """
        kind = self.kind(name, connection)
        values = {"key_is_set": int(bool(columns))}
        if columns:
            values["key"] = _json(_checked_key(columns, kind.columns))  # type: ignore[assignment]
        connection.execute(update(kinds).where(kinds.c.id == kind.id).values(values))

    def clear(self, connection: Connection, name: str) -> None:
        """Forgets every record of a kind."""
        kind = self.kind(name, connection)
        connection.execute(delete(sightings).where(sightings.c.kind_id == kind.id))
        connection.execute(delete(self.table(kind)))

    # tables and views

    def table(self, kind: Kind) -> Table:
        """The table of a kind's history."""
        mark = (kind.name, tuple(kind.columns))
        if mark not in self._tables:
            columns: list[Column[Any]] = [
                Column(names, NUMBERS.get(kind.columns[name], Text))
                for name, names in kind.names.items()
            ]
            self._tables[mark] = Table(
                f"{kind.name}_history",
                MetaData(),
                Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
                Column("key", Text, nullable=False, index=True),
                Column("valid_from", BigInteger, nullable=False),
                Column("valid_to", BigInteger, index=True),
                Column("page_id", BigInteger),
                Column("version", Integer),
                Column("node", BigInteger),
                Column("nodes", Text),
                *columns,
            )
        return self._tables[mark]

    def _select(self, kind: Kind, *, at: datetime | None = None, history: bool = False) -> Any:
        table, names = self.table(kind), kind.names
        columns = [
            table.c.key,
            *(table.c[names[name]] for name in kind.columns),
            pages.c.url.label("page"),
            table.c.version,
            table.c.node,
        ]
        columns += [table.c.valid_from, *([table.c.valid_to] if history or at else [])]
        statement = (
            select(*columns)
            .select_from(table.outerjoin(pages, table.c.page_id == pages.c.id))
            .order_by(table.c.id)
        )
        if at is not None:
            number = times.to_number(at)
            return statement.where(
                table.c.valid_from <= number,
                (table.c.valid_to.is_(None)) | (table.c.valid_to > number),
            )
        return statement if history else statement.where(table.c.valid_to.is_(None))

    def make(self, connection: Connection, kind: Kind) -> None:
        """Makes the table of a kind, and its view."""
        self.table(kind).create(connection)
        self.make_view(connection, kind)

    def make_view(self, connection: Connection, kind: Kind) -> None:
        """Makes the view of the records a kind has today."""
        connection.execute(text(f"DROP VIEW IF EXISTS {_quoted(kind.name)}"))
        connection.execute(
            text(f"CREATE VIEW {_quoted(kind.name)} AS {self.view(kind, connection)}")
        )

    def view(self, kind: Kind, connection: Connection, at: datetime | None = None) -> str:
        """The query of a kind's view: its records of today, or of a time."""
        columns = ", ".join(f"h.{_quoted(name)}" for name in kind.names.values())
        when = "h.valid_to IS NULL"
        if at is not None:
            number = times.to_number(at)
            when = f"h.valid_from <= {number} AND (h.valid_to IS NULL OR h.valid_to > {number})"
        start = (
            "strftime('%Y-%m-%dT%H:%M:%fZ', h.valid_from / 1000.0, 'unixepoch')"
            if connection.dialect.name == "sqlite"
            else "to_timestamp(h.valid_from / 1000.0)"
        )
        return (
            f"SELECT h.key, {columns}, p.url AS page, h.version, h.node, {start} AS valid_from FROM"
            f" {_quoted(kind.name + '_history')} h LEFT JOIN pages p ON p.id = h.page_id WHERE"
            f" {when}"
        )


def of_row(row: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """The values of a record, from its row."""
    found = row._mapping
    return {name: found[column] for name, column in names.items()}


# names


@lru_cache(maxsize=256)
def _column_names(columns: tuple[str, ...]) -> Mapping[str, str]:
    made: dict[str, str] = {}
    taken = set(_OWN)
    for column in columns:
        made[column] = _free(_plain(column, "column"), taken)
        taken.add(made[column])
    return MappingProxyType(made)


@lru_cache(maxsize=256)
def kind_name(name: str, number: int) -> str:
    """What the records of a class's table are called; the first one has the name of the class."""
    plain = _free(
        _plain(name, "records"),
        set(metadata.tables) | {f"{table}_history" for table in metadata.tables},
    )
    return plain if number == 1 else f"{plain}_{number}"


@lru_cache(maxsize=1024)
def is_of(kind: str, name: str) -> bool:
    """Whether a kind's name is one of a class's tables."""
    first = kind_name(name, 1)
    return kind == first or re.fullmatch(re.escape(first) + r"_\d+", kind) is not None


def _plain(name: str, otherwise: str) -> str:
    """A name that needs no quotes in SQL."""
    made = re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")[:48] or otherwise
    return made if made[0].isalpha() else f"{otherwise[0]}_{made}"


def _free(name: str, taken: set[str]) -> str:
    made, number = name, 2
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    return made


def _base(column: str) -> str:
    for name in companion_names():
        column = column.removesuffix(f" {name}")
    return column


def _checked_key(columns: Sequence[str], types: Mapping[str, str]) -> tuple[str, ...]:
    missing = [name for name in columns if name not in types and name != keys.NODE]
    if missing:
        raise UsageError(
            f"the key names {missing[0]!r}, which is no column; there are: {', '.join(types)}"
        )
    return tuple(columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _time(number: int | None) -> datetime | None:
    return None if number is None else times.from_number(number)
