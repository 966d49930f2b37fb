"""Read: the pages of a split again, each with the wrapper of its class; and what they say.

Batches carry bytes and results, no trees: a page is parsed a second time here. Tasks are splits of
the input, so that a host with a million pages is read by as many tasks as its pages fill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from treelace._kernel import Features
from treelace.bulk.archives import pages_of
from treelace.bulk.datasets import PAGES, PROBLEMS, RECORDS, Rows, from_parquet
from treelace.bulk.digest import POISON, write_problems
from treelace.bulk.gather import joined_file
from treelace.bulk.group import NO_CLASS, NUMBERS, copies_file, numbers_file, repeats_file
from treelace.bulk.learn import Kind, classes_file
from treelace.bulk.model import EVERY_HOST, Done, Task, number_of
from treelace.bulk.reading import (
    Problems,
    as_rows,
    class_of_row,
    digest_file,
    rows_of,
    sketch_file,
)
from treelace.bulk.seen import GONE, SEEN, cells, seen_file, seen_row
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.bulk.wide import WideRows
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.drift import read_page
from treelace.classes.pages import Fetched
from treelace.errors import LimitError, TreelaceError, WrapperError
from treelace.limits import Limits
from treelace.site.pipeline import parse
from treelace.store.body import Body
from treelace.store.keys import NODE
from treelace.store.plain_tables import PlainTable, plain_tables
from treelace.store.record_kinds import RecordKind
from treelace.store.record_rows import RecordRow, record_rows


@dataclass(frozen=True, slots=True)
class ReadClass:
    """A class with the kinds of its records."""

    host: str
    known: KnownClass
    kinds: tuple[Kind, ...]

    @property
    def name(self) -> str:
        """What it is called in all data sets: its host and its name."""
        return f"{self.host}/{self.known.name}"


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A record of a page: the name of its kind, its row, its node, and the types of its columns."""

    kind: str
    row: RecordRow
    node: int
    types: Mapping[str, str]


def read_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The pages of a split with their classes, and their records, long and wide."""
    split = task.split
    assert split is not None
    problems = Problems("read", Rows(PROBLEMS))
    known, limits = Known(task, storage), task.bounds
    pages, records = Rows(PAGES), Rows(RECORDS)
    wide = WideRows()
    seen: dict[int, Rows] = {}
    for number, (_, page) in enumerate(pages_of(split, limits=limits, on_trouble=lambda _: None)):
        row = known.rows.get(number)
        if row is None:
            continue
        found = known.class_of(row)
        shown: list[ReadRecord] = []
        if why := watch.at(f"page {number}"):
            problems.add(page.url, POISON, why)
        elif found is not None and found.known.wrapper is not None:
            shown = _shown(page, found, limits, problems)
        name = None if found is None else found.name
        pages.add(**{**row, "sketch": known.sketches.get(number), "class": name})
        for record in shown:
            _add_record(records, record, row, name)
            wide.add(record, row, found)
        is_compared = page.is_page or page.status in GONE
        if is_compared and (task.since or number_of(page.url) in known.repeats):
            bucket = number_of(page.url) % task.buckets
            seen.setdefault(bucket, Rows(SEEN)).add(**seen_row(row, name, shown))
    files = [storage.write(f"pages/part-{task.name}.parquet", pages.to_parquet())]
    files.append(storage.write(f"records/part-{task.name}.parquet", records.to_parquet()))
    files += wide.write(storage, task.name)
    files += [storage.write(seen_file(it, task.name), seen[it].to_parquet()) for it in seen]
    files += write_problems(problems, storage, task)
    counts = {"pages": len(pages), "records": wide.count}
    return Done.of(task, files, counts, problems.counts, buckets=seen)


class Known:
    """What earlier stages know of the pages of a split."""

    def __init__(self, task: Task, storage: Storage) -> None:
        part = task.parts[0]
        self.rows: dict[int, dict[str, Any]] = {}
        self.sketches: dict[int, bytes] = {}
        self.repeats: set[int] = set()
        self._numbers: dict[int, int] = {}
        self._shared: dict[str, int] = {}
        self._classes: dict[str, dict[int, ReadClass]] = {}
        self._catalogues: dict[str, Catalogue] = {}
        for bucket, group, classes in zip(task.chosen, task.groups, task.classes, strict=True):
            self._load_rows(storage, bucket, part)
            numbers = from_parquet(storage.read(numbers_file(group)))
            for its, row, number in zip(*(numbers[it] for it in NUMBERS), strict=True):
                if its == part:
                    self._numbers[row] = number
            columns = from_parquet(storage.read(repeats_file(group)))
            self.repeats.update(columns["number"])
            for row in as_rows(from_parquet(storage.read(copies_file(group)))):
                if row["part"] == part:
                    self.rows.pop(row["row"], None)
            self._load_classes(storage, classes, {row["host"] for row in self.rows.values()})
        if task.shared:
            gathered, classes = task.shared
            here = {row["url"] for row in self.rows.values()}
            for row in rows_of(storage, joined_file(gathered)):
                if row["url"] in here:
                    self._shared[row["url"]] = row["number"]
            self._load_classes(storage, classes, {EVERY_HOST} if self._shared else set())

    def _load_rows(self, storage: Storage, bucket: int, part: str) -> None:
        self.rows.update(
            (row["row"], row)
            for row in as_rows(from_parquet(storage.read(digest_file(bucket, part))))
        )
        if any(row["is_sketched"] for row in self.rows.values()):
            try:
                columns = from_parquet(storage.read(sketch_file(bucket, part)))
            except FileNotFoundError:  # no page of this bucket could be sketched
                return
            self.sketches.update(zip(columns["row"], columns["sketch"], strict=True))

    def _load_classes(self, storage: Storage, part: str, hosts: Set[str]) -> None:
        for row in as_rows(from_parquet(storage.read(classes_file(part)))):
            if row["host"] in hosts:
                kinds = msgspec.json.decode(row["kinds"], type=tuple[Kind, ...])
                here = self._classes.setdefault(row["host"], {})
                here[row["number"]] = ReadClass(row["host"], class_of_row(row), kinds)

    def class_of(self, row: Mapping[str, Any]) -> ReadClass | None:
        """The class of a page: where it was clustered, by that; else by its looks; else the class
        of all hosts that it was gathered into.
        """
        here = self._classes.get(row["host"], {})
        number = self._numbers.get(row["row"])
        if number is None and here and row["row"] in self.sketches:
            host = row["host"]
            if host not in self._catalogues:
                self._catalogues[host] = Catalogue(one.known for one in here.values())
            seen = self._catalogues[host].verdict(Features.from_bytes(self.sketches[row["row"]]))
            number = None if seen is None else seen.label
        if number not in (None, NO_CLASS):
            return here.get(int(number))
        shared = self._shared.get(row["url"])
        return None if shared is None else self._classes[EVERY_HOST].get(shared)


def _shown(page: Fetched, of: ReadClass, limits: Limits, problems: Problems) -> list[ReadRecord]:
    """The records of a page; none, and a line, where its wrapper does not know it."""
    try:
        tree = parse(page, limits).tree
        tables = plain_tables(read_page(of.known, tree, page.url) or (), Body.first(tree))
    except WrapperError as error:
        problems.add(page.url, "drift", f"{of.name}: {error}")
        return []
    except TreelaceError as error:
        problems.add(page.url, "limit" if isinstance(error, LimitError) else "read", error)
        return []
    except Exception as error:  # noqa: BLE001 (one bad page ends nothing)
        problems.add(page.url, "read", f"{type(error).__name__}: {error}")
        return []
    return list(_records(tables, of, page.url))


def _records(tables: Sequence[PlainTable], of: ReadClass, url: str) -> Iterator[ReadRecord]:
    for number, table in enumerate(tables):
        kind = of.kinds[number] if number < len(of.kinds) else Kind(dict(table.types), (NODE,))
        name = of.name if number == 0 else f"{of.name}-{number + 1}"
        numbered = replace(
            table, rows=tuple(replace(row, node=at) for at, row in enumerate(table.rows, 1))
        )  # a node has no identity over captures here: the place of the record stands for it
        nodes = [row.node for row in table.rows]
        as_stored = RecordKind(0, name, of.known.name, kind.key, True, kind.columns)
        for row in record_rows(numbered, as_stored, url).values():
            types = {column: kind.columns.get(column, table.types[column]) for column in row.values}
            yield ReadRecord(name, row, nodes[row.node - 1], types)


def _add_record(
    records: Rows, record: ReadRecord, page: Mapping[str, Any], name: str | None
) -> None:
    """A line for each value of a record; the words of a typed value stand beside it."""
    nodes = record.row.nodes
    for cell in cells(record.row.values):
        is_number = isinstance(cell.value, int | float)
        owner = next((it for it in (cell.column, *_owners(cell.column)) if it in nodes), None)
        records.add(
            **{"class": name, "records": record.kind, "type": record.types[cell.column]},
            host=page["host"],
            key=record.row.key,
            column=cell.column,
            value=None if cell.value is None else str(cell.value),
            number=float(cell.value) if is_number else None,
            text=cell.text,
            page=page["url"],
            time=page["time"],
            node=record.node if owner is None else nodes[owner],
        )


def _owners(column: str) -> Iterator[str]:
    for ending in (" link", " currency", " high", " text"):
        if column.endswith(ending):
            yield column.removesuffix(ending)
