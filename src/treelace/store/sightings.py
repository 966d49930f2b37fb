"""Sightings: which page shows which record, as far as one transaction stores it.

What is new is kept until `write`, and written with one statement. Who else shows a record is asked
of the database once for many records: the lowest and the highest number of a page that shows it
are enough, and are kept true while the pages of a transaction are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select

from treelace.store.checksums import count_rows, sealed
from treelace.store.record_rows import RecordRow
from treelace.store.rows import in_parts, insert_or_update
from treelace.store.schema import sightings


class Sightings:
    """The sightings of one transaction, by kind and key of the record. Not for two threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._seen: dict[tuple[int, str, int], dict[str, Any]] = {}
        self._unseen: dict[tuple[int, str, int], None] = {}
        self._kept: set[tuple[int, str]] = set()
        """Records of which something is kept and not written."""
        self._more = 0
        self._ends: dict[tuple[int, str], tuple[int, int] | None] = {}
        """The lowest and the highest page that shows a record; None where no page does."""

    def of_pages(self, pages: Sequence[int]) -> dict[int, dict[int, dict[str, bytes]]]:
        """What is known of pages: kind, key, digest of what they say."""
        found: dict[int, dict[int, dict[str, bytes]]] = {page_id: {} for page_id in pages}
        columns = (sightings.c.page_id, sightings.c.kind_id, sightings.c.key, sightings.c.digest)
        for part in in_parts(pages):
            seen = select(*columns).where(sightings.c.page_id.in_(part))
            for page_id, kind_id, key, digest in self._connection.execute(seen):
                found[page_id].setdefault(kind_id, {})[key] = digest
        return found

    def note(
        self,
        kind_id: int,
        page_id: int,
        before: dict[str, bytes],
        stirred: Mapping[str, RecordRow],
        gone: Sequence[str],
    ) -> None:
        """Keeps what a page shows now of records, and that it shows others no more; `before` is
        what it showed, and becomes what it shows.
        """
        self._more += sum(key not in before for key in stirred) - len(gone)
        for key in gone:
            del before[key]
            self._seen.pop((kind_id, key, page_id), None)
            self._unseen[kind_id, key, page_id] = None
            self._ends.pop((kind_id, key), None)
        for key, row in stirred.items():
            before[key] = row.digest
            self._unseen.pop((kind_id, key, page_id), None)
            here = {"kind_id": kind_id, "key": key, "page_id": page_id}
            sighting = {**here, "node": row.node, "digest": row.digest}
            self._seen[kind_id, key, page_id] = sealed(sightings, sighting)
            if (kind_id, key) in self._ends:
                low, high = self._ends[kind_id, key] or (page_id, page_id)
                self._ends[kind_id, key] = (min(low, page_id), max(high, page_id))
        self._kept.update((kind_id, key) for key in (*gone, *stirred))

    def elsewhere(self, kind_id: int, page_id: int, keys: Sequence[str]) -> set[str]:
        """Those of these records that other pages show."""
        self.ask(kind_id, keys)
        here = (page_id, page_id)
        return {key for key in keys if self._ends[kind_id, key] not in (None, here)}

    def ask(self, kind_id: int, keys: Sequence[str]) -> None:
        """Reads who shows these records, where nothing is known of it."""
        unknown = [key for key in keys if (kind_id, key) not in self._ends]
        if any((kind_id, key) in self._kept for key in unknown):
            self.write()
        ends = sightings.c.key, func.min(sightings.c.page_id), func.max(sightings.c.page_id)
        for part in in_parts(unknown):
            self._ends.update(((kind_id, key), None) for key in part)
            shown = select(*ends).where(sightings.c.kind_id == kind_id, sightings.c.key.in_(part))
            for key, low, high in self._connection.execute(shown.group_by(sightings.c.key)):
                self._ends[kind_id, key] = (low, high)

    def forget(self) -> None:
        """Records have other keys now: who shows them is to be read again."""
        self._ends.clear()

    def write(self) -> None:
        """Writes what is kept."""
        names = ("kind_id", "key", "page_id")
        if self._unseen:
            mine = delete(sightings).where(
                *(sightings.c[it] == bindparam(f"b_{it}") for it in names)
            )
            marks = [f"b_{it}" for it in names]
            self._connection.execute(
                mine, [dict(zip(marks, it, strict=True)) for it in self._unseen]
            )
        insert_or_update(self._connection, sightings, list(self._seen.values()), key=names)
        count_rows(self._connection, sightings, rows=self._more)
        self._more = 0
        self._seen.clear()
        self._unseen.clear()
        self._kept.clear()
