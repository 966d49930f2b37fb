"""Cuts cells whose start is set off throughout: a name in bold, a day on a line of its own.

A sentence with a bold word reads as one, and stays one cell. But where nearly every record of a
column begins with bold words of its own, and goes on after them, these are a field: `<b>April 18,
2013</b> — Op. Atty. Gen. 425c`. Labels (`<b>Case:</b>`) are no such heads, and amounts neither:
`<b>200 g</b> flour` reads as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from treelace.extract.columns.alignment import Slots
from treelace.extract.columns.value_names import is_near_date
from treelace.extract.page.page_view import PageView

MIN_SHARE_WITH_HEAD = 0.8
"""Share of a column's cells that must begin with a head for it to be cut."""

MIN_CELLS = 4
"""Cells of a column that is cut."""

MAX_HEAD_LENGTH = 80
"""Characters above which bold text is no head."""

_BOLD = frozenset(["b", "strong"])
_AMOUNT = re.compile(r"\W{0,3}[\d¼-¾⅐-⅞]")
_WORD = re.compile(r"[^\W_]{2}")


def with_heads_apart(view: PageView, slots: Slots) -> Slots:
    """The slots with the heads of their cells in columns of their own, each before the rest.

    Every item keeps its record, and no text is lost. Time linear in the nodes of the cells.
    """
    cells: dict[int, list[int]] = {}
    for slot, number in enumerate(slots.column):
        cells.setdefault(number, []).append(slot)
    heads: dict[int, int] = {}
    for those in cells.values():
        if len(those) >= MIN_CELLS:
            heads |= _heads(view, slots, those)
    if not heads:
        return slots
    rows: list[dict[int, Sequence[int]]] = [{} for _ in range(max(slots.record) + 1)]
    for slot, (record, number) in enumerate(zip(slots.record, slots.column, strict=True)):
        items, size = slots.items(slot), heads.get(slot, 0)
        rows[record] |= {2 * number: items[:size], 2 * number + 1: items[size:]}
    return Slots.of(rows)


def _heads(view: PageView, slots: Slots, those: Sequence[int]) -> dict[int, int]:
    """How many items of each of these slots are its head; empty where they have none."""
    for size_of, are_days in ((_bold, False), (_line, True)):
        sizes = {slot: size_of(view, slots.items(slot)) for slot in those}
        found = {slot: size for slot, size in sizes.items() if size}
        if len(found) < MIN_SHARE_WITH_HEAD * len(those):
            continue
        texts = [_words(view, slots.items(slot)[:size]) for slot, size in found.items()]
        days = sum(map(is_near_date, texts))
        if days >= MIN_SHARE_WITH_HEAD * len(texts) or (
            not are_days and sum(map(_may_be_head, texts)) >= MIN_SHARE_WITH_HEAD * len(texts)
        ):
            return found if 2 * len(set(texts)) >= len(texts) else {}
    return {}


def _may_be_head(text: str) -> bool:
    """Whether a text is neither a label nor an amount."""
    return text[-1] not in ":：" and len(text) <= MAX_HEAD_LENGTH and not _AMOUNT.match(text)


def _bold(view: PageView, items: Sequence[int]) -> int:
    """How many items at the start of a cell stand in one bold element, where words follow it."""
    node = view.parents[items[0]]
    while view.tags[node] not in _BOLD:
        above = view.parents[node]
        if not node or view.text_count(above) != view.text_count(node):
            return 0
        node = above
    return _size(view, items, view.ends[node])


def _line(view: PageView, items: Sequence[int]) -> int:
    """How many items of a cell stand before its first line break."""
    end = next((at for at in range(items[0], items[-1]) if view.tags[at] == "br"), 0)
    return _size(view, items, end)


def _size(view: PageView, items: Sequence[int], end: int) -> int:
    size = sum(item < end for item in items)
    has_words = _WORD.search(_words(view, items[:size])) and _WORD.search(
        _words(view, items[size:])
    )
    return size if has_words else 0


def _words(view: PageView, items: Sequence[int]) -> str:
    return " ".join(view.texts.get(item, "") for item in items).strip()
