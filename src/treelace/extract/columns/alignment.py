"""Columns of the default extractor: cells aligned by path, class, kind of text and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treelace.extract.page.page_view import PageView
from treelace.limits import DEFAULT_LIMITS


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRules:
    """What the alignment weighs: shares, gains of a piece that fits a column, lengths, marks."""

    steady: float = 0.8
    """Share of records with the same cut from which on a mixed text is a pattern and not a flow."""
    same_class: float = 2.0
    same_kind: float = 0.5
    same_text: float = 1.0
    longest_label: int = 30
    longest_kind: int = 40
    """Longer texts are all of one kind."""
    opening: str = "([{«“‹"
    """Marks that go with what follows them."""


COLUMN_RULES = ColumnRules()


def slots(view: PageView, records: Sequence[tuple[int, ...]]) -> Slots:
    """The items of records lined up, columns in reading order.

    1. The texts of a record become pieces: neighbours with the same path, formatting left out, are
       one (a sentence cut by `b` or `br`). An element that mixes text with inline elements,
       differently from record to record, reads as one: a snippet with marked words.
    2. A run of pieces with one path whose length differs from record to record is a list in a cell,
       and is one piece too.
    3. A label ("Rating:") and what it stands before are one.
    4. Brackets, commas and bars between pieces go with their neighbour.
    5. The record with most pieces starts the columns; each other record's pieces are laid along
       them in order, so that they fit best (path, class, kind of text, equal text); what fits
       nowhere becomes a column where it stands.

    Time O(records · pieces · columns), in the kernel.
    """
    return Slots(*view.core.line_up(records, COLUMN_RULES, DEFAULT_LIMITS))


def line_up(view: PageView, records: Sequence[tuple[int, ...]]) -> list[dict[int, list[int]]]:
    """The same as the items of each record by column number."""
    found = slots(view, records)
    rows: list[dict[int, list[int]]] = [{} for _ in records]
    for slot, (record, column) in enumerate(zip(found.record, found.column, strict=True)):
        rows[record][column] = found.items(slot)
    return rows
