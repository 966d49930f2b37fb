"""Columns by the classes of their elements, where the order alone lays values into wrong columns.

A list of pots has a diameter and a height in some rows, a length, a width and a height in others.
All are centimetres, so the height of one row may come to stand below the width of another. Where
elements of two classes stand side by side in some records, they are two fields in all of them. Two
classes that never do may be one field in two states (`price`, `price sale`), and stay together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from treelace.extract.columns.alignment import Slots
from treelace.extract.page.page_view import PageView

MIN_TOGETHER = 2
"""Records that must have both of two fields."""


def with_own_classes(view: PageView, records: Sequence[tuple[int, ...]], slots: Slots) -> Slots:
    """The slots, those of a field with a class of its own in one column, and no other field there.

    Every item keeps its record. Time linear in the slots, and quadratic in the fields that share a
    column.
    """
    fields = _fields(view, records, slots)
    home = _homes(slots, fields)
    if not home:
        return slots
    column = list(slots.column)
    taken = {
        (record, at)
        for record, at, name in zip(slots.record, slots.column, fields, strict=True)
        if name not in home
    }
    more: dict[str, int] = {}
    for slot, (record, name) in enumerate(zip(slots.record, fields, strict=True)):
        if name in home:
            column[slot] = home[name]
            if (record, home[name]) in taken:  # by something of no class: the field stands apart
                if name not in more:
                    more[name] = max(column) + 1
                column[slot] = more[name]
            taken.add((record, column[slot]))
    return slots._replace(column=_in_reading_order(slots.record, column))


def _fields(view: PageView, records: Sequence[tuple[int, ...]], slots: Slots) -> list[str]:
    """The class of the nearest element around each slot that has one, where no other slot of its
    record has the same; else empty.
    """
    tree, names = view.tree, list[str]()
    for slot, record in enumerate(slots.record):
        node, roots = slots.items(slot)[0], set(records[record])
        name = ""
        while node and node not in roots and not name:
            node = tree.parent(node) or 0
            name = " ".join(sorted((tree.attribute(node, "class") or "").split()))
        names.append(name if node not in roots else "")
    often = Counter(zip(slots.record, names, strict=True))
    several = {name for (_, name), count in often.items() if count > 1}
    return ["" if name in several else name for name in names]


def _homes(slots: Slots, fields: Sequence[str]) -> dict[str, int]:
    """The column of each field that shares one with another field, though some records have both;
    empty where all is well.
    """
    shown: dict[str, set[int]] = defaultdict(set)
    columns: dict[str, Counter[int]] = defaultdict(Counter)
    for name, record, column in zip(fields, slots.record, slots.column, strict=True):
        if name:
            shown[name].add(record)
            columns[name][column] += 1
    mixed = {
        name
        for pair in combinations(sorted(columns), 2)
        if columns[pair[0]].keys() & columns[pair[1]].keys()
        and len(shown[pair[0]] & shown[pair[1]]) >= MIN_TOGETHER
        for name in pair
    }
    home: dict[str, int] = {}
    free = max(slots.column, default=0) + 1
    for name in sorted(mixed, key=lambda name: (-len(shown[name]), name)):
        rivals = {home[other] for other in home if shown[other] & shown[name]}
        best = next((it for it, _ in columns[name].most_common() if it not in rivals), None)
        if best is None:
            best, free = free, free + 1
        home[name] = best
    return home


def _in_reading_order(records: Sequence[int], columns: Sequence[int]) -> list[int]:
    """The columns numbered by where their values stand in their records, on the mean."""
    count = Counter(records)
    seen: Counter[int] = Counter()
    places: dict[int, list[float]] = defaultdict(list)
    for record, column in zip(records, columns, strict=True):
        places[column].append(seen[record] / count[record])
        seen[record] += 1
    order = sorted(places, key=lambda column: (fmean(places[column]), column))
    number = {column: at for at, column in enumerate(order)}
    return [number[column] for column in columns]
