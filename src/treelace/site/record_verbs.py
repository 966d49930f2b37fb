"""The tables of a site: records, rebuild, sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, overload

from treelace.errors import UsageError
from treelace.named import unique_names
from treelace.site.base import SiteBase
from treelace.site.listings import KindList, fitted, iso_time, local_time, write_rows
from treelace.site.results import Rebuilt
from treelace.store.query import query
from treelace.store.record_table import RecordTable

if TYPE_CHECKING:
    from treelace.site.rebuild import Progress
    from treelace.store.record_kinds import RecordKind

_TIMES = ("valid_from", "valid_to")
_WIDTH = 120
"""Characters of a line where there is no terminal that says better."""


class RecordVerbs(SiteBase):
    """Records, today and in the past."""

    @overload
    def records(self, name: None = None) -> KindList: ...
    @overload
    def records(
        self,
        name: str,
        *,
        at: datetime | None = None,
        since: datetime | None = None,
        history: bool = False,
    ) -> RecordTable: ...
    def records(
        self,
        name: str | None = None,
        *,
        at: datetime | None = None,
        since: datetime | None = None,
        history: bool = False,
    ) -> RecordTable | KindList:
        """The records of a kind as a table: those of today, of a time, or all there ever were with
        the times they were valid; of these only what came or changed `since` a time. Without a
        name, the kinds there are.
        """
        if name is None:
            return KindList(tuple(self.store.records.kinds()))
        table = self.store.records.table(name, at=at, history=history)
        if since is None:
            return table
        at_time = table.heads.index("valid_from")
        return replace(table, values=tuple(row for row in table.values if row[at_time] >= since))

    def kind(self, name: str) -> RecordKind:
        """A kind of records by its name, or by that of its class, with its columns and types."""
        return self.store.records.kind(name)

    def sql(
        self, statement: str, *, at: datetime | None = None, most: int | None = None
    ) -> RecordTable:
        """The answer to one SELECT over the site's tables: each kind of record has a view of its
        own, and `<kind>_history` for all time. With `at`, every kind is as it was then; with
        `most`, only so many rows are read.
        """
        with query(self.store, statement, at=at) as (heads, found):
            return RecordTable("answer", tuple(heads), tuple(map(tuple, islice(found, most))))

    def rebuild(
        self,
        name: str,
        *,
        key: Sequence[str] | None = None,
        wait: bool = False,
        progress: Progress | None = None,
    ) -> Rebuilt:
        """Builds the records of a kind anew from every version, with the wrapper of today.

        `key` sets the columns that identify a record; an empty one lets them be chosen, by
        uniqueness and stability over the versions. One transaction: the old records are there until
        the new ones are.
        """
        from treelace.site.rebuild import choose_key, rebuild

        kind = self.store.records.kind(name)
        with self.store.writer(wait=wait):
            if kind.page_class is None:
                raise UsageError(f"{name} belongs to no class, so nothing says how to build it")
            known = self.page_classes.known(kind.page_class)
            if known.reader is None:
                raise UsageError(f"the class {known.name} has no wrapper")
            members = self.store.classes.members(known.id)
            if key is not None and not key:
                key = choose_key(self.store, kind, known.reader, members)
            with self.store.writing() as transaction:
                if key:
                    transaction.records.set_key(name, key)
                transaction.records.clear(name)
                count = rebuild(
                    transaction,
                    self.store,
                    known,
                    members,
                    earlier=self.page_classes.lineage(known.name)[1:],
                    only=kind.name,
                    progress=progress,
                )
        return Rebuilt(name, count, self.store.records.kind(name).key)


def write_records(table: RecordTable, form: str, *, is_wide: bool = False) -> str | bytes:
    """Records in a form of `write_table`; keys, links and price parts only if `is_wide`."""
    show = local_time if form == "table" else iso_time
    rows = [
        tuple(
            show(value) if head in _TIMES and value is not None else value
            for head, value in zip(table.heads, row, strict=True)
        )
        for row in table.values
    ]
    if form == "table" and not is_wide:
        heads, shown = for_people(table.heads, rows)
        return write_table(*fitted(heads, shown, get_terminal_size((_WIDTH, 24)).columns), form)
    return write_table(table.heads, rows, form)


def write_table(heads: Sequence[str], rows: Sequence[Sequence[Any]], form: str) -> str | bytes:
    """Rows as `table`, `csv`, `json`, `jsonl` or `parquet`."""
    if form == "parquet":
        from treelace.extract.outputs.writers import to_parquet

        return to_parquet(RecordTable("records", tuple(heads), tuple(map(tuple, rows))).columns)
    plain = [
        [value.hex() if isinstance(value, bytes | memoryview) else value for value in row]
        for row in rows
    ]
    return write_rows(plain, unique_names(heads), form)


def for_people(
    heads: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Records for people: values as written, without keys, links, places and parts of prices.

    >>> heads = ["key", "title", "title link", "price", "price currency", "price text", "page"]
    >>> for_people(heads, [("/1", "Tea", "/1", 3.2, "€", "€3.20", "/")])
    (['title', 'price'], [('Tea', '€3.20')])
    """
    from treelace.extract.types import companion_names

    known = set(heads)
    hidden = {"key", "page", "version", "node"}
    for head in heads:
        hidden |= known & {f"{head} {part}" for part in companion_names()}
    shown = {
        head: f"{head} text" if f"{head} text" in known else head
        for head in heads
        if head not in hidden
    }
    if not shown.keys() - set(_TIMES):
        return list(heads), list(rows)
    at = [heads.index(source) for source in shown.values()]
    return list(shown), [tuple(row[number] for number in at) for row in rows]
