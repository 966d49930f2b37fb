"""Joins columns that are one slot cut in two: linked and plain values; a price and its cents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from treelace.extract.columns.alignment import Slots
from treelace.extract.columns.label_blocks import with_labels_apart
from treelace.extract.columns.page_labels import headers_of_several_tables
from treelace.extract.columns.set_off_heads import with_heads_apart
from treelace.extract.columns.several_tables import by_header
from treelace.extract.columns.whole_prices import with_whole_prices
from treelace.extract.page.page_view import PageView
from treelace.extract.types.rating import read_rating

_WRAPPERS = frozenset(
    "a abbr b bdi big cite code data em font i label mark s small span strike strong sub sup time"
    " tt u var".split()
)
"""Elements that dress a value and do not place it."""

MAX_COLUMNS_WITH_GAPS = 40
"""Columns with gaps above which records have too little in common for their places to say much."""

SAMPLED_RECORDS = 3
"""Records of a column whose places are looked at."""


def joined(view: PageView, records: Sequence[tuple[int, ...]], slots: Slots) -> Slots:
    """The slots with those columns joined that no record has both of, that stand in the same place
    (tags and classes but for `a`, `b`, `span`, …), and that have no column between them which both
    know. Rows of several tables with different headers have their columns by these.

    Every item keeps its record, and no text is lost. Time linear in the slots, and quadratic in the
    columns with gaps.
    """
    if headers := headers_of_several_tables(view, records):
        return by_header(view, slots, headers)
    slots = with_heads_apart(view, with_labels_apart(view, slots))
    slots = with_whole_prices(view, records, slots)
    filled: dict[int, dict[int, int]] = {}
    for slot, (record, number) in enumerate(zip(slots.record, slots.column, strict=True)):
        filled.setdefault(number, {})[record] = slot
    if cents := _cents(view, slots, filled):
        return joined(view, records, _with_the_next(slots, filled, cents))
    if view.has_ratings and (cut := _cut_rating(view, slots, filled)):
        return joined(view, records, _with_the_next(slots, filled, cut))
    gappy = sorted(number for number, those in filled.items() if len(those) < len(records))
    if len(gappy) > MAX_COLUMNS_WITH_GAPS or not any(
        filled[left].keys().isdisjoint(filled[right]) for left, right in combinations(gappy, 2)
    ):
        return slots
    places = {number: _place(view, records, slots, filled[number]) for number in gappy}
    into: dict[int, int] = {}
    for left, right in combinations(gappy, 2):
        home = into.get(left, left)
        if (
            right not in into
            and places[left]
            and places[left] == places[right]
            and _fit(filled, home, right)
        ):
            into[right] = home
            filled[home] |= filled.pop(right)
    return (
        slots._replace(column=[into.get(number, number) for number in slots.column])
        if into
        else slots
    )


_WHOLE, _PART = re.compile(r"\D{0,5}\d[\d.,\s]*[.,]"), re.compile(r"\d\d\D{0,5}")


def _cents(
    view: PageView, slots: Slots, filled: dict[int, dict[int, int]]
) -> tuple[int, int] | None:
    """Two columns, one ending in a separator (`269,`), the next two figures (`00`), throughout."""
    for left, right in pairwise(sorted(filled)):
        if filled[left].keys() == filled[right].keys() and all(
            _WHOLE.fullmatch(_text(view, slots, filled[left][record]))
            and _PART.fullmatch(_text(view, slots, filled[right][record]))
            for record in filled[left]
        ):
            return left, right
    return None


def _text(view: PageView, slots: Slots, slot: int) -> str:
    return "".join(view.texts.get(node, "") for node in slots.items(slot)).strip()


def _cut_rating(
    view: PageView, slots: Slots, filled: dict[int, dict[int, int]]
) -> tuple[int, int] | None:
    """The first two of two or three columns that read as ratings only together, throughout:
    `Rated`, `4.50`, `out of 5`.
    """
    numbers = sorted(filled)
    for count in (3, 2):
        for at in range(len(numbers) - count + 1):
            some = numbers[at : at + count]
            records = filled[some[0]].keys()
            if any(filled[number].keys() != records for number in some[1:]):
                continue
            said = [[_words(view, slots, filled[it][record]) for it in some] for record in records]
            if all(
                read_rating(" ".join(texts)) and not any(map(read_rating, texts)) for texts in said
            ):
                return some[0], some[1]
    return None


def _words(view: PageView, slots: Slots, slot: int) -> str:
    return " ".join(view.texts.get(node, "") for node in slots.items(slot))


def _with_the_next(slots: Slots, filled: dict[int, dict[int, int]], pair: tuple[int, int]) -> Slots:
    """The slots with two columns as one, in the place of the first."""
    left, right = pair
    columns: list[dict[int, list[int]]] = [{} for _ in range(max(slots.record) + 1)]
    for number, those in filled.items():
        for record, slot in those.items():
            columns[record].setdefault(left if number == right else number, []).extend(
                slots.items(slot)
            )
    return slots.of([{number: sorted(row[number]) for number in sorted(row)} for row in columns])


def _fit(filled: dict[int, dict[int, int]], left: int, right: int) -> bool:
    if (
        left not in filled
        or right not in filled
        or not filled[left].keys().isdisjoint(filled[right])
    ):
        return False
    between = [those.keys() for number, those in filled.items() if left < number < right]
    return not any(
        those & filled[left].keys() and those & filled[right].keys() for those in between
    )


def _place(
    view: PageView, records: Sequence[tuple[int, ...]], slots: Slots, those: dict[int, int]
) -> tuple[str, ...] | None:
    """Where a column stands in its records; None where it is not one place, or no text."""
    found = set()
    for record in sorted(those)[:SAMPLED_RECORDS]:
        node = slots.items(those[record])[0]
        if node not in view.texts:
            return None
        found.add(_path(view, node, records[record]))
    return found.pop() if len(found) == 1 else None


def _path(view: PageView, node: int, record: tuple[int, ...]) -> tuple[str, ...]:
    path = []
    while node not in record:
        node = view.parents[node]
        if view.tags[node] not in _WRAPPERS:
            path.append(".".join([view.tags[node], *sorted(view.classes.get(node, ()))]))
            if view.tags[node] in ("td", "th"):
                path.append(str(_cell_number(view, node)))
    return tuple(path)


def _cell_number(view: PageView, cell: int) -> int:
    place, sibling = 0, view.parents[cell] + 1
    while sibling < cell:
        place += view.tags[sibling] in ("td", "th")
        sibling = view.ends[sibling]
    return place
