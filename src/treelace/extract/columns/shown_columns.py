"""Which columns a person would keep, and in which order: copies, buttons, labels without values and
further pictures are left out.

Only what is known to say nothing is left out: a text that happens to be the same in every record
("in stock") stays, and so does whatever is shaped like a value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from treelace.extract.columns.value_names import IDENTIFYING_NAMES
from treelace.extract.locales import all_words
from treelace.extract.types import IMAGE, TEXT, Price, PriceRange
from treelace.extract.types.availability import says_availability

if TYPE_CHECKING:
    from treelace.extract.cells.cell import ReadCells
    from treelace.extract.page.page_view import PageView

MIN_RECORDS_FOR_CONSTANTS = 3
"""Records from which on a text that all of them have says nothing about one of them."""

MIN_RECORDS_ALL_ALIKE = 8
"""Records from which on a text that all of them have is left out."""

MIN_RECORDS_OF_ONE_WORD = 5
"""Rows of a table with headers from which on a word that each has without a header is left out."""

MAX_SHARE_OF_RARE = 0.1
"""Share of the records that have a column up to which it is left out."""

_CONSTANT_VALUES = frozenset(["availability", "condition", "status", "location", "brand"])
"""Names of columns that say something even where all records say the same."""

MAX_LABEL_LENGTH = 30
"""Characters of a label before a colon."""

MAX_BUTTON_TEXTS = 3
"""Different texts that the buttons of a list may have: `Add to cart`, `Select options`."""

MIN_DIFFERENT_NUMBERS = 4
"""Different values from which on two columns of equal numbers are one column written twice."""

_ACTIONS = frozenset(all_words(lambda it: it.actions))
_LABEL_WORDS = frozenset(all_words(lambda it: f"{it.price_words} {it.former} {it.price_prefixes}"))
_COUNTED = re.compile(r"([^\W\d_]*\s*)(\d{1,3})\b")
_BUTTON_CLASSES = frozenset("btn button cart wishlist compare quickview".split())
_LABEL_CLASSES = frozenset("label hidden reader sronly".split())


@dataclass(frozen=True, eq=False)
class ColumnsSeen:
    """The columns of a table (their numbers in `names`, with the name and type of each) as far as
    it must be known which to show.
    """

    view: PageView
    read: ReadCells
    names: dict[int, str]
    kinds: dict[int, str]
    has_headers: bool
    """Whether the page itself calls the columns: then none of their order is changed."""
    named: set[int]
    """Columns that the page itself calls something."""
    labels: set[int]
    """Columns that only say what another one is."""

    @cached_property
    def shown(self) -> list[int]:
        """The columns to show, in their order; at least one."""
        says = [
            number
            for number in self.names
            if self.kinds[number] == IMAGE.name
            or not (self._is_action(number) or self._is_label(number) or self._says_little(number))
        ]
        kept = [number for number in says if not self._is_copy(number, says)]
        pictures = [number for number in kept if self.kinds[number] == IMAGE.name]
        kept = [number for number in kept if number not in pictures]
        telling = [number for number in pictures if self._differ(number)]
        if telling or (pictures and not kept):
            kept.append(max(telling or pictures, key=lambda at: (len(self._texts(at)), -at)))
        if not kept:
            return list(self.names)
        return sorted(kept) if self.has_headers else self._ordered(kept)

    def _ordered(self, kept: list[int]) -> list[int]:
        first = next((number for number in kept if self.names[number] in IDENTIFYING_NAMES), None)
        return sorted(kept, key=lambda at: (at != first, self.kinds[at] in (IMAGE.name, "url"), at))

    def _texts(self, number: int) -> list[str]:
        return self.read.column_texts(number)

    def _differ(self, number: int) -> bool:
        texts = self._texts(number)
        return len(texts) == 1 or len(set(texts)) > 1

    def _is_constant(self, number: int) -> bool:
        texts = self._texts(number)
        return len(texts) >= MIN_RECORDS_FOR_CONSTANTS and len(set(texts)) == 1

    def _is_action(self, number: int) -> bool:
        """Buttons, and links that all say the same though they lead to different places."""
        if self.kinds[number] != TEXT.name:
            return False
        texts = set(self._texts(number))
        if len(texts) > MAX_BUTTON_TEXTS or any(re.search(r"\d", text) for text in texts):
            return False
        slots = self.read.slots_of[number]
        if all(map(self._is_in_button, slots)) and (len(slots) > len(texts)):
            return True
        if not self._is_constant(number):
            return False
        words = set(re.findall(r"[^\W\d_]+", next(iter(texts)).lower()))
        return not words or words <= _ACTIONS or self._leads_elsewhere(number)

    def _leads_elsewhere(self, number: int) -> bool:
        """Whether a column's links differ, and another column has them too."""
        links = [self.read.link(slot) for slot in self.read.slots_of[number]]
        return len(set(links)) > 1 and any(
            set(links) <= {self.read.link(slot) for slot in slots}
            for other, slots in self.read.slots_of.items()
            if other != number and len(slots) >= len(links)
        )

    def _says_little(self, number: int) -> bool:
        """Whether hardly any record has the column, or many records all say the same there; not
        where the page has a name for it, or it is a value.
        """
        size, texts = len(set(self.read.records)), self._texts(number)
        if len(texts) <= MAX_SHARE_OF_RARE * size and not (
            self.has_headers and number in self.named
        ):
            return True
        if self._is_one_word_everywhere(number):
            return True
        if self.has_headers or number in self.named:
            return False
        is_link = self.read.link(self.read.slots_of[number][0]) is not None
        is_text = self.kinds[number] == TEXT.name and (
            is_link
            or len(texts[0]) > MAX_LABEL_LENGTH
            or not re.search(r"\d", texts[0])
            or not self._is_constant(number)
        )
        is_kept = self._may_be_constant(number)
        return (
            is_text and not is_kept and len(texts) >= MIN_RECORDS_ALL_ALIKE and len(set(texts)) == 1
        )

    def _is_one_word_everywhere(self, number: int) -> bool:
        """Whether all rows of a table with headers have the same word in a column that no header
        names: `ADA` beside each case.
        """
        size, texts = len(set(self.read.records)), self._texts(number)
        return (
            self.has_headers
            and len(texts) == size >= MIN_RECORDS_OF_ONE_WORD
            and len(set(texts)) == 1
            and texts[0].isalpha()
            and self.kinds[number] == TEXT.name
            and number not in self.named
            and not self._may_be_constant(number)
        )

    def _may_be_constant(self, number: int) -> bool:
        """Whether a column says something even where all records say the same."""
        first = self._texts(number)[0]
        return self.names[number] in _CONSTANT_VALUES or says_availability(first) is not None

    def _is_label(self, number: int) -> bool:
        """Whether a column is one label again and again, whose value is another column."""
        if number in self.labels:
            return True
        if self.kinds[number] != TEXT.name:
            return False
        if all(map(_is_price_label, self._texts(number))) or self._counts_pictures(number):
            return True
        if not self._is_constant(number):
            return False
        if self._texts(number)[0].endswith(":"):
            return True
        node = self.read.holders[self.read.slots_of[number][0]]
        return self.view.tags[node] in ("label", "dt") or self._has_class(node, _LABEL_CLASSES)

    def _counts_pictures(self, number: int) -> bool:
        """Whether every record counts from one: `Slide 1 Slide 2 Slide 3` of a row of pictures."""
        counts = list(map(_counted_from_one, self._texts(number)))
        return len(counts) >= MIN_RECORDS_FOR_CONSTANTS and min(counts) >= 1 and max(counts) >= 2

    def _is_in_button(self, slot: int) -> bool:
        node = self.read.holders[slot]
        for _ in range(3):  # the text of a button may be dressed
            if self.view.tags[node] == "button" or self._has_class(node, _BUTTON_CLASSES):
                return True
            node = self.view.parents[node]
            if self.view.text_count(node) > 1:
                return False
        return False

    def _has_class(self, node: int, wanted: frozenset[str]) -> bool:
        names = self.view.class_words(node)
        words = {word for name in names for word in re.findall("[a-z]+", name.lower())}
        return not words.isdisjoint(wanted) or "sr-only" in names

    def _is_copy(self, number: int, among: Sequence[int]) -> bool:
        """Whether another column has the same in every record that has this one; of two equal
        ones the title stays, then the one with links, then the first.
        """
        mine = self._keys[number]
        if self.kinds[number] not in (TEXT.name, IMAGE.name, *_PRICES) and (
            self.has_headers or len(set(mine.values())) < MIN_DIFFERENT_NUMBERS
        ):
            return False
        return any(
            other != number
            and not self.has_headers
            and mine.items() <= self._keys[other].items()
            and (len(mine) < len(self._keys[other]) or self._rank(other) < self._rank(number))
            for other in among
        )

    def _rank(self, number: int) -> tuple[bool, bool, int]:
        is_title = self.names[number] in IDENTIFYING_NAMES
        return not is_title, self.read.link(self.read.slots_of[number][0]) is None, number

    @cached_property
    def _keys(self) -> dict[int, dict[int, object]]:
        """What each column says in each record, to be compared."""
        has_prices = sum(self.kinds[number] in _PRICES for number in self.names) > 1
        return {
            number: {
                self.read.records[slot]: (
                    _amounts(self.read, slot)
                    if has_prices and self.kinds[number] in _PRICES
                    else _plain(self.read.texts[slot])
                )
                for slot in self.read.slots_of[number]
            }
            for number in self.names
        }


_PRICES = ("price", "price range")


def _plain(text: str) -> str:
    """A text to be compared: without a label before it, marks at its ends, and capitals."""
    label, colon, value = text.partition(": ")
    return (value if colon and len(label) <= MAX_LABEL_LENGTH else text).strip(" .,-–—|").casefold()


def _counted_from_one(text: str) -> int:
    """How far a text counts, each number with the same word before it; 0 where it says more.

    >>> [_counted_from_one(text) for text in ("Slide 1 Slide 2", "1 2 3", "Step 2")]
    [2, 3, 0]
    """
    counted = [match.groups() for match in _COUNTED.finditer(text)]
    is_all = not _COUNTED.sub("", text).strip()
    is_one_word = len({word.strip() for word, _ in counted}) == 1
    numbers = [number for _, number in counted]
    is_running = numbers == [str(count) for count in range(1, len(numbers) + 1)]
    return len(numbers) if is_all and is_one_word and is_running else 0


def _is_price_label(text: str) -> bool:
    """Whether a text is `Regular price` or the like; `Sale` alone says something."""
    words = re.findall(r"[^\W_]+", text.lower())
    return len(words) > 1 and _LABEL_WORDS.issuperset(words)


def _amounts(read: ReadCells, slot: int) -> object:
    value = read.value(slot)
    if isinstance(value, Price):
        return value.amount, value.amount
    return (value.low, value.high) if isinstance(value, PriceRange) else read.texts[slot]
