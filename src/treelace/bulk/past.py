"""Recall: what an earlier run knows, for a run that goes on from it.

Its classes are those of the new run, so that columns and keys stay what they were; its newest
capture of every page is what the first capture of the new run is compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from treelace.bulk.datasets import CLASSES, Rows
from treelace.bulk.model import CODE_VERSION, MANIFEST, Done, Manifest, Task, number_of
from treelace.bulk.reading import rows_of
from treelace.bulk.seen import SEEN, SeenRecord, seen_file
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.errors import StoreError, UsageError


def recalled_file(bucket: int, part: str) -> str:
    """Where the classes are that the hosts of a bucket had."""
    return f"work/recalled/{bucket}/{part}.parquet"


def files_of_past(place: str) -> list[str]:
    """The files of a finished run that tell what it knew; the files of its records go with those of
    its pages.
    """
    try:
        known = msgspec.json.decode(Storage(place).read(MANIFEST), type=Manifest)
    except FileNotFoundError as error:
        raise UsageError(f"{place}: there is no run; name the folder of its tables") from error
    except msgspec.MsgspecError as error:
        raise StoreError(f"{place}: {MANIFEST} is damaged: {error}") from error
    if not known.is_finished:
        raise UsageError(f"{place}: that run is not finished; the same command goes on with it")
    if known.code != CODE_VERSION:
        raise UsageError(f"{place}: another version of treelace made it; run it again")
    return [file for file in known.files if file.startswith(("classes/", "pages/"))]


def recall_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The classes of one file by the buckets of their hosts, or the pages of one by those of their
    addresses.
    """
    watch.at(task.place)
    past = Storage(task.since)
    if task.place.startswith("classes/"):
        made: dict[int, Rows] = {}
        for row in rows_of(past, task.place):
            made.setdefault(number_of(row["host"]) % task.buckets, Rows(CLASSES)).add(**row)
        name_of = recalled_file
    else:
        made = _captures(past, task)
        name_of = seen_file
    files = [storage.write(name_of(it, task.name), made[it].to_parquet()) for it in made]
    return Done.of(task, files, {}, buckets=made)


def _captures(past: Storage, task: Task) -> dict[int, Rows]:
    """The newest capture of each page of a file, with its records."""
    newest: dict[str, dict[str, Any]] = {}
    for row in rows_of(past, task.place):
        old = newest.get(row["url"])
        if old is None or (old["time"], old["digest"]) < (row["time"], row["digest"]):
            newest[row["url"]] = row
    records: dict[str, dict[tuple[str, str], dict[str, str]]] = {}
    for row in rows_of(past, task.place.replace("pages/", "records/", 1)):
        if row["time"] == newest[row["page"]]["time"]:
            values = records.setdefault(row["page"], {}).setdefault(
                (row["records"], row["key"]), {}
            )
            values[row["column"]] = row["text"] if row["value"] is None else row["value"]
    made: dict[int, Rows] = {}
    for url in sorted(newest):
        bucket = number_of(url) % task.buckets
        packed = _packed(records.get(url, {}))
        made.setdefault(bucket, Rows(SEEN)).add(**newest[url], records=packed, is_past=True)
    return made


def _packed(records: Mapping[tuple[str, str], dict[str, str]]) -> str:
    some = [SeenRecord(kind, key, values) for (kind, key), values in records.items()]
    return msgspec.json.encode(some).decode()
