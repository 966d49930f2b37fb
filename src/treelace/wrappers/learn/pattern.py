"""Patterns: what pages or records share, row by row, and what is expected of the columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from treelace import _kernel
from treelace.wrappers.apply.page import leaf_text
from treelace.wrappers.apply.region_reader import NO_ROW, RegionReader
from treelace.wrappers.model.form import ColumnForm, RowForm
from treelace.wrappers.model.text_shapes import shapes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.model.form import RegionForm

EVIDENCE_ROWS = 3
"""Rows that are kept, so that a repair may find them again."""

MAX_EVIDENCE_LENGTH = 200
"""Characters that are kept of a text."""


class Part(NamedTuple):
    """A page or a record: its tree, its top nodes, and the known columns (from 1) of its leaves."""

    tree: Tree
    roots: list[int]
    column_of_leaf: Mapping[int, int]


class LearntPattern(NamedTuple):
    """A pattern, and for each record that was laid along it its rows with text and node."""

    rows: tuple[RowForm, ...]
    records: list[dict[int, tuple[str, int]]]


def learn_pattern(parts: Sequence[Part], *, limits: Limits) -> LearntPattern:
    """The pattern that pages or records have in common."""
    pattern, aligned = _kernel.learn_pattern(
        [(part.tree.kernel, part.roots, dict(part.column_of_leaf)) for part in parts], limits
    )
    rows = tuple(
        RowForm(depth, tag, tuple(keys), wrap, text, seen, fixed, tuple(shapes))
        for depth, tag, keys, wrap, text, seen, fixed, shapes in pattern.rows()
    )
    records = [
        _values(part.tree, placed_rows(nodes, numbers))
        for part, (nodes, numbers, _, _) in zip(parts, aligned, strict=True)
    ]
    return LearntPattern(rows, records)


def lay_along(region: RegionForm, parts: Sequence[Part], *, limits: Limits) -> LearntPattern:
    """Pages or records laid along the pattern of a region that is there already."""
    pattern = RegionReader(region).pattern
    records = []
    for part in parts:
        nodes, numbers, _, _ = pattern.align(part.tree.kernel, [part.roots], limits)[0]
        records.append(_values(part.tree, placed_rows(nodes, numbers)))
    return LearntPattern(region.pattern, records)


def placed_rows(
    nodes: NDArray[np.uint32], numbers: NDArray[np.uint32]
) -> Iterable[tuple[int, int]]:
    """The nodes of a record that have a row, each with its row, as the kernel aligned them."""
    return (
        (node, row)
        for node, row in zip(nodes.tolist(), numbers.tolist(), strict=True)
        if row != NO_ROW
    )


def _values(tree: Tree, placed: Iterable[tuple[int, int]]) -> dict[int, tuple[str, int]]:
    return {row: (leaf_text(tree, node), node) for node, row in placed}


@dataclass(frozen=True, slots=True)
class FilledPattern:
    """The rows of a pattern with their parents and ends, and what each record has there."""

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
        """`records[r]` maps each row that record r has to its text (empty: element) and node."""
        values: list[dict[int, tuple[str, int]]] = [{} for _ in rows]
        for record, held in enumerate(records):
            for row, value in held.items():
                values[row][record] = value
        return cls(rows, *parents_and_ends(rows), values, len(records))

    def copy(self) -> FilledPattern:
        """The same, to be changed apart."""
        return replace(self, values=[dict(held) for held in self.values])

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
    """For each row its parent row (0 for the first), and the row after its last descendant."""
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


def expected_column(name: str, kind: str, texts: Sequence[str], records: int) -> ColumnForm:
    """A column as records have it: how many do, how long its texts are and what they look like."""
    fill = round(len(texts) / records, 3)
    return ColumnForm(
        name,
        kind,
        required=fill == 1,
        fill=fill,
        length=round(sum(map(len, texts)) / len(texts), 1) if texts else 0.0,
        shapes=shapes_of(texts),
    )


def evidence_of(rows: Iterable[Mapping[str, str | None]]) -> tuple[dict[str, str], ...]:
    """The first rows, each with its texts by column name."""
    kept = [row for row, _ in zip(rows, range(EVIDENCE_ROWS), strict=False)]
    return tuple(
        {name: text[:MAX_EVIDENCE_LENGTH] for name, text in row.items() if text is not None}
        for row in kept
    )
