"""The lists that a site answers with: pages, versions, changes, histories, classes, records. Each
is a `Listing`, which prints as a table.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, overload

from treelace import look
from treelace.store import Page, Version, times
from treelace.store.alerts import Alert
from treelace.store.record_kinds import RecordKind
from treelace.store.records import RecordMoment

if TYPE_CHECKING:
    from treelace.classes.model import ClassState
    from treelace.store.node_history import NodeMoment, PageChange
    from treelace.store.states import SubscriptionState
    from treelace.wrappers.model.form import ColumnForm

    Show = Callable[[datetime | None], str]
    Rows = tuple[tuple[str, ...], list[tuple[object, ...]]]

T = TypeVar("T")
_MAX_HTML_ROWS = 30
_MIN_WIDTH = 12
"""Characters of a column below which it is better left out."""


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Sequence[T], Generic[T]):
    """Things in their order; a kind of listing says its `heads` and how a thing is a row.

    `str` is a table for a terminal, with times in the reader's own zone; `written` has other forms.
    """

    items: tuple[T, ...]
    heads: ClassVar[tuple[str, ...]] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.heads

    @abstractmethod
    def row(self, item: T, show: Callable[[datetime | None], str]) -> tuple[object, ...]:
        """One thing as values, its times by `show`."""

    def rows_for(self, form: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """The columns and rows that a form shows."""
        show = local_time if form == "table" else iso_time
        return self.columns, [self.row(item, show) for item in self.items]

    def written(self, form: str) -> str:
        """The rows as `table`, `csv`, `json` or `jsonl`."""
        heads, rows = self.rows_for(form)
        return write_rows(rows, heads, form)

    def __str__(self) -> str:
        return self.written("table").rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,}>"

    def _repr_html_(self) -> str:
        heads, rows = self.rows_for("table")
        return look.table(heads, _texts(rows), most_rows=_MAX_HTML_ROWS)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self.items[index]


class PageList(Listing[Page]):
    """The pages of a site."""

    __slots__ = ()
    heads: ClassVar[tuple[str, ...]] = ("url", "class", "versions", "seen", "first", "last")

    def row(self, item: Page, show: Show) -> tuple[object, ...]:
        """A page."""
        seen = show(item.first_seen), show(item.last_seen)
        return item.url, item.page_class, item.newest, item.seen, *seen


@dataclass(frozen=True, slots=True, repr=False)
class VersionLog(Listing[Version]):
    """Versions of one page or of several, oldest first."""

    heads: ClassVar[tuple[str, ...]] = (
        "page",
        "version",
        "time",
        "status",
        "changes",
        "bytes",
        "digest",
    )
    is_of_one_page: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Without the page where all are of one."""
        return self.heads[1:] if self.is_of_one_page else self.heads

    def row(self, item: Version, show: Show) -> tuple[object, ...]:
        """A version."""
        page = () if self.is_of_one_page else (item.url,)
        what = item.status, item.changes, item.bytes, item.digest
        return *page, item.number, show(item.time), *what

    def rows_for(self, form: str) -> Rows:
        """A table for people has no digests."""
        heads, rows = super(VersionLog, self).rows_for(form)
        return (heads[:-1], [row[:-1] for row in rows]) if form == "table" else (heads, rows)


class ChangeLog(Listing["PageChange"]):
    """What an XPath found in the deltas of pages."""

    __slots__ = ()
    heads: ClassVar[tuple[str, ...]] = ("page", "version", "time", "change")

    def row(self, item: PageChange, show: Show) -> tuple[object, ...]:
        """A find."""
        return item.url, item.version, show(item.time), item.text


@dataclass(frozen=True, slots=True, repr=False)
class NodeHistory(Listing["NodeMoment"]):
    """What a node was through the versions of its page; `node` is its identity."""

    node: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The value stands under the identity of the node."""
        return "version", "time", self.node, "place"

    def row(self, item: NodeMoment, show: Show) -> tuple[object, ...]:
        """A moment."""
        value = None if item.value is None else " ".join(item.value.split())
        return item.version, show(item.time), value, item.xpath

    def rows_for(self, form: str) -> Rows:
        """A table for people says where the node was not there."""
        heads, rows = super(NodeHistory, self).rows_for(form)
        gone = "(not there)" if form == "table" else None
        return heads, [(*row[:2], gone if row[2] is None else row[2], row[3]) for row in rows]


@dataclass(frozen=True, slots=True, repr=False)
class RecordHistory(Listing[RecordMoment]):
    """What a record was, or one column of it."""

    column: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """One column, or all that the record has."""
        names = (self.column,) if self.column is not None else tuple(self.items[0].value)
        return "from", "to", *names, "page", "version", "node"

    def row(self, item: RecordMoment, show: Show) -> tuple[object, ...]:
        """A moment."""
        values = (item.value,) if self.column is not None else tuple(item.value.values())
        times = show(item.valid_from), show(item.valid_to)
        return *times, *values, item.page, item.version, item.node


@dataclass(frozen=True, slots=True, repr=False)
class KindList(Listing[RecordKind]):
    """The kinds of records there are."""

    heads: ClassVar[tuple[str, ...]] = ("records", "class", "inside", "key", "columns")

    def row(self, item: RecordKind, show: Show) -> tuple[object, ...]:
        """A kind. A list inside pages is a class of records of its own, inside that of the page."""
        del show
        of = (item.name, item.page_class) if item.is_inside else (item.page_class, None)
        return item.name, *of, ", ".join(item.key), ", ".join(item.columns)


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """A class, how many pages it has, and what its newest wrapper gives."""

    name: str
    state: ClassState
    pages: int
    wrapper: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassDetails:
    """A class with the columns of its first table and the names of its kinds of records."""

    name: str
    state: ClassState
    url_pattern: str | None
    wrapper: str
    wrapper_why: str
    columns: tuple[ColumnForm, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ClassList(Listing[ClassSummary]):
    """The classes of a site; `unclassified` pages are of none."""

    heads: ClassVar[tuple[str, ...]] = ("class", "state", "pages", "wrapper")
    unclassified: int = 0

    def row(self, item: ClassSummary, show: Show) -> tuple[object, ...]:
        """A class."""
        del show
        return item.name, item.state, item.pages, item.wrapper

    def rows_for(self, form: str) -> Rows:
        """With a row for the pages of no class."""
        heads, rows = super(ClassList, self).rows_for(form)
        return heads, [*rows, ("(none)", "unclassified", self.unclassified, "")]


@dataclass(frozen=True, slots=True, repr=False)
class ColumnList(Listing["ColumnForm"]):
    """The columns of a class's first table, as its records have them."""

    heads: ClassVar[tuple[str, ...]] = ("column", "type", "filled")
    name: str = ""

    def row(self, item: ColumnForm, show: Show) -> tuple[object, ...]:
        """A column."""
        del show
        return item.name, item.type, f"{item.fill:.0%}"


@dataclass(frozen=True, slots=True, repr=False)
class AlertList(Listing[Alert]):
    """What was noticed, oldest first."""

    heads: ClassVar[tuple[str, ...]] = ("alert", "time", "rule", "kind", "why", "page")

    def row(self, item: Alert, show: Show) -> tuple[object, ...]:
        """An alert."""
        del show
        time = f"{item.time:%Y-%m-%d %H:%M}"
        return item.id, time, item.subscription, item.kind, item.why, item.url

    def rows_for(self, form: str) -> Rows:
        """Programs get the verdicts of a judge, too, where there are some."""
        heads, rows = super(AlertList, self).rows_for(form)
        if form == "table" or not any("verdict" in it.about for it in self.items):
            return heads, rows
        verdicts = [it.about.get("verdict") for it in self.items]
        return (*heads, "verdict"), [(*row, it) for row, it in zip(rows, verdicts, strict=True)]


@dataclass(frozen=True, slots=True)
class KeptRule:
    """A rule that someone keeps, as people read it."""

    name: str
    state: SubscriptionState
    looks_at: str
    when: str
    channels: tuple[str, ...]
    digest: str = ""

    @property
    def shown_channels(self) -> tuple[str, ...]:
        """The channels without what may be a secret."""
        from treelace.monitor.channels.channel import shown_channel

        return tuple(map(shown_channel, self.channels))


class RuleList(Listing[KeptRule]):
    """The rules that are kept."""

    __slots__ = ()
    heads: ClassVar[tuple[str, ...]] = ("rule", "state", "looks at", "when", "tells")

    def row(self, item: KeptRule, show: Show) -> tuple[object, ...]:
        """A rule."""
        del show
        return item.name, item.state, item.looks_at, item.when, " ".join(item.channels)


# how they are written


def local_time(time: datetime | None) -> str:
    """A time for people, in their own zone; empty for none."""
    return "" if time is None else times.local(times.to_number(time))


def iso_time(time: datetime | None) -> str:
    """A time for programs; empty for none."""
    return "" if time is None else time.isoformat()


def write_rows(rows: Sequence[Sequence[object]], heads: Sequence[str], form: str) -> str:
    """Rows as a table for people, as CSV, or as JSON objects, in a list or one a line."""
    if form in ("json", "jsonl"):
        found = [dict(zip(heads, row, strict=True)) for row in rows]
        if form == "json":
            return json.dumps(found, ensure_ascii=False, indent=1, default=str) + "\n"
        return "".join(json.dumps(it, ensure_ascii=False, default=str) + "\n" for it in found)
    words = _texts(rows)
    if form == "csv":
        import csv
        import io

        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([list(heads), *words])
        return out.getvalue()
    return _text_table([list(heads), *words])


def fitted(
    heads: Sequence[str], rows: Sequence[Sequence[object]], width: int
) -> tuple[list[str], list[list[str]]]:
    """A table for people that is no wider than so many characters: long texts are cut, and where
    that is not enough the last columns are left out, and counted in the last head.

    >>> fitted(["tea", "about"], [["Assam", "strong and malty"]], 22)
    (['tea', 'about'], [['Assam', 'strong and mal…']])
    """
    words = [[" ".join(text.split()) for text in row] for row in _texts(rows)]
    widths = [max(map(len, column)) for column in zip(list(heads), *words, strict=True)]
    count = len(widths)
    while count > 1 and sum(min(it, _MIN_WIDTH) + 2 for it in widths[:count]) > width:
        count -= 1
    left = width - 2 * (count - 1) - (len(_more(len(widths) - count)) if count < len(widths) else 0)
    cut = max(
        (at for at in range(1, width + 1) if sum(min(it, at) for it in widths[:count]) <= left),
        default=_MIN_WIDTH,
    )
    shown = [list(heads[:count]), *(row[:count] for row in words)]
    shown = [[it if len(it) <= cut else f"{it[: cut - 1]}…" for it in row] for row in shown]
    if count < len(widths):
        shown[0].append(_more(len(widths) - count))
        shown[1:] = [[*row, ""] for row in shown[1:]]
    return shown[0], shown[1:]


def _more(columns: int) -> str:
    return f"… {columns} more (--wide)"


def _texts(rows: Iterable[Sequence[object]]) -> list[list[str]]:
    return [["" if value is None else str(value) for value in row] for row in rows]


def _text_table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"
