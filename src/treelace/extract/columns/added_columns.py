"""Columns whose values stand in no text of a record: the group that a heading between the records
puts them in, and ratings that are drawn (stars, bars) and not written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from treelace.extract.page.page_view import says_rating
from treelace.extract.types import TEXT
from treelace.extract.types.rating import USUAL_BEST, RatingType, read_rating

if TYPE_CHECKING:
    from treelace.extract.page.page_view import PageView

MAX_GROUP_LENGTH = 80
"""Characters of a heading between records that names a group."""

MAX_TEXTS_BEFORE = 2
"""Texts between the heading of the first group and its first record."""

MIN_SHARE_RATED = 0.5
"""Share of the records that must have a drawn rating."""

MAX_NODES_OF_RATING = 60
"""Nodes inside an element that draws a rating."""

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 caption legend summary dt th".split())
_WORDS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_IN_CLASS = re.compile(
    r"(?:stars?|ratings?)(?:-value)?[-_]?(\d)(?:[-_.](\d))?|(\d)(?:[-_.](5))?-?stars?", re.I
)
_WIDTH = re.compile(r"(?:^|;)\s*width:\s*(\d+(?:\.\d+)?)%")
_ICON = re.compile(r"star", re.I)
_EMPTY = re.compile(r"empty|outline|(?:^|[-_])(?:o|off|none|gr[ae]y|blank|0)$|^far$", re.I)
_HALF = re.compile(r"half", re.I)
_NUMBERS = ("data-rating", "data-score", "data-rate", "data-stars", "data-star", "data-value")
_SENTENCES = ("aria-label", "title", "data-original-title")


HeadingKind: TypeAlias = tuple[str, tuple[str, ...]]
"""The tag of a heading and its class words."""


class AddedCell(NamedTuple):
    """What a record has in such a column, and the element that says it."""

    record: int
    text: str
    node: int


class AddedColumn(NamedTuple):
    """A column of such cells."""

    name: str
    kind: str
    cells: list[AddedCell]


@dataclass(frozen=True, eq=False)
class AddedColumns:
    """What can be added to the table of some records of a page."""

    view: PageView
    records: Sequence[tuple[int, ...]]

    def groups(self) -> AddedColumn | None:
        """The heading above each record, where headings between the records cut them into groups.

        A heading is the last one that stands between two records, or the only text there; two
        different ones are needed, of one tag, and more records than headings.
        """
        labels = {at: node for at, node in self._between() if node is not None}
        kinds = Counter(self.kind_of(node) for node in labels.values())
        if not kinds:
            return None
        kind, _ = kinds.most_common(1)[0]
        cells = self.below(kind)
        said = {cell.node: cell.text for cell in cells}
        is_cut = len(said) >= 2 and 2 * len(said) <= len(self.records) + 1
        if not is_cut or len(set(said.values())) < len(said):
            return None
        return AddedColumn("group", TEXT.name, cells)

    def below(self, kind: HeadingKind) -> list[AddedCell]:
        """The heading of a kind above each record, of those that stand between the records or right
        before the first.
        """
        labels = {
            at: node
            for at, node in self._between()
            if node is not None and self.kind_of(node) == kind
        }
        first = self._before(kind)
        if first is not None:
            labels[0] = first
        cells, above = [], None
        for record in range(len(self.records)):
            above = labels.get(record, above)
            if above is not None:
                cells.append(AddedCell(record, self._text(above), above))
        return cells

    def _between(self) -> Iterator[tuple[int, int | None]]:
        """The number of each record with texts between it and the one before, and the heading
        there.
        """
        view = self.view
        for at, (left, right) in enumerate(pairwise(self.records), start=1):
            start, stop = view.text_before[view.ends[left[-1]]], view.text_before[right[0]]
            if start < stop:
                yield at, self._heading(view.text_nodes[start:stop])

    def _heading(self, texts: Sequence[int]) -> int | None:
        """The element of the last heading among texts, or of the only one."""
        for text in reversed(texts):
            for node in self._holders(text):
                if self.view.tags[node] in _HEADINGS:
                    return node if len(self._text(node)) <= MAX_GROUP_LENGTH else None
        if len(texts) > 1 or len(self.view.texts[texts[0]]) > MAX_GROUP_LENGTH:
            return None
        return list(self._holders(texts[0]))[-1]

    def _holders(self, text: int) -> Iterator[int]:
        """The elements around a text that hold no more than a heading may, from the inside."""
        view, node = self.view, self.view.parents[text]
        yield node
        while (above := view.parents[node]) and view.text_count(above) == view.text_count(node):
            if view.tags[above] in ("body", "html", "table", "tbody"):
                return
            node = above
            yield node

    def kind_of(self, node: int) -> HeadingKind:
        """The kind of a heading."""
        return self.view.tags[node], self.view.class_words(node)

    def _before(self, kind: HeadingKind) -> int | None:
        """The heading of this kind right before the first record."""
        start = self.view.text_before[self.records[0][0]]
        near = self.view.text_nodes[max(0, start - MAX_TEXTS_BEFORE) : start]
        return next(
            (
                node
                for text in reversed(near)
                for node in self._holders(text)
                if self.kind_of(node) == kind
            ),
            None,
        )

    def _text(self, node: int) -> str:
        return " ".join(self.view.texts[text] for text in self.view.texts_in(node))

    def ratings(self) -> AddedColumn | None:
        """What elements that are called stars or a rating, and have no text, draw."""
        cells = self.drawn()
        if not cells or len(cells) < max(2, MIN_SHARE_RATED * len(self.records)):
            return None
        if len({cell.text for cell in cells}) == 1 and cells[0].text.endswith("/5"):
            return None  # an ornament: every record has the same stars
        return AddedColumn("rating", RatingType.name, cells)

    def drawn(self) -> list[AddedCell]:
        """The first drawn rating of each record that has one."""
        cells = []
        for number, record in enumerate(self.records) if self._drawn else ():
            for node in self._drawn:
                if record[0] <= node < self.view.ends[record[-1]] and (said := self._read(node)):
                    cells.append(AddedCell(number, said, node))
                    break
        return cells

    @cached_property
    def _drawn(self) -> list[int]:
        """The outermost elements that draw a rating; of icons beside each other what holds them."""
        view, found, until = self.view, list[int](), -1
        if not view.has_ratings:
            return []
        for node, words in view.classes.items():
            if node < until or view.text_count(node) or not any(map(says_rating, words)):
                continue
            holder = node
            while (above := view.parents[holder]) and not view.text_count(above):
                holder = above
                if any(map(says_rating, view.class_words(holder))):
                    break
            if view.ends[holder] - holder > MAX_NODES_OF_RATING:
                holder = node
            found.append(holder)
            until = view.ends[holder]
        return found

    def _read(self, node: int) -> str:
        """A rating as a text, by what an element says of itself, its class, its bar or its
        icons.
        """
        inside = [
            at for at in range(node, self.view.ends[node]) if not self.view.tags[at].startswith("#")
        ]
        return self._said(inside) or self._called(inside) or self._icons(inside)

    def _said(self, nodes: Sequence[int]) -> str:
        for node in nodes:
            element = self.view.tree[node]
            for name in _SENTENCES:
                if (text := (element.attribute(name) or "").strip()) and read_rating(text):
                    return text
            for name in _NUMBERS:
                value = (element.attribute(name) or "").strip()
                if re.fullmatch(r"\d(?:[.,]\d+)?", value) and read_rating(f"{value}/5"):
                    return f"{value}/5"
        for node in nodes:
            if found := _WIDTH.search(self.view.tree[node].attribute("style") or ""):
                points = float(found[1]) / 100 * USUAL_BEST
                return f"{points:.3g}/5" if points <= USUAL_BEST else ""
        return ""

    def _called(self, nodes: Sequence[int]) -> str:
        for node in nodes[:2]:
            words = self.view.class_words(node)
            for word in words:
                if (number := _WORDS.get(word.lower())) is not None:
                    return f"{number}/5"
                if found := _IN_CLASS.fullmatch(word):
                    whole, part = found[1] or found[3], found[2] or found[4]
                    said = f"{whole}.{part}/5" if part else f"{whole}/5"
                    return said if read_rating(said) else ""
        return ""

    def _icons(self, nodes: Sequence[int]) -> str:
        leaves = [node for node in nodes if self.view.ends[node] == node + 1]
        named = [self.view.class_words(node) for node in leaves]
        icons = [words for words in named if any(map(_ICON.search, words))]
        if not 3 <= len(icons) <= 10:
            return ""
        points = 0.0
        for words in icons:
            if any(map(_HALF.search, words)):
                points += 0.5
            elif not any(map(_EMPTY.search, words)):
                points += 1
        are_told_apart = len({frozenset(words) for words in icons}) > 1
        if not are_told_apart and not any("full" in word or "fill" in word for word in icons[0]):
            points = 0.0 if any(map(_EMPTY.search, icons[0])) else float(len(icons))
        best = len(icons) if len(icons) >= USUAL_BEST else USUAL_BEST
        return f"{points:g}/{best:g}"
