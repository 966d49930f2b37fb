"""Compare: what is new, gone or changed in the records of a page between two of its captures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from treelace.bulk.datasets import CHANGES, PROBLEMS, Columns, Rows
from treelace.bulk.digest import write_problems
from treelace.bulk.model import Done, Task
from treelace.bulk.reading import Problems, rows_of
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.store.states import ChangeKind

if TYPE_CHECKING:
    from treelace.bulk.read import ReadRecord

SEEN: Columns = {
    "url": "text",
    "host": "text",
    "time": "integer",
    "digest": "text",
    "class": "text",
    "records": "text",
}
"""A capture of a page that has several, with all its records as JSON."""


class SeenRecord(msgspec.Struct, frozen=True, array_like=True):
    """A record of a capture."""

    kind: str
    key: str
    values: dict[str, Any]


def seen_file(bucket: int, part: str) -> str:
    """Where the captures of a bucket of addresses are."""
    return f"work/seen/{bucket}/{part}.parquet"


def seen_row(
    page: Mapping[str, Any], name: str | None, records: Sequence[ReadRecord]
) -> dict[str, Any]:
    """A capture, for the comparison."""
    some = [SeenRecord(it.kind, it.row.key, dict(it.row.values)) for it in records]
    return {**page, "class": name, "records": msgspec.json.encode(some).decode()}


def compare_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The changes of the pages of a bucket of addresses, from each capture to the next."""
    problems = Problems("compare", Rows(PROBLEMS))
    captures: dict[str, list[dict[str, Any]]] = {}
    for part in task.parts:
        for row in rows_of(storage, seen_file(task.bucket, part)):
            captures.setdefault(row["url"], []).append(row)
    changes = Rows(CHANGES)
    for url in sorted(captures):
        watch.at(url)
        some = sorted(captures[url], key=lambda row: (row["time"], row["digest"]))
        for old, new in pairwise(some):
            if old["time"] == new["time"]:
                said = "two captures of one moment: the one with the lesser digest is the older"
                problems.add(url, "same time", said)
            for change in _changes(old, new):
                changes.add(**change)
    file = storage.write(f"changes/part-{task.name}.parquet", changes.to_parquet())
    files = (file, *write_problems(problems, storage, task))
    return Done(task.stage, task.name, files, {"changes": len(changes)}, problems.counts)


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if old["class"] != new["class"]:
        return  # another template: its records cannot be told apart from lost ones
    before, after = (_records(row["records"]) for row in (old, new))
    common = {
        "host": new["host"],
        "class": new["class"],
        "page": new["url"],
        "old_time": old["time"],
        "new_time": new["time"],
    }
    for kind, key in sorted({*before, *after}):
        was, now = before.get((kind, key)), after.get((kind, key))
        what = ChangeKind.CHANGED if was and now else ChangeKind.GONE if was else ChangeKind.NEW
        for column in sorted({*(was or {}), *(now or {})}):
            left, right = ((it or {}).get(column) for it in (was, now))
            if left != right:
                yield {
                    **common,
                    "records": kind,
                    "what": what.value,
                    "key": key,
                    "column": column,
                    "old": None if left is None else str(left),
                    "new": None if right is None else str(right),
                }


def _records(packed: str) -> dict[tuple[str, str], dict[str, Any]]:
    found = msgspec.json.decode(packed, type=list[SeenRecord])
    return {(one.kind, one.key): one.values for one in found}
