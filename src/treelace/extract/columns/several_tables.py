"""Columns of rows that stand in several tables, of which some leave columns out: each cell goes
where its header says, and not where it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from treelace.extract.columns.alignment import Slots
from treelace.extract.page.page_view import PageView


def by_header(view: PageView, slots: Slots, headers: Mapping[int, str]) -> Slots:
    """The slots with the items of each cell below its header, in the order of the fullest table;
    the parts of a cell, texts and images apart, are columns in reading order.

    `headers` names every cell by its header (`headers_of_several_tables`). Where something stands
    in a row and in no cell, the slots stay as they are.
    """
    cells = [_cell(view, slots.items(slot)[0], headers) for slot in range(len(slots.record))]
    if 0 in cells:
        return slots
    order = {header: place for place, header in enumerate(dict.fromkeys(headers.values()))}
    rows: list[dict[tuple[int, int, bool], list[int]]] = [{} for _ in range(max(slots.record) + 1)]
    met: Counter[tuple[int, bool]] = Counter()
    for slot in sorted(range(len(cells)), key=lambda slot: slots.items(slot)[0]):
        items, is_image = slots.items(slot), slots.items(slot)[0] in view.images
        part = met[cells[slot], is_image]
        rows[slots.record[slot]][order[headers[cells[slot]]], part, is_image] = items
        met[cells[slot], is_image] += 1
    keys = sorted({key for row in rows for key in row})
    numbers = {key: number for number, key in enumerate(keys)}
    return Slots.of([{numbers[key]: row[key] for key in sorted(row)} for row in rows])


def _cell(view: PageView, node: int, headers: Mapping[int, str]) -> int:
    """The cell around a node; 0 where there is none."""
    while node > 0 and node not in headers:
        node = view.parents[node]
    return max(0, node)
