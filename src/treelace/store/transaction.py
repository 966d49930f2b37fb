"""Transaction: what is written together. All of it appears, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, bindparam, func, insert, select, update

from treelace.store import kind_edits
from treelace.store import rates as counts
from treelace.store.alerts import Alerts
from treelace.store.checksums import add_rows, count_rows, note_added, sealed
from treelace.store.classes import Classes
from treelace.store.database import OpenTransaction
from treelace.store.dictionaries import Dictionaries
from treelace.store.frontier import Frontier
from treelace.store.joined_views import JoinedView, make_joined_views
from treelace.store.pages import PageState
from treelace.store.record_indexes import make_sort_indexes
from treelace.store.recording import Recording
from treelace.store.records import Records
from treelace.store.rows import in_parts, insert_or_update
from treelace.store.schema import CHECKSUM, nodes, pages, versions
from treelace.store.versions import NewVersion, PageUpdate

_KEPT = ("b_id", "url", "first_seen")
"""What a page keeps as long as it is there."""


class Transaction:
    """An open transaction of a store, from `Store.writing()`.

    Whatever is asked of its `classes`, `records`, `alerts` and `frontier` is part of it, and sees
    what it has written so far. Not for two threads.
    """

    def __init__(self, connection: Connection, dictionaries: Dictionaries) -> None:
        self._connection = connection
        self._dictionaries = dictionaries
        connections = OpenTransaction(connection)
        self.classes = Classes(connections)
        self.records = Records(connections)
        self.alerts = Alerts(connections)
        self.frontier = Frontier(connections)

    # pages and versions

    def add(self, updates: Iterable[PageUpdate]) -> dict[str, int]:
        """Writes the new states and versions of pages; the numbers of the pages."""
        known = [update for update in updates if update.state.newest]
        fresh = [_page_row(one.state) for one in known if one.state.id is None]
        numbers = {one.state.url: one.state.id for one in known if one.state.id is not None}
        if fresh:
            numbers |= {
                row.url: row.id
                for row in self._connection.execute(
                    insert(pages).returning(pages.c.id, pages.c.url), fresh
                )
            }
            note_added(self._connection, pages)
        seen = [
            {"b_id": one.state.id, **_page_row(one.state)}
            for one in known
            if one.state.id is not None
        ]
        if seen:
            found: dict[str, object] = {
                name: bindparam(name) for name in seen[0] if name not in _KEPT
            }
            changed = update(pages).where(pages.c.id == bindparam("b_id")).values(found)
            self._connection.execute(changed, seen)
        add_rows(
            self._connection,
            versions,
            [
                _version_row(numbers[one.state.url], version)
                for one in known
                for version in one.versions
            ],
        )
        self._add_rates(
            {
                numbers[one.state.url]: counts.write(one.rates)
                for one in known
                if one.rates is not None and one.versions
            }
        )
        return numbers

    def _add_rates(self, packed: Mapping[int, bytes]) -> None:
        known = 0
        for part in in_parts(list(packed)):
            mine = select(func.count()).select_from(nodes).where(nodes.c.page_id.in_(part))
            known += self._connection.execute(mine).scalar_one()
        rows = [
            sealed(nodes, {"page_id": page_id, "changes": data}) for page_id, data in packed.items()
        ]
        insert_or_update(self._connection, nodes, rows, key=["page_id"])
        count_rows(self._connection, nodes, rows=len(packed) - known)

    def page_id(self, url: str) -> int | None:
        """The number of a page, if it is known."""
        return self._connection.execute(select(pages.c.id).where(pages.c.url == url)).scalar()

    def train(self, class_id: int | None) -> bool:
        """Learns a dictionary from pages of a class; see `Dictionaries.train`."""
        return self._dictionaries.train(self._connection, class_id)

    # records

    def recording(self) -> Recording:
        """Who writes the records of many versions; `flush` it before the transaction ends."""
        return Recording(self._connection)

    def rename_kinds(self, class_id: int, old: str, new: str) -> dict[str, str]:
        """Renames the kinds of a class after its new name; answers old name to new."""
        return kind_edits.rename_kinds(self._connection, class_id, old, new)

    def drop_kinds(self, class_id: int) -> list[str]:
        """Takes the records of a class away; their names."""
        return kind_edits.drop_kinds(self._connection, class_id)

    def merge_kinds(self, lost_id: int, lost: str, kept: str) -> None:
        """Takes the records of a class away that is merged into another, and lets rules follow."""
        kind_edits.merge_kinds(self._connection, lost_id, lost, kept)

    def make_joined_views(self) -> list[JoinedView]:
        """Makes a view over the records of each list and those of the pages they lead to."""
        return make_joined_views(self._connection)

    def make_sort_indexes(self) -> list[str]:
        """Makes the indexes by which tables of many records are sorted, where they are missing."""
        return make_sort_indexes(self._connection)


def _page_row(state: PageState) -> dict[str, object]:
    row = sealed(
        pages,
        {
            "url": state.url,
            "class_id": state.class_id,
            "newest": state.newest,
            "first_seen": state.first_seen,
            "last_seen": state.last_seen,
            "source": state.source,
            "seen": state.seen,
            "due": state.due,
        },
    )
    return {**row, CHECKSUM: row[CHECKSUM] ^ state.damage}


def _version_row(page_id: int, version: NewVersion) -> dict[str, object]:
    return {
        "page_id": page_id,
        "number": version.link.number,
        "time": version.time,
        "status": None if version.status == 200 else version.status,
        "base": version.link.base,
        "dictionary_id": version.link.dictionary_id,
        "changes": version.changes,
        "digest": version.digest,
        "source": version.source,
        "data": version.link.data,
    }
