"""Structured data that stands in the rows of a table (microdata): which thing is which row, and
what a cell is called there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from treelace.extract.cells.cell import Cell
from treelace.extract.page.structured_data import StructuredItem
from treelace.tree import Node


def things_in_rows(
    records: Sequence[Sequence[Node]], things: Sequence[StructuredItem]
) -> dict[int, StructuredItem]:
    """The thing that each row is: the only one inside it, or the one around it and no other row.
    Things are in document order. Time: rows and things, and how deep things stand in each other.
    """
    starts, ends = [it.node.index for it in things], [it.node.end for it in things]
    outer: list[int] = []  # the thing around each, -1 for none
    for number, start in enumerate(starts):
        above = number - 1
        while above >= 0 and ends[above] <= start:
            above = outer[above]
        outer.append(above)
    found: dict[int, int] = {}
    around: dict[int, int] = {}
    for number, roots in enumerate(records):
        inside = [
            it
            for root in roots
            for it in range(bisect_left(starts, root.index), bisect_left(starts, root.end))
        ]
        if len(inside) == 1:
            found[number] = inside[0]
        elif not inside:
            holder = bisect_left(starts, roots[0].index) - 1
            while holder >= 0 and ends[holder] < roots[-1].end:
                holder = outer[holder]
            around |= {number: holder} if holder >= 0 else {}
    rows = Counter(around.values())
    found |= {number: it for number, it in around.items() if rows[it] == 1}
    return {number: things[it] for number, it in sorted(found.items())}


def names_of_cell(cell: Cell, thing: StructuredItem) -> list[str]:
    """The property whose element is nearest around the cell, else those inside it."""
    holders = [one for one in thing.statements if _holds(one.node, cell.node)]
    if holders:
        return [max(holders, key=lambda one: one.node.index).name]
    return list(dict.fromkeys(one.name for one in thing.statements if _holds(cell.node, one.node)))


def _holds(outer: Node, inner: Node) -> bool:
    return outer.index <= inner.index < outer.end
