"""Which leaves make which cell, in the form that the kernel gives and takes."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

CellLeaves: TypeAlias = "tuple[list[int], list[int], list[int], list[int]]"
"""For each cell its record, its column and the end of its leaves; then the leaves of all cells."""


def with_leaves(cells: CellLeaves, found: Mapping[int, int]) -> CellLeaves:
    """The cells of one record with more of them: a leaf for each column that was empty."""
    _, columns, ends, nodes = cells
    parts = {
        column: nodes[start:end]
        for column, start, end in zip(columns, [0, *ends], ends, strict=False)
    }
    parts |= {column: [node] for column, node in found.items()}
    order = sorted(parts)
    return (
        [0] * len(order),
        order,
        list(accumulate(len(parts[column]) for column in order)),
        [node for column in order for node in parts[column]],
    )


def without_cells(cells: CellLeaves, dropped: Set[int]) -> CellLeaves:
    """The cells without some of them, given by number."""
    records, columns, ends, nodes = cells
    kept = [cell for cell in range(len(ends)) if cell not in dropped]
    parts = [nodes[ends[cell - 1] if cell else 0 : ends[cell]] for cell in kept]
    return (
        [records[cell] for cell in kept],
        [columns[cell] for cell in kept],
        list(accumulate(map(len, parts))),
        [node for part in parts for node in part],
    )
