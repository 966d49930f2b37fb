"""A pattern with what records have in its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.wrappers.model.form import RowForm


@dataclass(frozen=True, slots=True)
class FilledPattern:
    """The rows of a pattern with their parents and ends, and what each record (a page, or a part of
    one) has there.
    """

    rows: Sequence[RowForm]
    parents: list[int]
    ends: list[int]
    values: list[dict[int, tuple[str, int]]]
    """For each row the text and the node of each record that has it."""
    count: int
    """How many records there are."""

    @classmethod
    def of(
        cls, rows: Sequence[RowForm], records: Sequence[Mapping[int, tuple[str, int]]]
    ) -> FilledPattern:
        """`records[r]` gives, for each row that record r has, the text (empty for elements) and the
        node.
        """
        values: list[dict[int, tuple[str, int]]] = [{} for _ in rows]
        for record, held in enumerate(records):
            for row, value in held.items():
                values[row][record] = value
        return cls(rows, *parents_and_ends(rows), values, len(records))

    def children(self, row: int) -> list[int]:
        """The rows directly below a row."""
        found, child = [], row + 1
        while child < self.ends[row]:
            found.append(child)
            child = self.ends[child]
        return found

    def is_leaf(self, row: int) -> bool:
        """Whether a row is a text or an image."""
        return is_leaf(self.rows[row])

    def above(self, row: int) -> list[int]:
        """The rows around a row, the nearest first."""
        found = []
        while row:
            row = self.parents[row]
            found.append(row)
        return found

    def is_fixed(self, row: int) -> bool:
        """Whether all records that have a leaf have the same text there, and at least two do."""
        texts = self.values[row]
        return len(texts) > 1 and len({text for text, _ in texts.values()}) == 1


def parents_and_ends(rows: Sequence[RowForm]) -> tuple[list[int], list[int]]:
    """For each row of a pattern the row around it (0 for the first), and the row after its last
    inner one.
    """
    parents, ends, open_rows = [0] * len(rows), [len(rows)] * len(rows), list[int]()
    for number, row in enumerate(rows):
        while open_rows and rows[open_rows[-1]].depth >= row.depth:
            ends[open_rows.pop()] = number
        parents[number] = open_rows[-1] if open_rows else 0
        open_rows.append(number)
    return parents, ends


def is_leaf(row: RowForm) -> bool:
    """Whether a row is a text or an image."""
    return row.tag in ("#text", "img")
