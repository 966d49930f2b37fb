"""From records and the column of each item to a Table: cells that read as text, with links, images,
names and places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from treelace.extract.cells.cell import Cell, Grid, ReadCells
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.locales.locale import Locale, locale_of
from treelace.extract.table import Column, Table
from treelace.extract.types.typed import stated
from treelace.extract.types.values import column_type, column_values
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Node

if TYPE_CHECKING:
    from treelace.extract.page.page_view import PageView
    from treelace.extract.types.values import Value


class Region(NamedTuple):
    """Records of one part of a page: for each its root nodes, in document order; and how sure it
    is.
    """

    records: tuple[tuple[int, ...], ...]
    confidence: float


class Slots(NamedTuple):
    """Which items (text nodes and images) of which record stand in which column.

    Slot s holds, for record `record[s]` and column `column[s]`, the items `nodes[end[s -
    1]:end[s]]`; no slot is empty.
    """

    record: list[int]
    column: list[int]
    end: list[int]
    nodes: list[int]

    @classmethod
    def of(cls, columns: Sequence[Mapping[int, Sequence[int]]]) -> Slots:
        """The slots of records that have, for each column number, their items."""
        made = cls([], [], [], [])
        for record, row in enumerate(columns):
            for number, items in row.items():
                if items:
                    made.record.append(record)
                    made.column.append(number)
                    made.nodes.extend(items)
                    made.end.append(len(made.nodes))
        return made

    def items(self, slot: int) -> list[int]:
        """The items of one slot."""
        return self.nodes[self.end[slot - 1] if slot else 0 : self.end[slot]]


def build_table(
    view: PageView,
    region: Region,
    columns: Sequence[Mapping[int, Sequence[int]]] | Callable[[], Slots],
    *,
    names: Sequence[str] | None = None,
) -> Table:
    """The table of a region. `columns[r]` gives, for record r, the items (text nodes and images) of
    each column number; or a function gives the slots, when the table is first looked at.

    Columns come in the order of their numbers, those that no record fills are left out, and their
    names are made from what the page calls them unless `names` are given. Columns and cells are
    made at the first look, types and values when they are asked for.
    """
    parts = _Parts(
        view, region.records, columns if callable(columns) else lambda: Slots.of(columns), names
    )
    place = view.core.place(region.records[0][0], region.records[-1][-1])
    records = LazyTuple(
        lambda: (tuple(Node(view.tree, root) for root in roots) for roots in region.records),
        size=len(region.records),
    )
    cells = Grid(lambda: parts.read, lambda: parts.places, size=len(region.records))
    return Table(LazyTuple(lambda: parts.heads), cells, place, region.confidence, records)


@dataclass(frozen=True, eq=False)
class _Parts:
    """What a table is made of, made step by step as it is asked for."""

    view: PageView
    records: tuple[tuple[int, ...], ...]
    line_up: Callable[[], Slots]
    names: Sequence[str] | None

    @cached_property
    def slots(self) -> Slots:
        return self.line_up()

    @cached_property
    def places(self) -> dict[int, int]:
        """The place of each column number that is used."""
        return {number: place for place, number in enumerate(sorted(set(self.slots.column)))}

    @cached_property
    def read(self) -> ReadCells:
        """What stands in the slots."""
        cells = self.view.core.cells(self.records, self.slots, DEFAULT_LIMITS)
        return ReadCells(self.view, self.slots.record, self.slots.column, cells, self._values)

    @cached_property
    def locale(self) -> Locale:
        return Locale(self.view.language) if self.view.language else locale_of(self.view.tree)

    @cached_property
    def stated(self) -> dict[int, tuple[str, Sequence[Value]]]:
        """Type and values of the columns whose `time` elements say them."""
        if not self.view.has_times:
            return {}
        made = {
            column: stated([Cell.of(self.read, slot) for slot in slots])
            for column, slots in self.read.slots_of.items()
        }
        return {column: found for column, found in made.items() if found is not None}

    @cached_property
    def kinds(self) -> dict[int, str]:
        """The type of each column."""
        return {number: self._kind(number) for number in self.places}

    def _kind(self, number: int) -> str:
        if number in self.stated:
            return self.stated[number][0]
        if all(map(self.read.is_image, self.read.slots_of[number])):
            return "image"
        return column_type(self.read.column_texts(number), locale=self.locale)

    def _values(self, number: int, texts: Sequence[str]) -> Sequence[Value]:
        return (
            self.stated[number][1]
            if number in self.stated
            else column_values(texts, self.kinds[number], locale=self.locale)
        )

    @cached_property
    def heads(self) -> list[Column]:
        """The columns."""
        from treelace.extract.columns.naming import column_names

        if self.names is None:
            items: list[list[Sequence[int]]] = [[()] * len(self.records) for _ in self.places]
            for slot, (record, number) in enumerate(
                zip(self.slots.record, self.slots.column, strict=True)
            ):
                items[self.places[number]][record] = self.slots.items(slot)
            names: Sequence[str] = column_names(
                self.view, self.records, items, [self.kinds[number] for number in self.places]
            )
        else:
            names = [self.names[number] for number in self.places]
        return [
            Column(name, self.kinds[number])
            for name, number in zip(names, self.places, strict=True)
        ]
