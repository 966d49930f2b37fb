"""Compare: what is new, gone or changed in the records of a page between two of its captures, in
one run or from an earlier run to this one; and how often each column changed (`noise` has the
rest).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from treelace.bulk.datasets import CHANGES, PROBLEMS, Columns, Rows
from treelace.bulk.digest import write_problems
from treelace.bulk.model import Done, Task
from treelace.bulk.noise import found_file, looks_file, to_looks
from treelace.bulk.reading import Problems, rows_of
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.monitor.noise import MAX_EARLIER_VERSIONS, ColumnChanges
from treelace.monitor.rules import reordered, restless
from treelace.store.states import ChangeKind

if TYPE_CHECKING:
    from treelace.bulk.read import ReadRecord

SEEN: Columns = {
    "url": "text",
    "host": "text",
    "time": "integer",
    "status": "integer",
    "digest": "text",
    "class": "text",
    "records": "text",
    "is_past": "bool",
}
"""A capture of a page that is compared with others, with all its records as JSON; `is_past`: it is
of the run that this one goes on from.
"""
GONE = (404, 410)
"""What a server answers when there is no page any more: its records are gone."""


class SeenRecord(msgspec.Struct, frozen=True, array_like=True):
    """A record of a capture."""

    kind: str
    key: str
    values: dict[str, str]


def seen_file(bucket: int, part: str) -> str:
    """Where the captures of a bucket of addresses are."""
    return f"work/seen/{bucket}/{part}.parquet"


def seen_row(
    page: Mapping[str, Any], name: str | None, records: Sequence[ReadRecord]
) -> dict[str, Any]:
    """A capture, for the comparison."""
    some = [
        SeenRecord(it.kind, it.row.key, {cell.column: cell.said for cell in cells(it.row.values)})
        for it in records
    ]
    return {**page, "class": name, "records": msgspec.json.encode(some).decode()}


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a record with its words; the value is None where the words do not read so."""

    column: str
    value: Any
    text: str

    @property
    def said(self) -> str:
        """The value as a text, or the words where there is none."""
        return self.text if self.value is None else str(self.value)


def cells(values: Mapping[str, Any]) -> Iterator[Cell]:
    """The cells of a record; the words of a typed value are no cell of their own.

    >>> [(it.column, it.said) for it in cells({"price": 4.5, "price text": "4.50", "note": None})]
    [('price', '4.5')]
    """
    for column, value in values.items():
        base = column.removesuffix(" text")
        if base != column and base in values:
            continue
        text = values.get(f"{column} text")
        text = value if text is None else text
        if text is not None:
            yield Cell(column, value, str(text))


def compare_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The changes of the pages of a bucket of addresses, from each capture to the next."""
    problems = Problems("compare", Rows(PROBLEMS))
    captures: dict[str, list[dict[str, Any]]] = {}
    before: dict[str, dict[str, Any]] = {}
    for part in (*task.past, *task.parts):
        for row in rows_of(storage, seen_file(task.bucket, part)):
            if not row["is_past"]:
                captures.setdefault(row["url"], []).append(row)
            elif row["url"] not in before or before[row["url"]]["time"] < row["time"]:
                before[row["url"]] = row
    changes, looks = Rows(CHANGES), ColumnChanges()
    for url in sorted(captures):
        watch.at(url)
        some = sorted(captures[url], key=lambda row: (row["time"], row["digest"]))
        first = [before.get(url)] if task.since else []
        earlier: Earlier = {}
        for old, new in pairwise([*first, *some]):
            assert new is not None
            if old is not None and old["time"] == new["time"]:
                said = "two captures of one moment: the one with the lesser digest is the older"
                problems.add(url, "same time", said)
            for change in _changes(old, new, earlier, looks):
                changes.add(**change)
    files = [storage.write(found_file(task.name), changes.to_parquet())]
    files.append(storage.write(looks_file(task.name), to_looks(looks).to_parquet()))
    files += write_problems(problems, storage, task)
    return Done.of(task, files, {"changes": len(changes)}, problems.counts)


Earlier = dict[tuple[str, str], list[Mapping[str, str]]]
"""The values of the records of a page in its captures so far, oldest first."""


def _changes(
    old: Mapping[str, Any] | None, new: Mapping[str, Any], earlier: Earlier, looks: ColumnChanges
) -> Iterator[dict[str, Any]]:
    """From one capture to the next; from none, where the run before did not have the page, all
    records of a page are new. What a record said before, and how many changed, is kept.
    """
    name = new["class"]
    if old is not None and old["status"] not in GONE:
        if new["status"] in GONE:
            name = old["class"]
        elif name != old["class"]:
            earlier.clear()
            return  # another template: its records cannot be told apart from lost ones
    before = _records(old["records"]) if old is not None else {}
    after = _records(new["records"])
    common = {
        "host": new["host"],
        "class": name,
        "page": new["url"],
        "old_time": None if old is None else old["time"],
        "new_time": new["time"],
    }
    for kind, key in sorted({*before, *after}):
        was, now = before.get((kind, key)), after.get((kind, key))
        what = ChangeKind.CHANGED if was and now else ChangeKind.GONE if was else ChangeKind.NEW
        past, moved = earlier.pop((kind, key), []), set[str]()
        if was is not None and now is not None:
            past = [*(past or [was]), now][-MAX_EARLIER_VERSIONS - 2 :]
            earlier[kind, key] = past
            looks.add(kind, 1, [(was, now)] if was != now else ())
            moved = reordered(was, now) if was != now else moved
        for column in sorted({*(was or {}), *(now or {})}):
            left, right = ((it or {}).get(column) for it in (was, now))
            if left != right:
                yield {
                    **common,
                    "records": kind,
                    "what": what.value,
                    "key": key,
                    "column": column,
                    "old": left,
                    "new": right,
                    "noise": "only in another order"
                    if column in moved
                    else restless([values.get(column) for values in past]) or None,
                }


def _records(packed: str) -> dict[tuple[str, str], dict[str, str]]:
    found = msgspec.json.decode(packed, type=list[SeenRecord])
    return {(one.kind, one.key): one.values for one in found}
