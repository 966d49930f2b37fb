"""Records: what stands on the pages of a class, with its history.

Each kind of record has a table `<kind>_history` with typed columns of its own, and a view `<kind>` of the records there are today. A record is
valid from the version that first showed it until the one that no longer does; a change ends one row and begins the next. The same record on
several pages is one record: it ends when the last page drops it, and a page changes it only when what that page says of it has changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import BigInteger, Column, Double, Integer, MetaData, Table, Text, bindparam, delete, insert, select, text, update

from treelace.errors import UsageError
from treelace.extract.outputs.flat import flatten
from treelace.store import keys, times
from treelace.store.schema import classes, kinds, metadata, pages, sightings
from treelace.store.table import RecordTable
from treelace.store.upsert import insert_or_update

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from treelace.extract import Table as Extracted
    from treelace.store.body import Body
    from treelace.store.store import Store

_TYPES = {"integer": BigInteger, "number": Double, "bool": Integer, "duration": Double}
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
    def names(self) -> dict[str, str]:
        """The name of each column in the database."""
        made: dict[str, str] = {}
        for column in self.columns:
            made[column] = _free(_plain(column, "column"), {*_OWN, *made.values()})
        return made


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a record in a version: new, changed or gone; `old` and `new` are its values."""

    kind: str
    what: str
    key: str
    node: int | None
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Row:
    """One record on one page, ready to be stored."""

    key: str
    node: int
    values: Mapping[str, Any]
    nodes: Mapping[str, int]


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
        rows = connection.execute(select(kinds, classes.c.name.label("class_name")).select_from(kinds.outerjoin(classes)).order_by(kinds.c.id))
        return [
            Kind(it.id, it.name, it.class_name, tuple(msgspec.json.decode(it.key)), bool(it.key_is_set), msgspec.json.decode(it.columns))
            for it in rows
        ]

    def kind(self, name: str, connection: Connection | None = None) -> Kind:
        """A kind by its name, or by that of its class; `UsageError` where there is none."""
        known = self.kinds(connection)
        for one in (*(it for it in known if it.name == name), *(it for it in known if it.page_class == name)):
            return one
        raise UsageError(f"no records are called {name!r}; there are: {', '.join(one.name for one in known) or 'none yet'}")

    # writing

    def store_page(
        self,
        connection: Connection,
        tables: Sequence[Extracted],
        body: Body,
        *,
        page_id: int,
        url: str,
        version: int,
        time: int,
        class_id: int | None,
        name: str,
        key: Sequence[str] = (),
        only: str | None = None,
    ) -> list[Change]:
        """Stores what a version of a page shows: its tables, in the order of its wrapper, or `only` the one of a kind. Returns what changed."""
        changes: list[Change] = []
        for number, table in enumerate(tables, 1):
            if table.columns and only in (None, kind_name(name, number)):
                kind = self._fitting(connection, kind_name(name, number), table, class_id, key if number == 1 else ())
                changes += self._store_rows(connection, kind, _rows(table, kind, body, url), page_id, version, time)
        shown = {kind_name(name, number) for number, table in enumerate(tables, 1) if table.columns}
        for one in self.kinds(connection):
            if one.name not in shown and _is_of(one.name, name) and only in (None, one.name):
                changes += self._store_rows(connection, one, {}, page_id, version, time)
        return changes

    def remove_page(self, connection: Connection, page_id: int, time: int) -> None:
        """The page shows nothing any more: what only it showed ends."""
        for one in self.kinds(connection):
            self._store_rows(connection, one, {}, page_id, 0, time)

    def _fitting(self, connection: Connection, name: str, table: Extracted, class_id: int | None, key: Sequence[str]) -> Kind:
        """The kind, with a column for all that the table has."""
        types = {column.name: column.type for column in flatten([table])}
        known = {one.name: one for one in self.kinds(connection)}
        if name not in known:
            chosen = _checked_key(key, types) if key else keys.choose(types, [rows_of(table)])
            values = {"name": name, "class_id": class_id, "key": _json(chosen), "key_is_set": int(bool(key)), "columns": _json(types)}
            connection.execute(insert(kinds).values(values))
            kind = self.kind(name, connection)
            self.make(connection, kind)
            return kind
        kind = known[name]
        fresh = {column: its for column, its in types.items() if column not in kind.columns}
        if not fresh:
            return kind
        grown = Kind(kind.id, name, kind.page_class, kind.key, kind.key_is_set, {**kind.columns, **fresh})
        columns = grown.names
        for column in fresh:
            sql = self.table(grown).c[columns[column]].type.compile(connection.dialect)
            connection.execute(text(f"ALTER TABLE {_quoted(name + '_history')} ADD COLUMN {_quoted(columns[column])} {sql}"))
        connection.execute(update(kinds).where(kinds.c.id == kind.id).values(columns=_json(dict(grown.columns))))
        self.make_view(connection, grown)
        return grown

    def _store_rows(self, connection: Connection, kind: Kind, rows: Mapping[str, Row], page_id: int, version: int, time: int) -> list[Change]:
        here = select(sightings.c.key, sightings.c.digest).where(sightings.c.kind_id == kind.id, sightings.c.page_id == page_id)
        before = {it.key: it.digest for it in connection.execute(here)}
        said = {key: _digest(row.values) for key, row in rows.items()}
        stirred = [key for key in rows if before.get(key) != said[key]]
        gone = [key for key in before if key not in rows]
        if not stirred and not gone:
            return []
        table, names = self.table(kind), kind.names
        current = self._current(connection, table, [*stirred, *gone])
        elsewhere = self._elsewhere(connection, kind, page_id, gone)
        changes, ends, begins = [], [], []
        for key in gone:
            if key not in elsewhere and key in current:
                ends.append(current[key])
                changes.append(Change(kind.name, "gone", key, current[key].node, _of(current[key], names), None))
        for key in stirred:
            row, was = rows[key], current.get(key)
            old = None if was is None else _of(was, names)
            values = _merged(old, row.values, kind.columns, is_first_here=key not in before)
            if old == values:
                continue
            if was is not None:
                ends.append(was)
            begins.append(_record(row, {names[name]: value for name, value in values.items()}, page_id, version, time, was))
            changes.append(Change(kind.name, "new" if old is None else "changed", key, row.node, old, values))
        if ends:
            closing = update(table).where(table.c.id == bindparam("b_id")).values(valid_to=bindparam("b_to"))
            connection.execute(closing, [{"b_id": it.id, "b_to": max(time, it.valid_from)} for it in ends])
        if begins:
            connection.execute(insert(table), begins)
        if gone:
            away = delete(sightings).where(sightings.c.kind_id == kind.id, sightings.c.page_id == page_id, sightings.c.key == bindparam("b_key"))
            connection.execute(away, [{"b_key": key} for key in gone])
        seen = [{"kind_id": kind.id, "key": key, "page_id": page_id, "node": rows[key].node, "digest": said[key]} for key in stirred]
        insert_or_update(connection, sightings, seen, key=("kind_id", "key", "page_id"))
        return changes

    def _current(self, connection: Connection, table: Table, wanted: Sequence[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), 400):
            rows = connection.execute(select(table).where(table.c.key.in_(wanted[start : start + 400]), table.c.valid_to.is_(None)))
            found |= {row.key: row for row in rows}
        return found

    def _elsewhere(self, connection: Connection, kind: Kind, page_id: int, wanted: Sequence[str]) -> set[str]:
        found: set[str] = set()
        for start in range(0, len(wanted), 400):
            part = sightings.c.key.in_(wanted[start : start + 400])
            found |= set(
                connection.execute(select(sightings.c.key).where(sightings.c.kind_id == kind.id, sightings.c.page_id != page_id, part)).scalars()
            )
        return found

    # reading

    def __call__(self, name: str, *, at: datetime | None = None, history: bool = False) -> RecordTable:
        """The records of a kind as a table: those of today, of a time, or all there ever were with the times they were valid."""
        heads, found = self.read(name, at=at, history=history)
        clock = {number for number, head in enumerate(heads) if head in ("valid_from", "valid_to")}
        rows = [tuple(_time(value) if number in clock else value for number, value in enumerate(row)) for row in found]
        return RecordTable.of(name, heads, rows)

    def read(self, name: str, *, at: datetime | None = None, history: bool = False) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The records of a kind: the names of the columns, and the rows; those of today, of a time, or all there ever were."""
        kind = self.kind(name)
        statement = self._select(kind, at=at, history=history)
        heads = ["key", *kind.columns, "page", "version", "node", "valid_from", *(["valid_to"] if history or at else [])]
        return heads, self._stream(statement)

    def _stream(self, statement: Any) -> Iterator[tuple[Any, ...]]:
        with self._database.reading() as connection:
            for row in connection.execution_options(yield_per=5000).execute(statement):
                yield tuple(row)

    def history(self, name: str, key: str, column: str | None = None) -> list[tuple[Any, ...]]:
        """The rows of one record, oldest first: (valid from, valid to, values or one value, page, version, node)."""
        kind = self.kind(name)
        table, names = self.table(kind), kind.names
        if column is not None and column not in kind.columns:
            raise UsageError(f"{name} has no column {column!r}; there are: {', '.join(kind.columns)}")
        statement = select(table, pages.c.url).select_from(table.outerjoin(pages, table.c.page_id == pages.c.id)).where(table.c.key == key)
        with self._database.reading() as connection:
            rows = connection.execute(statement.order_by(table.c.valid_from, table.c.id)).all()
        if not rows:
            raise UsageError(f"{name} has no record {key!r}: `treelace records {name}` lists them")
        made: list[tuple[Any, ...]] = []
        for row in rows:
            values = _of(row, names)
            nodes = msgspec.json.decode(row.nodes)
            value = values if column is None else values[column]
            if column is not None and made and made[-1][2] == value and made[-1][1] == times.from_number(row.valid_from):
                made[-1] = (made[-1][0], _time(row.valid_to), *made[-1][2:])
                continue
            node = row.node if column is None else nodes.get(_base(column), row.node)
            made.append((times.from_number(row.valid_from), _time(row.valid_to), value, row.url, row.version, node))
        return made

    def number_of(self, kind: str, name: str) -> int:
        """Which table of its class's wrapper a kind comes from, from 1."""
        rest = kind.removeprefix(kind_name(name, 1)).removeprefix("_")
        return int(rest) if rest.isdigit() else 1

    def set_key(self, connection: Connection, name: str, columns: Sequence[str] | None) -> None:
        """Says which columns identify a record (None: to be chosen); the records are to be built anew then (`Site.rebuild_records`)."""
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
            columns: list[Column[Any]] = [Column(names, _TYPES.get(kind.columns[name], Text)) for name, names in kind.names.items()]
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
        columns = [table.c.key, *(table.c[names[name]] for name in kind.columns), pages.c.url.label("page"), table.c.version, table.c.node]
        columns += [table.c.valid_from, *([table.c.valid_to] if history or at else [])]
        statement = select(*columns).select_from(table.outerjoin(pages, table.c.page_id == pages.c.id)).order_by(table.c.id)
        if at is not None:
            number = times.to_number(at)
            return statement.where(table.c.valid_from <= number, (table.c.valid_to.is_(None)) | (table.c.valid_to > number))
        return statement if history else statement.where(table.c.valid_to.is_(None))

    def make(self, connection: Connection, kind: Kind) -> None:
        """Makes the table of a kind, and its view."""
        self.table(kind).create(connection)
        self.make_view(connection, kind)

    def make_view(self, connection: Connection, kind: Kind) -> None:
        """Makes the view of the records a kind has today."""
        connection.execute(text(f"DROP VIEW IF EXISTS {_quoted(kind.name)}"))
        connection.execute(text(f"CREATE VIEW {_quoted(kind.name)} AS {self.view(kind, connection)}"))

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
            f"SELECT h.key, {columns}, p.url AS page, h.version, h.node, {start} AS valid_from "
            f"FROM {_quoted(kind.name + '_history')} h LEFT JOIN pages p ON p.id = h.page_id WHERE {when}"
        )


# from extracted tables to rows


def _rows(table: Extracted, kind: Kind, body: Body, url: str) -> dict[str, Row]:
    types = {column.name: column.type for column in flatten([table])}
    xids = body.xids.of
    made: dict[str, Row] = {}
    flat = {column.name: column.values for column in flatten([table])}
    for number, cells in enumerate(table.cells):
        values = {name: _sql_value(column[number]) for name, column in flat.items()}
        nodes = {column.name: int(xids[cell.node.index]) for column, cell in zip(table.columns, cells, strict=True) if cell is not None}
        own = table.records[number] if table.records else ()
        node = int(xids[own[0].index]) if own else next(iter(nodes.values()), 0)
        key = keys.key_of(values, kind.key, f"{url}#{node}")
        again = 2
        while key in made:
            key, again = f"{keys.key_of(values, kind.key, f'{url}#{node}')} #{again}", again + 1
        made[key] = Row(key, node, {name: _as(values[name], kind.columns.get(name, types[name])) for name in values}, nodes)
    return made


def rows_of(table: Extracted) -> list[dict[str, Any]]:
    """The values of an extracted table, record by record, as they are stored."""
    flat = flatten([table])
    return [{column.name: _sql_value(column.values[number]) for column in flat} for number in range(len(table))]


def _sql_value(value: Any) -> Any:
    from datetime import date, timedelta

    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bool):
        return int(value)
    return value.isoformat() if isinstance(value, date) else value


def _as(value: Any, kind: str) -> Any:
    """A value in the type its column had first; None where it does not read as one (its text is beside it)."""
    if value is None or kind not in _TYPES:
        return None if value is None else str(value)
    try:
        return int(value) if kind in ("integer", "bool") and float(value) == int(float(value)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _merged(old: Mapping[str, Any] | None, said: Mapping[str, Any], columns: Mapping[str, str], *, is_first_here: bool) -> dict[str, Any]:
    """What a record is after a page said something of it: a page that shows it for the first time only adds what was not known."""
    if old is None:
        return {name: said.get(name) for name in columns}
    if is_first_here:
        return {name: old.get(name) if old.get(name) is not None else said.get(name) for name in columns}
    return {name: said[name] if name in said else old.get(name) for name in columns}


def _record(row: Row, values: Mapping[str, Any], page_id: int, version: int, time: int, was: Any) -> dict[str, Any]:
    start = time if was is None else max(time, was.valid_from)
    own = {"key": row.key, "valid_from": start, "page_id": page_id, "version": version, "node": row.node, "nodes": _json(row.nodes)}
    return {**own, "valid_to": None, **values}


def _of(row: Any, names: Mapping[str, str]) -> dict[str, Any]:
    return {name: row._mapping[column] for name, column in names.items()}


def _digest(values: Mapping[str, Any]) -> bytes:
    return blake2b(msgspec.json.encode(sorted((name, value) for name, value in values.items() if value is not None)), digest_size=8).digest()


# names


def kind_name(name: str, number: int) -> str:
    """What the records of a class are called, by the number of the wrapper's table, from 1."""
    plain = _free(_plain(name, "records"), set(metadata.tables) | {f"{table}_history" for table in metadata.tables})
    return plain if number == 1 else f"{plain}_{number}"


def _is_of(kind: str, name: str) -> bool:
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
    for ending in (" text", " link", " currency"):
        column = column.removesuffix(ending)
    return column


def _checked_key(columns: Sequence[str], types: Mapping[str, str]) -> tuple[str, ...]:
    missing = [name for name in columns if name not in types and name != keys.NODE]
    if missing:
        raise UsageError(f"the key names {missing[0]!r}, which is no column; there are: {', '.join(types)}")
    return tuple(columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _time(number: int | None) -> datetime | None:
    return None if number is None else times.from_number(number)
