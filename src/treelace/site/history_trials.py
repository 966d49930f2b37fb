"""A correction of columns read over every stored version, before it is kept: which cells change."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treelace.errors import WrapperError
from treelace.site.rebuild import read_with
from treelace.store.plain_tables import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treelace.classes.catalogue import KnownClass
    from treelace.store import Store
    from treelace.tree import Tree

    Rows = dict[object, dict[str, Any]]

SECONDS_BETWEEN_COUNTS = 0.25
"""Between two counts that whoever waits is told."""
MOST_EXAMPLES = 20
"""Cells before and after that are shown."""


@dataclass(frozen=True, slots=True)
class CorrectedCell:
    """A cell of a version before and after a correction."""

    url: str
    version: int
    column: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class HistoryTrial:
    """What a correction changes in the past, as far as it was read: `versions` of `all_versions`.

    By column: cells with another value, cells that come, cells that go. `lost` versions gave
    records and give none any more; `gained` the other way round.
    """

    name: str
    versions: int
    all_versions: int
    pages: int
    cells: int
    changed: Mapping[str, int] = field(default_factory=dict)
    come: Mapping[str, int] = field(default_factory=dict)
    gone: Mapping[str, int] = field(default_factory=dict)
    lost: int = 0
    gained: int = 0
    renamed: int = 0
    examples: tuple[CorrectedCell, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every version was read."""
        return self.versions == self.all_versions

    @property
    def different(self) -> int:
        """Cells that are not what they were."""
        return sum(sum(part.values()) for part in (self.changed, self.come, self.gone))

    def counts(self) -> dict[str, int]:
        """The counts by what they count, for whoever follows."""
        found = {
            "versions read": self.versions,
            "of": self.all_versions,
            "cells": self.cells,
            "cells that change": sum(self.changed.values()),
            "cells that come": sum(self.come.values()),
            "cells that go": sum(self.gone.values()),
            "versions no longer read": self.lost,
        }
        always = ("versions read", "of", "cells", "cells that change")
        return {name: count for name, count in found.items() if count or name in always}

    def __str__(self) -> str:
        read = f"{self.versions:,} versions" if self.is_whole else f"{self.versions:,} versions of"
        rest = "" if self.is_whole else f" {self.all_versions:,}"
        words = [
            f"{sum(part.values()):,} {what} ({', '.join(f'{it}: {n:,}' for it, n in part.items())})"
            for what, part in (("change", self.changed), ("come", self.come), ("go", self.gone))
            if part
        ]
        words += [f"{self.lost:,} versions are no longer read"] * bool(self.lost)
        words += [f"{self.gained:,} versions are read now"] * bool(self.gained)
        said = "; ".join(words) or "none changes its value"
        return f"{self.name}: {read}{rest} read again, {self.cells:,} cells: {said}"

    def text(self) -> str:
        """With some of the cells, for a terminal."""
        lines = [
            f"  {one.url} version {one.version}, {one.column}: {one.old!r} → {one.new!r}"
            for one in self.examples
        ]
        return "\n".join([str(self), *lines])


class _Counts:
    """Counts of what differs, version by version."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        """What each column of before is called now."""
        self.versions = self.cells = self.lost = self.gained = 0
        self.changed: Counter[str] = Counter()
        self.come: Counter[str] = Counter()
        self.gone: Counter[str] = Counter()
        self.examples: dict[tuple[str, str, str], CorrectedCell] = {}

    def add(self, url: str, number: int, before: Rows, after: Rows) -> None:
        """One version, as it was read and as it would be."""
        self.versions += 1
        self.lost += bool(before) and not after
        self.gained += bool(after) and not before
        for node in dict.fromkeys([*before, *after]):
            was = {self.names.get(it, it): one for it, one in before.get(node, {}).items()}
            self._add_row(url, number, was, after.get(node, {}))

    def _add_row(
        self, url: str, number: int, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> None:
        for column in dict.fromkeys([*old, *new]):
            one, other = old.get(column), new.get(column)
            self.cells += one is not None or other is not None
            if one == other:
                continue
            counter = self.come if one is None else self.gone if other is None else self.changed
            counter[column] += 1
            if len(self.examples) < MOST_EXAMPLES:
                cell = CorrectedCell(url, number, column, one, other)
                self.examples.setdefault((column, str(one), str(other)), cell)

    def trial(self, name: str, pages: int, total: int) -> HistoryTrial:
        """What was counted so far."""
        return HistoryTrial(
            name,
            self.versions,
            total,
            pages,
            self.cells,
            dict(self.changed),
            dict(self.come),
            dict(self.gone),
            self.lost,
            self.gained,
            sum(one != other for one, other in self.names.items()),
            tuple(self.examples.values()),
        )


def try_history(
    store: Store,
    old: Sequence[KnownClass],
    new: Sequence[KnownClass],
    names: Mapping[str, str],
    *,
    seconds: float | None = None,
    on_count: Callable[[HistoryTrial], None] | None = None,
) -> HistoryTrial:
    """Reads every version of a class's pages by its columns of now and by new ones; `names` says
    what a column of before is called. Each class comes with its earlier wrappers behind it.

    Stops after so many `seconds` of computing; `on_count` hears of the counts from time to time.
    """
    known = old[0]
    members = store.classes.members(known.id)
    total = store.classes.version_count(known.id)
    counts = _Counts(names)
    start, told = time.thread_time(), time.monotonic()
    for url in members:
        for number, body in store.bodies(url):
            counts.add(url, number, _rows(old, body.tree, url), _rows(new, body.tree, url))
            if seconds is not None and time.thread_time() - start > seconds:
                return counts.trial(known.name, len(members), total)
            now = time.monotonic()
            if on_count is not None and now - told > SECONDS_BETWEEN_COUNTS:
                told = now
                on_count(counts.trial(known.name, len(members), total))
    done = counts.trial(known.name, len(members), total)
    if on_count is not None:
        on_count(done)
    return done


def _rows(classes: Sequence[KnownClass], tree: Tree, url: str) -> Rows:
    """The cells of the first table of a version, by the node of their record; none where nothing
    reads it.
    """
    try:
        tables = read_with(classes, tree, url)
    except WrapperError:
        return {}
    found: Rows = {}
    for table in (tables or ())[:1]:
        names = [column.name for column in table.columns]
        for number, values in enumerate(rows_of(table)):
            roots = table.records[number] if table.records else ()
            place: object = roots[0].index if roots else (number,)
            place = (place, number) if place in found else place
            found[place] = {name: values[name] for name in names}
    return found
