"""Slots: which items of a record stand in which column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


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
