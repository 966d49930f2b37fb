"""Group: which pages of a host are of one kind, by the pipeline's own clustering.

A task has the hosts of one bucket. It never holds all pages of a large host: of those with more
pages than are clustered in one go it keeps a sample, taken again whenever it has grown; the other
pages join the classes when they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treelace._kernel import Features
from treelace.bulk.datasets import PROBLEMS, Columns, Rows, from_parquet
from treelace.bulk.digest import POISON, write_problems
from treelace.bulk.model import Done, Task, number_of
from treelace.bulk.past import recalled_file
from treelace.bulk.reading import (
    Problems,
    as_rows,
    class_of_row,
    digest_file,
    rows_of,
    sketch_file,
    trees_of,
)
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.examples import spread
from treelace.classes.learning import learn
from treelace.classes.proposals import MOST_PAGES, alike_pages, pages_to_read, sample
from treelace.classes.shared_template import join_templates
from treelace.errors import TreelaceError
from treelace.limits import Limits
from treelace.wrappers.model.page_reader import reads_one_record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_WAITING = 4 * MOST_PAGES
"""Pages of a host that wait to be sampled."""
MOST_LEFTOVER = 20
"""Pages of a host that are of no class and are compared with those of other hosts."""
NO_CLASS = -1

MEMBERS: Columns = {
    "host": "text",
    "number": "integer",
    "url": "text",
    "part": "text",
    "row": "integer",
    "time": "integer",
    "source": "text",
    "kind": "text",
    "at": "integer",
    "window": "text",
    "sketch": "bytes",
}
"""Pages of classes, by host and class; those left over have the number −1."""
NUMBERS: Columns = {"part": "text", "row": "integer", "number": "integer"}
"""The class of every sampled page of a bucket; a page of no class has the number −1."""
CLASSES_A_FILE = 4
"""Classes whose pages are written together: those that one task learns, which reads no others."""
REPEATS: Columns = {"number": "integer"}
"""Addresses that were captured more than once, as numbers."""
COPIES: Columns = {"part": "text", "row": "integer"}
"""Pages that are there a second time, from the same moment and with the same bytes."""

Sampled = dict[str, dict[str, dict[str, Any]]]
"""Rows by host and address."""


def numbers_file(part: str) -> str:
    """Where it stands which class each sampled page of a bucket has."""
    return f"work/numbers/{part}.parquet"


def members_file(part: str, first: int) -> str:
    """Where the pages of some classes are, with their sketches: of `CLASSES_A_FILE` from this."""
    return f"work/members/{part}/{first}.parquet"


def repeats_file(part: str) -> str:
    """Where the addresses are that have several captures."""
    return f"work/repeats/{part}.parquet"


def copies_file(part: str) -> str:
    """Where the copies are."""
    return f"work/copies/{part}.parquet"


def leftover_file(part: str) -> str:
    """Where the pages are that are of no class of their host, with their sketches."""
    return f"work/leftover/{part}.parquet"


def group_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The classes of the hosts of one bucket."""
    problems = Problems("group", Rows(PROBLEMS))
    sampled, repeats, copies = _sampled(task, storage)
    sketches = _sketches(task, storage, sampled)
    past = recalled_classes(task, storage)
    members, numbers, leftover = Members(task, storage), Rows(NUMBERS), Rows(MEMBERS)
    for host in sorted(sampled):
        pages = sampled[host]
        first = 0
        if host in past:
            first = 1 + max(one.id for one in past[host])
            pages = _of_no_class(pages, sketches.get(host, {}), Catalogue(past[host]))
        known = {url: sketches[host][url] for url in pages if url in sketches.get(host, {})}
        if why := watch.at(f"host {host}"):
            problems.add(host, POISON, why)
            clusters: list[list[str]] = []
        else:
            clusters = _clusters(known, pages, task.bounds)
        number_by_url = {url: at for at, some in enumerate(clusters, first) for url in some}
        for number, some in enumerate(clusters, first):
            members.add(
                {**pages[url], "number": number, "sketch": known[url].to_bytes()}
                for url in sorted(some)
            )
        for url in sorted(pages):
            numbers.add(**pages[url], number=number_by_url.get(url, NO_CLASS))
        if task.is_across:
            for url in spread([url for url in known if url not in number_by_url], MOST_LEFTOVER):
                leftover.add(**pages[url], number=NO_CLASS, sketch=known[url].to_bytes())
        sketches.pop(host, None)  # all that is needed of them is written
    files = members.close()
    files.append(storage.write(numbers_file(task.name), numbers.to_parquet()))
    if task.is_across:
        files.append(storage.write(leftover_file(task.name), leftover.to_parquet()))
    rows = Rows(REPEATS)
    rows.values["number"] = repeats
    files.append(storage.write(repeats_file(task.name), rows.to_parquet()))
    twice = Rows(COPIES)
    for part, row in copies:
        twice.add(part=part, row=row)
        problems.add(f"{part}, page {row}", "duplicate", "the same page of the same moment again")
    files.append(storage.write(copies_file(task.name), twice.to_parquet()))
    files += write_problems(problems, storage, task)
    counts = {"hosts": len(sampled), "classes": len(members.sizes)}
    return Done.of(task, files, counts, problems.counts, sizes=members.sizes)


class Members:
    """Writes the pages of classes, a few classes a file, and holds no more of them than that."""

    def __init__(self, task: Task, storage: Storage) -> None:
        self._task, self._storage = task, storage
        self._rows = Rows(MEMBERS)
        self._files: list[str] = []
        self.sizes: list[int] = []
        """The pages of each class."""

    def add(self, pages: Iterable[Mapping[str, Any]]) -> None:
        """The pages of one more class."""
        before = len(self._rows)
        for row in pages:
            self._rows.add(**row)
        self.sizes.append(len(self._rows) - before)
        if len(self.sizes) % CLASSES_A_FILE == 0:
            self._write()

    def close(self) -> list[str]:
        """Writes what is left; the names of all files."""
        if len(self._rows):
            self._write()
        return self._files

    def _write(self) -> None:
        first = (len(self.sizes) - 1) // CLASSES_A_FILE * CLASSES_A_FILE
        name = members_file(self._task.name, first)
        self._files.append(self._storage.write(name, self._rows.to_parquet()))
        self._rows = Rows(MEMBERS)


def recalled_classes(task: Task, storage: Storage) -> dict[str, list[KnownClass]]:
    """The classes that the hosts of a bucket had in the run before, by host."""
    found: dict[str, list[KnownClass]] = {}
    for part in task.past:
        for row in rows_of(storage, recalled_file(task.bucket, part)):
            found.setdefault(row["host"], []).append(class_of_row(row))
    return found


def _of_no_class(
    pages: Mapping[str, dict[str, Any]], sketches: Mapping[str, Features], past: Catalogue
) -> dict[str, dict[str, Any]]:
    """The pages that no class of the run before takes; the others are read by theirs."""
    return {
        url: row
        for url, row in pages.items()
        if url not in sketches
        or (seen := past.verdict(sketches[url])) is None
        or seen.label is None
    }


def _clusters(
    sketches: Mapping[str, Features], pages: Mapping[str, Mapping[str, Any]], limits: Limits
) -> list[list[str]]:
    def is_one_record(members: Sequence[str]) -> bool:
        urls = pages_to_read(members)
        trees = trees_of([pages[url] for url in urls], limits=limits)
        wrapper, _ = learn([trees[url] for url in urls], urls, members)
        return reads_one_record(wrapper)

    return join_templates(alike_pages(sketches), sketches, is_one_record)


def _sampled(task: Task, storage: Storage) -> tuple[Sampled, list[int], list[tuple[str, int]]]:
    """Pages to cluster, by host and address, the newest capture of each; the addresses that have
    several captures; and the copies.
    """
    import numpy as np

    found: Sampled = {}
    addresses: list[NDArray[np.int64]] = []
    captures: list[NDArray[np.int64]] = []
    places: list[tuple[str, int]] = []
    for part in task.parts:
        columns = from_parquet(storage.read(digest_file(task.bucket, part)))
        addresses.append(np.array([number_of(url) for url in columns["url"]], dtype=np.int64))
        facts = zip(columns["url"], columns["time"], columns["digest"], strict=True)
        captures.append(np.array([number_of(f"{a} {b} {c}") for a, b, c in facts], dtype=np.int64))
        places.append((part, len(columns["url"])))
        for row in as_rows(columns):
            if row["is_sketched"]:
                _keep_newest(found.setdefault(row["host"], {}), {**row, "part": part})
        for host in sorted(set(columns["host"])):
            if len(found.get(host, ())) > MOST_WAITING:
                found[host] = _fewer(found[host])
    kept = {host: _fewer(pages) for host, pages in found.items()}
    copies = _copies(captures, places, task, storage)
    gone = set(copies)
    kept = {
        host: {url: row for url, row in pages.items() if (row["part"], row["row"]) not in gone}
        for host, pages in kept.items()
    }
    every = np.concatenate(addresses) if addresses else np.zeros(0, dtype=np.int64)
    numbers, counts = np.unique(every, return_counts=True)
    return kept, numbers[counts > 1].tolist(), copies


def _keep_newest(pages: dict[str, dict[str, Any]], row: dict[str, Any]) -> None:
    """Keeps the newest capture of an address; of two of one moment, that with the lesser digest,
    and of two copies the first.
    """
    old = pages.get(row["url"])
    if (
        old is None
        or row["time"] > old["time"]
        or (row["time"] == old["time"] and row["digest"] < old["digest"])
    ):
        pages[row["url"]] = row


def _fewer(pages: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {url: pages[url] for url in sample(sorted(pages))}


def _copies(
    captures: Sequence[NDArray[np.int64]],
    places: Sequence[tuple[str, int]],
    task: Task,
    storage: Storage,
) -> list[tuple[str, int]]:
    """The captures that an earlier split has already."""
    import numpy as np

    if not captures:
        return []
    every = np.concatenate(captures)
    _, first = np.unique(every, return_index=True)
    if len(first) == len(every):
        return []
    again = np.ones(len(every), dtype=bool)
    again[first] = False
    found, start = [], 0
    for part, count in places:
        inside = np.flatnonzero(again[start : start + count]).tolist()
        if inside:
            rows = from_parquet(storage.read(digest_file(task.bucket, part)), ["row"])["row"]
            found += [(part, rows[at]) for at in inside]
        start += count
    return found


def _sketches(task: Task, storage: Storage, sampled: Sampled) -> dict[str, dict[str, Features]]:
    """The sketches of the sampled pages, read split by split."""
    wanted: dict[str, dict[int, tuple[str, str]]] = {}
    for host, pages in sampled.items():
        for url, row in pages.items():
            wanted.setdefault(row["part"], {})[row["row"]] = (host, url)
    found: dict[str, dict[str, Features]] = {}
    for part, rows in wanted.items():
        columns = from_parquet(storage.read(sketch_file(task.bucket, part)))
        for row, sketch in zip(columns["row"], columns["sketch"], strict=True):
            if row in rows:
                host, url = rows[row]
                try:
                    found.setdefault(host, {})[url] = Features.from_bytes(sketch)
                except TreelaceError:
                    continue
    return found
