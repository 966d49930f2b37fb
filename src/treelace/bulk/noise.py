"""Noise: columns that change in nearly every record, as the loop knows them, marked in `changes`.

Whether a column is noise is seen on all pages of a kind, and these are in many buckets: each bucket
counts (*compare*), one task adds up (*tally*), and each bucket marks its changes (*mark*).
"""

from __future__ import annotations

import msgspec

from treelace.bulk.datasets import CHANGES, NOISE, Columns, Rows
from treelace.bulk.model import Done, Task
from treelace.bulk.reading import rows_of
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.monitor.noise import ColumnChanges

LOOKS: Columns = {"kind": "text", "seen": "integer", "filled": "integer", "changed": "text"}
"""Records of a kind that were seen again, and how many of them changed each column, as JSON."""
EVERYWHERE = "changed in nearly every record"


def found_file(part: str) -> str:
    """Where the changes of a bucket are before they are marked."""
    return f"work/changes/{part}.parquet"


def looks_file(part: str) -> str:
    """Where it stands how often the columns of a bucket changed."""
    return f"work/looks/{part}.parquet"


def noise_file(part: str) -> str:
    """Where the columns are that are noise."""
    return f"noise/part-{part}.parquet"


def to_looks(counts: ColumnChanges) -> Rows:
    """How often the columns of a bucket changed, as rows."""
    changed: dict[str, dict[str, int]] = {}
    for (kind, column), count in sorted(counts.changed.items()):
        changed.setdefault(kind, {})[column] = count
    made = Rows(LOOKS)
    for kind in sorted(counts.seen):
        packed = msgspec.json.encode(changed.get(kind, {})).decode()
        made.add(kind=kind, seen=counts.seen[kind], filled=counts.filled[kind], changed=packed)
    return made


def tally_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The columns that changed in nearly every record of their kind, over all buckets."""
    counts = ColumnChanges()
    for part in task.parts:
        watch.at(part)
        for row in rows_of(storage, looks_file(part)):
            kind = row["kind"]
            counts.seen[kind] += row["seen"]
            counts.filled[kind] = max(counts.filled[kind], row["filled"])
            for column, count in msgspec.json.decode(row["changed"], type=dict[str, int]).items():
                counts.changed[kind, column] += count
    made = Rows(NOISE)
    for kind in sorted({kind for kind, _ in counts.changed}):
        for column in sorted(counts.noise(kind)):
            changed = counts.changed[kind, column]
            made.add(records=kind, column=column, seen=counts.seen[kind], changed=changed)
    file = storage.write(noise_file(task.name), made.to_parquet())
    return Done.of(task, [file], {"noise": len(made)})


def mark_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The changes of a bucket, each with the reason where it is noise."""
    watch.at("changes")
    (found, tally), made = task.parts, Rows(CHANGES)
    columns = {(row["records"], row["column"]) for row in rows_of(storage, noise_file(tally))}
    for row in rows_of(storage, found_file(found)):
        if row["what"] == "changed" and (row["records"], row["column"]) in columns:
            row["noise"] = row["noise"] or EVERYWHERE
        made.add(**row)
    file = storage.write(f"changes/part-{task.name}.parquet", made.to_parquet())
    return Done.of(task, [file], {"changes": len(made)})
