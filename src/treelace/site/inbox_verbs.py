"""The inbox: cells that changed, newest first, until someone has dealt with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from treelace.errors import UsageError
from treelace.site.base import SiteBase
from treelace.site.listings import Listing
from treelace.store import times

if TYPE_CHECKING:
    from treelace.store.record_changes import RecordChange
    from treelace.store.record_kinds import RecordKind

NOTE = "inbox dealt with"
MOST_ROWS_LOOKED_AT = 10_000
"""Rows of a kind that one look goes through."""
MOST_REMEMBERED = 10_000
"""Changes that are remembered one by one as dealt with, the newest; all before them are."""
_TIME_DIGITS = 8
"""Of a change's id: its second, in hexadecimal, so that ids are in the order of time."""


class DealtWith(msgspec.Struct, frozen=True):
    """What has been dealt with: every change of a second up to `until`, and some later ones."""

    until: str = ""
    ids: frozenset[str] = frozenset()

    def has(self, cell_id: str) -> bool:
        """Whether a change has been."""
        return cell_id in self.ids or cell_id[:_TIME_DIGITS] <= self.until

    def bounded(self) -> DealtWith:
        """The same, with the oldest ones forgotten one by one where they are too many."""
        left = sorted(self.ids)[-MOST_REMEMBERED:]
        if len(left) == len(self.ids):
            return self
        return DealtWith(max(self.ids - set(left))[:_TIME_DIGITS], frozenset(left))


@dataclass(frozen=True, slots=True)
class ChangedCell:
    """A cell that changed; `id` names this change also after records were built anew."""

    id: str
    time: datetime
    kind: str
    key: str
    column: str
    old: Any
    new: Any
    name: str
    """What people call the record."""
    page: str | None
    version: int | None
    node: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Inbox(Listing[ChangedCell]):
    """Changed cells, newest first; there are older ones where `is_more`."""

    is_more: bool
    hidden: int
    """Changes on the way that are noise, as someone said."""
    heads: ClassVar[tuple[str, ...]] = (
        *("id", "time", "records", "record", "column", "old", "new", "page", "version"),
    )

    def row(self, item: ChangedCell, show: Callable[[datetime | None], str]) -> tuple[object, ...]:
        """A changed cell."""
        start = (item.id, show(item.time), item.kind, item.name, item.column)
        return (*start, item.old, item.new, item.page, item.version)


@dataclass(frozen=True, slots=True)
class InboxChanged:
    """Changes that were dealt with, or are open again."""

    ids: tuple[str, ...]
    what: str

    def __str__(self) -> str:
        count = len(self.ids)
        return f"{count:,} change{'' if count == 1 else 's'} {self.what}"


class InboxVerbs(SiteBase):
    """Changed cells, one by one."""

    def inbox(self, *, limit: int = 50, before: datetime | None = None) -> Inbox:
        """The newest cells that changed and that nobody has dealt with, without what is noise;
        only those `before` a time.
        """
        from treelace.monitor.known_noise import is_named

        done = self._done()
        noise, hidden = self.settings.noise, 0
        found: list[ChangedCell] = []
        for kind in self.store.records.kinds():
            own: list[ChangedCell] = []
            for cell in self.changed_cells(kind, before):
                is_noise = is_named(noise, cell.kind, cell.key, cell.column, cell.old, cell.new)
                hidden += is_noise
                if not is_noise and not done.has(cell.id):
                    own.append(cell)
                if len(own) > limit:
                    break
            found += own
        found.sort(key=lambda it: (it.time, it.kind, it.name), reverse=True)
        return Inbox(tuple(found[:limit]), len(found) > limit, hidden)

    def inbox_done(self, *ids: str) -> InboxChanged:
        """Says that changes have been dealt with. The newest 10,000 are remembered one by one;
        everything older than those counts as dealt with.
        """
        done = self._done()
        self._keep_done(DealtWith(done.until, done.ids.union(ids)).bounded())
        return InboxChanged(ids, "dealt with")

    def inbox_reopen(self, *ids: str) -> InboxChanged:
        """Says that they have not."""
        done = self._done()
        if old := [it for it in ids if done.has(it) and it not in done.ids]:
            raise UsageError(f"{old[0]} is older than what can be opened again")
        self._keep_done(DealtWith(done.until, done.ids.difference(ids)))
        return InboxChanged(ids, "open again")

    def _done(self) -> DealtWith:
        said = self.store.notes.get(NOTE)
        return msgspec.json.decode(said, type=DealtWith) if said else DealtWith()

    def _keep_done(self, done: DealtWith) -> None:
        self.store.notes.set(NOTE, msgspec.json.encode(done, order="deterministic").decode())

    def changed_cells(
        self,
        kind: RecordKind,
        before: datetime | None = None,
        *,
        most_rows: int = MOST_ROWS_LOOKED_AT,
    ) -> Iterator[ChangedCell]:
        """The cells of a kind that changed, newest first, in so many of its newest rows."""
        start = None if before is None else times.to_number(before)
        for change in self.store.records.newest_changes(kind, before=start, most_rows=most_rows):
            yield from _cells_of(change)


def _cells_of(change: RecordChange) -> Iterator[ChangedCell]:
    """The cells of a change, without the parts that stand beside a value."""
    from treelace.monitor.known_noise import PARTS
    from treelace.monitor.rules import name_of

    changed = {cell.column for cell in change.cells}
    for cell in change.cells:
        whole = next((cell.column.removesuffix(it) for it in PARTS if cell.column.endswith(it)), "")
        if whole and whole in changed:
            continue
        yield ChangedCell(
            _id_of(change, cell.column),
            change.time,
            change.kind,
            change.key,
            cell.column,
            cell.old,
            cell.new,
            name_of(change.values) or change.key,
            change.page,
            change.version,
            change.node,
        )


def _id_of(change: RecordChange, column: str) -> str:
    number = times.to_number(change.time)
    said = "\0".join((change.kind, change.key, column, str(number)))
    digest = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()
    return f"{max(0, number // 1000):0{_TIME_DIGITS}x}{digest[:10]}"
