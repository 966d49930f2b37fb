"""From records and the column of each item to a Table: cells that read as text, with links, images, names and places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from treelace.extract.lazy import Lazy
from treelace.extract.locales import Locale, locale_of
from treelace.extract.table import Cell, Column, Item, Table
from treelace.extract.typed import kind_and_values, typed
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Node

if TYPE_CHECKING:
    from treelace.extract.view import PageView


class Region(NamedTuple):
    """Records of one part of a page: for each its root nodes, in document order; and how sure it is."""

    records: tuple[tuple[int, ...], ...]
    confidence: float


class Slots(NamedTuple):
    """Which items (text nodes and images) of which record stand in which column.

    Slot s holds, for record `record[s]` and column `column[s]`, the items `nodes[end[s - 1]:end[s]]`; no slot is empty.
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


def assemble(
    view: PageView,
    region: Region,
    columns: Sequence[Mapping[int, Sequence[int]]] | Callable[[], Slots],
    *,
    names: Sequence[str] | None = None,
) -> Table:
    """The table of a region. `columns[r]` gives, for record r, the items (text nodes and images) of each column number; or a function gives
    the slots, when the table is first looked at.

    Columns come in the order of their numbers, those that no record fills are left out, and their names are made from what the page
    calls them unless `names` are given. Columns and cells are made at the first look.
    """
    parts = _Parts(view, region.records, columns if callable(columns) else lambda: Slots.of(columns), names)
    place = view.core.place(region.records[0][0], region.records[-1][-1])
    records = Lazy(lambda: (tuple(Node(view.tree, root) for root in roots) for roots in region.records), size=len(region.records))
    return Table(Lazy(lambda: parts.heads), Lazy(lambda: parts.rows, size=len(region.records)), place, region.confidence, records)


_KINDS: tuple[Literal["text", "link", "image"], ...] = ("text", "link", "image")
"""The kinds of items by the kernel's numbers."""


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
    def numbers(self) -> list[int]:
        """The column numbers that are used."""
        return sorted(set(self.slots.column))

    @cached_property
    def typed(self) -> list[tuple[str, list[Cell | None]]]:
        """For each column its type and its cells."""
        view, slots = self.view, self.slots
        locale = Locale(view.language) if view.language else locale_of(view.tree)
        columns: dict[int, list[tuple[int, _Read]]] = {number: [] for number in self.numbers}
        for record, number, read in zip(slots.record, slots.column, _read(view, self.records, slots), strict=True):
            columns[number].append((record, read))
        return [self._column(parts, locale) for parts in columns.values()]

    def _column(self, parts: list[tuple[int, _Read]], locale: Locale) -> tuple[str, list[Cell | None]]:
        if self.view.has_times:
            kind, filled = typed([Cell(*read) for _, read in parts], locale)
        else:
            are_images = all(item.kind != "text" for _, (_, _, items) in parts for item in items)
            kind, values = kind_and_values([text for _, (text, _, _) in parts], locale, are_images=are_images)
            filled = [Cell(text, node, items, value) for (_, (text, node, items)), value in zip(parts, values, strict=True)]
        cells: list[Cell | None] = [None] * len(self.records)
        for (record, _), cell in zip(parts, filled, strict=True):
            cells[record] = cell
        return kind, cells

    @cached_property
    def heads(self) -> list[Column]:
        """The columns."""
        from treelace.extract.naming import column_names

        if self.names is None:
            places = {number: place for place, number in enumerate(self.numbers)}
            items: list[list[Sequence[int]]] = [[()] * len(self.records) for _ in places]
            for slot, (record, number) in enumerate(zip(self.slots.record, self.slots.column, strict=True)):
                items[places[number]][record] = self.slots.items(slot)
            names: Sequence[str] = column_names(self.view, self.records, items, [kind for kind, _ in self.typed])
        else:
            names = [self.names[number] for number in self.numbers]
        return [Column(name, kind) for name, (kind, _) in zip(names, self.typed, strict=True)]

    @cached_property
    def rows(self) -> list[tuple[Cell | None, ...]]:
        """The cells, row by row."""
        return list(zip(*(cells for _, cells in self.typed), strict=True)) if self.typed else [()] * len(self.records)


_Read = tuple[str, Node, tuple[Item, ...]]
"""A cell without its value."""


def _read(view: PageView, records: Sequence[tuple[int, ...]], slots: Slots) -> list[_Read]:
    """What stands in each slot."""
    texts, holders, ends, kinds, nodes = view.core.cells(records, slots, DEFAULT_LIMITS)
    tree, known, made, start = view.tree, view.texts, [], 0
    for text, holder, end in zip(texts, holders, ends, strict=True):
        items = []
        for at in range(start, end):
            kind, node = kinds[at], nodes[at]
            if kind == 0:
                words = known[node]
            elif kind == 1:
                words = view.link(node)
            else:
                words = view.address(view.images[node])
                text = text or words
            items.append(Item(_KINDS[kind], words, Node(tree, node)))
        made.append((text, Node(tree, holder), tuple(items)))
        start = end
    return made
