"""Cuts blocks of labels and values (`Case: A v. B` `Argued: 3 May`) into a column a label."""

from __future__ import annotations

import re
from collections import Counter

from treelace.extract.columns.alignment import Slots
from treelace.extract.page.page_view import PageView

MAX_LABEL_LENGTH = 30
"""Characters above which a text with a colon at its end is a sentence."""

MIN_SHARE_WITH_LABEL = 0.6
"""Share of a column's cells that must have a label for it to cut them."""

_LABEL = re.compile(rf"[^\W\d_][^:：.!?]{{0,{MAX_LABEL_LENGTH}}}[:：]")


def with_labels_apart(view: PageView, slots: Slots) -> Slots:
    """The slots with a column for each label, where cells of several records hold several labels;
    a label at the end of a cell goes to the value in the cell after it.

    Every item keeps its record, and no text is lost. Time linear in the items.
    """
    if not any(map(_LABEL.fullmatch, {view.texts.get(node, "") for node in slots.nodes})):
        return slots
    rows: list[dict[int, list[int]]] = [{} for _ in range(max(slots.record) + 1)]
    for slot, (record, number) in enumerate(zip(slots.record, slots.column, strict=True)):
        rows[record][number] = slots.items(slot)
    _hand_on(view, rows)
    labels = {number: _labels(view, rows, number) for number in sorted(set(slots.column))}
    if not any(labels.values()):
        return Slots.of([{number: row[number] for number in sorted(row)} for row in rows])
    made: list[dict[tuple[int, int], list[int]]] = []
    for row in rows:
        cut: dict[tuple[int, int], list[int]] = {}
        for number, items in row.items():
            part = 0
            for node in items:
                text = view.texts.get(node, "")
                part = labels[number].get(text, part)
                cut.setdefault((number, part), []).append(node)
        made.append(cut)
    order = {key: at for at, key in enumerate(sorted({key for cut in made for key in cut}))}
    return Slots.of([{order[key]: cut[key] for key in sorted(cut)} for cut in made])


def _labels(view: PageView, rows: list[dict[int, list[int]]], number: int) -> dict[str, int]:
    """The labels that cut a column, each with the part of the cell that it begins."""
    cells = [row[number] for row in rows if number in row]
    counts: Counter[str] = Counter()
    for items in cells:
        texts = [view.texts.get(node, "") for node in items]
        counts.update({text for text in texts[:-1] if _LABEL.fullmatch(text)})
    known = [label for label, n in counts.items() if 2 < n >= MIN_SHARE_WITH_LABEL * len(cells)]
    first = {view.texts.get(items[0], "") for items in cells}
    if len(known) < 2 and first.issubset(known):
        return {}
    place = {
        label: min(
            [view.texts.get(node, "") for node in items].index(label)
            for items in cells
            if any(view.texts.get(node, "") == label for node in items)
        )
        for label in known
    }
    return {label: at for at, label in enumerate(sorted(known, key=lambda it: place[it]), 1)}


def _hand_on(view: PageView, rows: list[dict[int, list[int]]]) -> None:
    """Moves a label at the end of most cells of a column to the cell after it."""
    for number in sorted({number for row in rows for number in row}):
        those = [row for row in rows if len(row.get(number, ())) > 1]
        ends = Counter(view.texts.get(row[number][-1], "") for row in those)
        ((label, count),) = ends.most_common(1) or [("", 0)]
        if count < 3 or count < MIN_SHARE_WITH_LABEL * len(rows) or not _LABEL.fullmatch(label):
            continue
        for row in those:
            after = min((other for other in row if row[other][0] > row[number][-1]), default=None)
            if after is not None and view.texts.get(row[number][-1]) == label:
                row[after] = [row[number].pop(), *row[after]]
