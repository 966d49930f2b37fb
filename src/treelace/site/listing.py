"""Listing: an answer that is a list of things and prints as a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Generic, TypeVar, overload

from treelace import look
from treelace.store import times

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

    def row(self, item: T, show: Callable[[datetime | None], str]) -> tuple[object, ...]:
        """One thing as values, its times by `show`."""
        raise NotImplementedError

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

    >>> fitted(["tea", "about"], [["Assam", "strong and malty"]], 16)
    (['tea', 'about'], [['Assam', 'strong a…']])
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
