"""Recording: what the versions of many pages show, written together.

What is known of the pages and of their records is read once for all of them; what is new is kept
until `flush`, and written with one statement for each kind and table. Whoever asks about a record
in between is answered from here: the same rows are written, in the same order, however many pages
share a transaction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, update

from treelace.store import changed_keys, keys
from treelace.store.checksums import add_rows, changed
from treelace.store.page_version import PageVersion
from treelace.store.plain_tables import PlainTable
from treelace.store.record_kinds import (
    RecordKind,
    add_columns,
    add_kind,
    history_table,
    is_of_class,
    kind_name,
    load_kinds,
)
from treelace.store.record_rows import RecordRow, links_to_come, merged, record_rows
from treelace.store.records import Change, row_values
from treelace.store.rows import in_parts, to_json
from treelace.store.schema import CHECKSUM
from treelace.store.sightings import Sightings
from treelace.store.states import ChangeKind

MAX_MOVING_TIME = 24 * 3600 * 1000
"""Milliseconds within which a record that one page shows no more, and another does, has moved."""


class Recording:
    """The records of one transaction; call `flush` before it ends. Not for two threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._kinds = {kind.name: kind for kind in load_kinds(connection)}
        self._here: dict[int, dict[int, dict[str, bytes]]] = {}
        """What is known of a page: kind, key, digest of what it says."""
        self._rows: dict[int, dict[str, Row[Any] | None]] = defaultdict(dict)
        """What is known of a record: kind, key, its row of today, or None."""
        self._ends: dict[int, list[dict[str, int]]] = defaultdict(list)
        self._begins: dict[int, list[dict[str, Any]]] = defaultdict(list)
        self._touched: set[tuple[int, str]] = set()
        self._sightings = Sightings(connection)
        self._may_have_moved: dict[int, bool] = {}
        """Whether a record of a kind ended a moment ago."""
        self._ahead: dict[tuple[int, int, int], dict[str, RecordRow]] = {}
        """Rows that were made when they were looked for: by kind, page and version."""
        self.new_keys: Counter[str] = Counter()
        """How many records of a kind were recognised under other keys than they had."""

    def look_ahead(
        self,
        versions: Sequence[tuple[Sequence[PlainTable], PageVersion]],
        *,
        new: Iterable[int] = (),
    ) -> None:
        """Reads what is known of coming versions and their records, in few statements."""
        self.expect((place.page_id for _, place in versions), new)
        wanted: dict[int, dict[str, None]] = defaultdict(dict)
        lacking: dict[int, dict[str, None]] = defaultdict(dict)
        by_number = {kind.id: kind for kind in self._kinds.values()}
        for tables, place in versions:
            for number, one in enumerate(tables, 1):
                kind = self._kinds.get(kind_name(place.name, number))
                if kind is None or not kind.columns.keys() >= one.types.keys():
                    continue
                rows = self._ahead[kind.id, place.page_id, place.version] = record_rows(
                    one, kind, place.url
                )
                before = self._here[place.page_id].get(kind.id, {})
                stirred = [key for key, row in rows.items() if before.get(key) != row.digest]
                wanted[kind.id].update(dict.fromkeys(stirred))
                wanted[kind.id].update(dict.fromkeys(_other_writings(rows, before)))
                known_here = {key: rows[key] for key in stirred if key in before}
                lacking[kind.id].update(dict.fromkeys(_lacking(kind, known_here)))
        for number, found in wanted.items():
            self._current(by_number[number], list(found))
            self._sightings.ask(number, list(lacking[number]))

    def expect(self, pages: Iterable[int], new: Iterable[int] = ()) -> None:
        """Reads what is known of pages, all at once; of `new` ones nothing is."""
        for page_id in new:
            self._here.setdefault(page_id, {})
        wanted = [page_id for page_id in dict.fromkeys(pages) if page_id not in self._here]
        self._here.update(self._sightings.of_pages(wanted))

    def page(
        self, tables: Sequence[PlainTable], place: PageVersion, *, only: str | None = None
    ) -> list[Change]:
        """Stores the tables of a version, or `only` one kind's, and answers what changed."""
        names = {
            kind_name(place.name, number): (number, one)
            for number, one in enumerate(tables, 1)
            if one.types
        }
        changes: list[Change] = []
        for name, (number, one) in names.items():
            if only in (None, name):
                kind = self._fitting(name, one, place.class_id, place.key_of(number))
                rows = self._ahead.pop((kind.id, place.page_id, place.version), None)
                changes += self._store(
                    kind, record_rows(one, kind, place.url) if rows is None else rows, place
                )
        for kind in list(self._kinds.values()):
            if (
                kind.name not in names
                and only in (None, kind.name)
                and is_of_class(kind.name, place.name)
            ):
                changes += self._store(kind, {}, place)
        return changes

    def page_is_gone(self, place: PageVersion) -> list[Change]:
        """The page shows nothing any more: what only it showed ends. Returns what changed."""
        return [
            change for kind in list(self._kinds.values()) for change in self._store(kind, {}, place)
        ]

    def end_other_classes(self, place: PageVersion) -> None:
        """Ends what the page showed as a page of another class: it is read as one of this class
        now, so nothing has gone and there is nothing to tell.
        """
        if place.page_id not in self._here:
            self.expect([place.page_id])
        shown = [number for number, rows in self._here[place.page_id].items() if rows]
        for kind in [kind for kind in self._kinds.values() if kind.id in shown]:
            if None not in (kind.class_id, place.class_id) and kind.class_id != place.class_id:
                self._store(kind, {}, place)

    def flush(self) -> None:
        """Writes what is kept."""
        for kind in self._kinds.values():
            table = history_table(kind)
            if self._ends[kind.id]:
                closing = (
                    update(table)
                    .where(table.c.id == bindparam("b_id"))
                    .values({"valid_to": bindparam("b_to"), CHECKSUM: bindparam("b_sum")})
                )
                self._connection.execute(closing, self._ends.pop(kind.id))
            add_rows(self._connection, table, self._begins.pop(kind.id, ()))
        self._sightings.write()
        self._touched.clear()

    # kinds

    def _fitting(
        self, name: str, table: PlainTable, class_id: int | None, key: Sequence[str]
    ) -> RecordKind:
        """The kind, with a column for all that is shown."""
        known = self._kinds.get(name)
        if known is None:
            chosen = key or keys.choose(table.types, [[row.values for row in table.rows]])
            types = {**table.types, **links_to_come(chosen, table.types)}
            self._kinds[name] = add_kind(
                self._connection, name, types, class_id, chosen, key_is_set=bool(key)
            )
        elif not known.columns.keys() >= table.types.keys():
            self.flush()  # what is kept, and what was read, is of a table with fewer columns
            self._rows.pop(known.id, None)
            self._ahead.clear()
            self._kinds[name] = add_columns(self._connection, known, table.types)
        return self._kinds[name]

    # rows

    def _store(
        self, kind: RecordKind, rows: Mapping[str, RecordRow], place: PageVersion
    ) -> list[Change]:
        if place.page_id not in self._here:
            self.expect([place.page_id])
        before = self._here[place.page_id].setdefault(kind.id, {})
        rows = self._by_known_addresses(kind, rows, before)
        renamed = self._with_changed_keys(kind, rows, before)
        before = self._here[place.page_id][kind.id]
        stirred = [key for key, row in rows.items() if before.get(key) != row.digest]
        gone = [key for key in before if key not in rows]
        if not stirred and not gone:
            return []
        if any((kind.id, key) in self._touched for key in (*stirred, *gone)):
            self.flush()  # other pages of this transaction have begun or ended their rows
        current = self._current(kind, [*stirred, *gone])
        elsewhere = self._sightings.elsewhere(kind.id, place.page_id, gone)
        missing = [key for key in stirred if current[key] is None]
        moved = self._moved(kind, place, missing)
        only_here = self._only_here(kind, place, {it: rows[it] for it in stirred if it in before})
        changes = []
        for key in gone:
            if key not in elsewhere and (was := current[key]) is not None:
                self._end(kind, was, place.time)
                changes.append(
                    Change(
                        kind.name, ChangeKind.GONE, key, was.node, row_values(was, kind.names), None
                    )
                )
        for key in stirred:
            row, was = rows[key], current[key]
            old = None if was is None else row_values(was, kind.names)
            values = merged(
                old,
                row.values,
                kind.columns,
                is_first_here=key not in before,
                is_only_here=key in only_here,
            )
            if old == values:
                continue
            if was is not None:
                self._end(kind, was, place.time)
            self._begin(kind, row, values, place, was)
            if old is None and moved.get(key) != values:
                old = moved.get(key)
            if old is not None and key in renamed:
                old = changed_keys.without_key_columns(kind, old, values)
                if old == values:
                    continue
            what = ChangeKind.NEW if old is None else ChangeKind.CHANGED
            changes.append(Change(kind.name, what, key, row.node, old, values))
        shown = {key: rows[key] for key in stirred}
        self._sightings.note(kind.id, place.page_id, before, shown, gone)
        return changes

    def _by_known_addresses(
        self, kind: RecordKind, rows: Mapping[str, RecordRow], before: Mapping[str, bytes]
    ) -> Mapping[str, RecordRow]:
        """The rows, those of records that are known by another writing of their address (http for
        https, a slash at its end) under the key that they have.
        """
        other = _other_writings(rows, before)
        if not other:
            return rows
        asked = [*other, *(key for key in rows if key not in before)]
        if any((kind.id, key) in self._touched for key in asked):
            self.flush()
        known = {key for key, row in self._current(kind, asked).items() if row is not None}
        named = {other[writing]: writing for writing in sorted(known & other.keys())}
        named = {key: writing for key, writing in named.items() if key not in known}
        return {
            named.get(key, key): replace(row, key=named.get(key, key)) for key, row in rows.items()
        }

    def _with_changed_keys(
        self, kind: RecordKind, rows: Mapping[str, RecordRow], before: Mapping[str, bytes]
    ) -> Mapping[str, str]:
        """The old keys of records that this page shows under new ones; they get those."""
        gone = [key for key in before if key not in rows]
        fresh = [key for key in rows if key not in before]
        if min(len(gone), len(fresh)) < changed_keys.MIN_RECORDS:
            return {}
        self.flush()
        current = self._current(kind, [*gone, *fresh])
        renamed = changed_keys.find(
            kind,
            {key: row_values(was, kind.names) for key in gone if (was := current[key]) is not None},
            {key: rows[key].values for key in fresh if current[key] is None},
            (row.values for key, row in rows.items() if key in before),
        )
        if renamed:
            changed_keys.rename(self._connection, kind, renamed)
            self._rows.pop(kind.id, None)
            self._sightings.forget()
            for known in self._here.values():
                if kind.id in known:
                    known[kind.id] = changed_keys.renamed_here(known[kind.id], renamed)
            self.new_keys[kind.name] += len(renamed)
        return renamed

    def _end(self, kind: RecordKind, was: Row[Any], time: int) -> None:
        self._may_have_moved[kind.id] = True
        end = max(time, was.valid_from)
        found = changed(history_table(kind), was._mapping, {"valid_to": end})
        self._ends[kind.id].append({"b_id": was.id, "b_to": end, "b_sum": found})
        self._touched.add((kind.id, was.key))
        self._rows[kind.id].pop(was.key, None)

    def _begin(
        self,
        kind: RecordKind,
        row: RecordRow,
        values: Mapping[str, Any],
        place: PageVersion,
        was: Row[Any] | None,
    ) -> None:
        start = place.time if was is None else max(place.time, was.valid_from)
        own = {
            "key": row.key,
            "valid_from": start,
            "valid_to": None,
            "page_id": place.page_id,
            "version": place.version,
            "node": row.node,
        }
        names = kind.names
        named = {names[name]: value for name, value in values.items()}
        self._begins[kind.id].append({**own, "nodes": to_json(row.nodes), **named})
        self._touched.add((kind.id, row.key))
        self._rows[kind.id].pop(row.key, None)

    def _current(self, kind: RecordKind, wanted: Sequence[str]) -> dict[str, Row[Any] | None]:
        """The rows of today of these records."""
        known = self._rows[kind.id]
        missing = [key for key in wanted if key not in known]
        table = history_table(kind)
        for part in in_parts(missing):
            today = select(table).where(table.c.key.in_(part), table.c.valid_to.is_(None))
            found = {row.key: row for row in self._connection.execute(today)}
            known.update((key, found.get(key)) for key in part)
        return {key: known[key] for key in wanted}

    def _moved(
        self, kind: RecordKind, place: PageVersion, wanted: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """What records said that another page showed until a moment ago: a list that grows pushes
        its last record to the next page, also one that changes on the way.
        """
        table, since = history_table(kind), place.time - MAX_MOVING_TIME
        if kind.id not in self._may_have_moved:
            ended = select(table.c.id).where(table.c.valid_to >= since).limit(1)
            self._may_have_moved[kind.id] = self._connection.execute(ended).first() is not None
        found = {}
        for part in in_parts(wanted) if self._may_have_moved[kind.id] else ():
            ended = select(table).where(
                table.c.key.in_(part), table.c.valid_to >= since, table.c.page_id != place.page_id
            )
            for row in self._connection.execute(ended.order_by(table.c.valid_to, table.c.id)):
                found[row.key] = row_values(row, kind.names)
        return found

    def _only_here(
        self, kind: RecordKind, place: PageVersion, rows: Mapping[str, RecordRow]
    ) -> set[str]:
        """The records that this page alone shows, and of which it does not say all columns."""
        lacking = _lacking(kind, rows)
        return set(lacking) - self._sightings.elsewhere(kind.id, place.page_id, lacking)


def _lacking(kind: RecordKind, rows: Mapping[str, RecordRow]) -> list[str]:
    """The records of which a page does not say all columns."""
    return [key for key, row in rows.items() if not kind.columns.keys() <= row.values.keys()]


def _other_writings(rows: Mapping[str, RecordRow], before: Mapping[str, bytes]) -> dict[str, str]:
    """How else the keys that a page did not show before may be written, and the keys."""
    return {
        writing: key
        for key in rows
        if key not in before
        for writing in keys.other_writings(key)
        if writing not in rows
    }
