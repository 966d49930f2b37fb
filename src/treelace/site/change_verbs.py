"""What became of records since someone last looked, and where a value comes from."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import msgspec

from treelace.errors import UsageError
from treelace.named import pick
from treelace.site.base import SiteBase
from treelace.site.listings import Listing, iso_time, local_time
from treelace.store import times
from treelace.store.record_changes import RecordChange

_LONGEST_TEXT = 500


class _Cursor(msgspec.Struct, frozen=True):
    """How far a reader is: by kind the last row and the last end (milliseconds) that were seen."""

    since: int = 0
    seen: dict[str, tuple[int, int]] = {}


@dataclass(frozen=True, slots=True, repr=False)
class RecordChanges(Listing[RecordChange]):
    """What became of records, oldest first; the next ones come with `cursor`, and there is more
    already where `is_more`.
    """

    cursor: str
    is_more: bool
    heads: ClassVar[tuple[str, ...]] = (
        *("time", "records", "what", "key", "column", "old", "new", "page", "version"),
    )

    def row(self, item: RecordChange, show: Callable[[datetime | None], str]) -> tuple[object, ...]:
        """The first row of what became of a record."""
        return _rows(item, show)[0]

    def rows_for(self, form: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """A row for each cell that changed, and one for a record that came or went."""
        show = local_time if form == "table" else iso_time
        return self.heads, [row for item in self.items for row in _rows(item, show)]


@dataclass(frozen=True, slots=True)
class CellOrigin:
    """Where a value comes from: the node of the version of the page on which it was first read,
    and by which wrapper.
    """

    kind: str
    key: str
    column: str
    value: Any
    since: datetime
    until: datetime | None
    page: str | None
    version: int
    node: int
    xpath: str | None
    css: str | None
    text: str
    page_class: str | None
    wrapper: str
    """How the pages of the class are read, and why so."""
    type: str

    def __str__(self) -> str:
        until = f" until {local_time(self.until)}" if self.until else ""
        return "\n".join(
            [
                f"{self.kind} {self.key}, {self.column}: {self.value!r} ({self.type})",
                f"since    {local_time(self.since)}{until}",
                f"page     {self.page or 'not kept any more'} version {self.version}",
                f"node     #{self.node} {self.xpath or 'not in that version'}",
                f"it says  {self.text or 'nothing'}",
                f"read by  {self.page_class or 'no class'}: {self.wrapper}",
            ]
        )


class ChangeVerbs(SiteBase):
    """Changes, and the origin of values."""

    def changes(
        self,
        name: str | None = None,
        *,
        since: datetime | None = None,
        cursor: str = "",
        limit: int = 100,
    ) -> RecordChanges:
        """What became of the records of a kind, or of all: new, changed cell by cell, gone; since a
        time, or since an answer with this `cursor`. About `limit` a kind at a time.
        """
        seen = _read_cursor(cursor)
        start = seen.since if since is None else times.to_number(since)
        kinds = [self.store.records.kind(name)] if name else self.store.records.kinds()
        found: list[RecordChange] = []
        last = dict(seen.seen)
        is_more = False
        for kind in kinds:
            row, end = last.get(kind.name, (0, 0))
            made, row, end, more = self.store.records.changes(
                kind, after_row=row, after_end=end, since=start, most=limit
            )
            found += made
            last[kind.name] = (row, end)
            is_more = is_more or more
        found.sort(key=lambda it: it.time)
        return RecordChanges(tuple(found), _written_cursor(_Cursor(start, last)), is_more)

    def explain(self, name: str, key: str, column: str) -> CellOrigin:
        """Where the value of a cell comes from: page, version, node and wrapper."""
        kind = self.store.records.kind(name)
        pick(f"column of {kind.name}", kind.columns, column)
        moment = self.store.records.history(kind.name, key, column)[-1]
        xpath = css = None
        text = ""
        if moment.page is not None:
            body = self.store.body(moment.page, moment.version)
            xids = body.xids.of.tolist()
            if moment.node in xids:
                node = body.tree[xids.index(moment.node)]
                xpath, css = node.xpath, node.css
                text = " ".join(node.text.split())[:_LONGEST_TEXT]
        return CellOrigin(
            kind=kind.name,
            key=key,
            column=column,
            value=moment.value,
            since=moment.valid_from,
            until=moment.valid_to,
            page=moment.page,
            version=moment.version,
            node=moment.node,
            xpath=xpath,
            css=css,
            text=text,
            page_class=kind.page_class,
            wrapper=self._wrapper_of(kind.page_class),
            type=kind.columns[column],
        )

    def _wrapper_of(self, page_class: str | None) -> str:
        if page_class is None:
            return "nothing says how"
        stored = self.store.classes.newest_wrapper(self.store.classes.get(page_class).id)
        if stored is None:
            return "treelace.toml says how"
        return f"wrapper {stored.number}" + (f" ({stored.why})" if stored.why else "")


def _rows(item: RecordChange, show: Callable[[datetime | None], str]) -> list[tuple[object, ...]]:
    start = (show(item.time), item.kind, str(item.what), item.key)
    end = (item.page, item.version)
    nothing: list[tuple[Any, Any, Any]] = [(None, None, None)]
    cells = [(one.column, one.old, one.new) for one in item.cells] or nothing
    return [(*start, *cell, *end) for cell in cells]


def _read_cursor(words: str) -> _Cursor:
    if not words:
        return _Cursor()
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(words.encode()), type=_Cursor)
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise UsageError(
            "this is no cursor of `changes`: take the one of the last answer"
        ) from error


def _written_cursor(cursor: _Cursor) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode()
