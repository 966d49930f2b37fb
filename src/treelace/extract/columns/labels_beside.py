"""Labels and units that stand beside a value as a column of their own: `Fecha`, `by`, `votes`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from treelace.extract.columns.meaning_words import (
    action_words,
    class_words,
    meaning_of,
    price_words,
)
from treelace.extract.columns.page_labels import MAX_LABEL_LENGTH, as_label
from treelace.extract.page.page_view import PageView
from treelace.extract.types import TEXT

_LABEL_CLASSES = frozenset("label key term caption".split())

MIN_SHARE_OF_LABELLED = 0.8
"""Share of the records with a label that must have its value right after it."""

MIN_SHARE_OF_LABEL = 0.9
"""Share of a column's texts that must be one label."""

MIN_LABELS_WITHOUT_COLON = 3
"""Columns of one word, each before a column of values, from which on they are labels."""

Items = Sequence[Sequence[int]]
"""The items of one column in each record; none where the record has no such column."""


@dataclass(frozen=True, eq=False)
class LabelsBeside:
    """The columns of a table as far as it must be known which of them are only labels."""

    view: PageView
    columns: Sequence[Items]
    kinds: Sequence[str]
    texts: Sequence[Sequence[str]]
    linked: frozenset[int]
    """Columns whose texts lead somewhere: no labels."""

    @cached_property
    def found(self) -> tuple[dict[int, str], set[int]]:
        """Names that a column of one word gives to the column after it (`Fecha`, `by`) or before it
        (`votes`), and those columns of one word.
        """
        names: dict[int, str] = {}
        labels: dict[int, int] = {}
        units = set()
        for at in range(len(self.columns) - 1):
            if not self._follows(at):
                continue
            if self._is_unit(at):
                names[at] = max(self.texts[at + 1], key=len).lower()
                labels[at + 1] = at
                units.add(at + 1)
                labels.pop(at, None)
            elif at not in labels and (label := self._label(at)):
                named = at - 1 if self._is_nearer_to_last(at) else at + 1
                if named not in labels and named not in names:
                    names[named], labels[at] = label, named
        sure = {at for at in labels if at in units or self._is_sure_label(at)}
        marks = {at: self._mark(at) for at in range(len(self.columns)) if at not in sure}
        alike = Counter(marks[at] for at in labels.keys() - sure)
        kept = sure | {
            at for at in labels.keys() - sure if alike[marks[at]] >= MIN_LABELS_WITHOUT_COLON
        }
        return {labels[at]: names[labels[at]] for at in kept}, kept

    def _mark(self, at: int) -> tuple[str, tuple[str, ...]]:
        """Tag and classes of the element around the first item of a column."""
        item = self._firsts(at)[0][1]
        node = item if item in self.view.images else self.view.parents[item]
        return self.view.tags[node], self.view.class_words(node)

    def _follows(self, at: int) -> bool:
        """Whether the next column stands right after this one in nearly all records that have this,
        and half of those that have the next one have this.
        """
        before = self.view.text_before
        pairs = [
            (left[-1], right[0] if right else -1)
            for left, right in zip(self.columns[at], self.columns[at + 1], strict=True)
            if left
        ]
        there = sum(map(bool, self.columns[at + 1]))
        right_after = sum(
            left in self.view.texts and right > left and before[right] == before[left] + 1
            for left, right in pairs
        )
        return 2 <= len(pairs) >= there / 2 and right_after >= MIN_SHARE_OF_LABELLED * len(pairs)

    def _is_nearer_to_last(self, at: int) -> bool:
        """Whether a label without a colon has a nearer element in common with the column before."""
        if not at or not self._follows(at - 1) or self.texts[at][0].endswith((":", "：")):
            return False
        record, item = self._firsts(at)[0]
        last, after = self.columns[at - 1][record], self.columns[at + 1][record]
        return bool(last) and _common(self.view, last[0], item) > _common(
            self.view, item, after[-1]
        )

    def _label(self, at: int) -> str:
        """What a column says that says the same in every record; empty where it differs."""
        ((text, count),) = Counter(self.texts[at]).most_common(1)
        is_same = count >= MIN_SHARE_OF_LABEL * len(self.texts[at])
        label = as_label(text) if is_same and at not in self.linked else ""
        words = label.lower().split()
        says_nothing = any(those.issuperset(words) for those in (action_words(), price_words()))
        is_one = len(set(self.texts[at + 1])) < 2
        return "" if says_nothing or is_one else meaning_of(label) or label

    def _is_sure_label(self, at: int) -> bool:
        text = Counter(self.texts[at]).most_common(1)[0][0]
        firsts = [item for _, item in self._firsts(at)]
        item = next((it for it in firsts if self.view.texts.get(it, "") in text), firsts[0])
        node = self.view.parents[item]
        words = {word for name in self.view.class_words(node) for word in class_words(name)}
        return (
            text.endswith((":", "："))
            or self.view.tags[node] in ("dt", "th", "label")
            or not words.isdisjoint(_LABEL_CLASSES)
            or bool(meaning_of(text))
        )

    def _is_unit(self, at: int) -> bool:
        """Whether numbers stand before one word: `3` `votes`, `1` `vote`."""
        units = {text.lower() for text in self.texts[at + 1]}
        return (
            self.kinds[at] == "number"
            and action_words().isdisjoint(units)
            and len({unit[:3] for unit in units}) == 1
            and all(unit.isalpha() and 2 < len(unit) <= MAX_LABEL_LENGTH / 2 for unit in units)
            and self.kinds[at + 1] == TEXT.name
        )

    def _firsts(self, at: int) -> list[tuple[int, int]]:
        return [(record, items[0]) for record, items in enumerate(self.columns[at]) if items]


def _common(view: PageView, left: int, right: int) -> int:
    """The nearest element around two nodes; of elements around one node the inner has the higher
    index.
    """
    while view.ends[left] <= right:
        left = view.parents[left]
    return left
