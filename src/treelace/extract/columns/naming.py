"""What a column is called: by the page's own words where it has any, else by what it holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from treelace.extract.columns.called_values import MONEY, PRICES, may_be_called
from treelace.extract.columns.labels_beside import MIN_SHARE_OF_LABEL, Items, LabelsBeside
from treelace.extract.columns.link_names import name_of_links
from treelace.extract.columns.meaning_words import (
    class_meaning,
    meaning_of,
    price_words,
    property_word,
    record_word,
)
from treelace.extract.columns.page_labels import (
    as_label,
    header_text,
    table_headers,
)
from treelace.extract.columns.value_names import (
    IDENTIFYING_NAMES,
    MAY_BE_TITLES,
    is_near_date,
    name_of_values,
    sure_name,
)
from treelace.extract.columns.whole_prices import former_price_columns
from treelace.extract.page.page_view import PageView
from treelace.extract.types import IMAGE, TEXT

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_MEANING_TAGS = {"time": "date", "address": "address", "button": "button"} | dict.fromkeys(
    _HEADINGS, "title"
)
_PARTS_OF_THINGS = frozenset(["name", "url", "text"])
"""Properties that a thing inside a thing has: the name of an author is the author."""

_LABEL_ATTRIBUTES = ("data-label", "data-th", "data-title", "aria-label")
_CLASS_ATTRIBUTES = ("data-testid", "data-test", "data-qa", "data-role")

MAX_LEVELS_ABOVE = 40
"""Levels above an item that may name its column."""

MAX_LEVELS_OF_LIST = 3
"""Elements, from a record upwards, whose classes may say what the records are."""

MAX_TEXTS_OF_ONE_COLUMN = 3
"""Visible texts of an element above which its class names more than one column."""

MAX_TEXTS_OF_THING = 6
"""Visible texts above which a thing with properties is more than one value of a record."""

MAX_TITLE_LENGTH = 160
"""Characters of the text in the middle above which a column is no title."""

MIN_SHARE_OF_LISTS = 0.3
"""Share of a column's cells that must be several links for it to be called `tags`."""


@dataclass(frozen=True, eq=False)
class ColumnNames:
    """What the columns of a table (`columns[c]` are the items of column c, `kinds[c]` is its type,
    `texts[c]` are its texts) are called, in this order:

    1. by the page's own words: `itemprop`, the header of a table's column, `dt` or `th` before it,
       `data-label`, `aria-label`, a label beside it or at the start of its texts (`Replies: 2`);
    2. prices by their type: `price`, `former price`;
    3. by a class word, or a tag, with a meaning (`author`, `h3`): `meanings` of the languages;
    4. by what its values are: `name_of_values`.
    """

    view: PageView
    records: Sequence[tuple[int, ...]]
    columns: Sequence[Items]
    kinds: Sequence[str]
    texts: Sequence[Sequence[str]]

    @cached_property
    def names(self) -> list[str]:
        """A name for each column; equal ones may come more than once."""
        said = [self._said(at) for at in range(len(self.columns))]
        titles = [
            (*self._title_rank(at, name), at)
            for at, name in enumerate(said)
            if name in ("title", "subtitle") and self._may_be_title(at)
        ]
        best = min(titles)[-1] if titles else -1
        if titles:
            said[best] = "title"
        has_title = best >= 0 or any(
            name.lower() in IDENTIFYING_NAMES for name in self.own.values()
        )
        has_title = has_title or bool(self.headers) or "ingredient" in said
        if "price" not in said and "saving" in said:  # what is left to pay after a former price
            said[said.index("saving")] = "price"
        guessed = []
        for at, name in enumerate(said):
            if not name or (name == "title" and at not in self.own and at != best):
                texts = self.texts[at] or [""]
                said[at] = name_of_values(
                    texts,
                    self.kinds[at],
                    is_linked=self._is_linked(at),
                    are_lists=self._are_lists(at),
                )
                guessed.append(at)
        if not has_title:
            able = [at for at in guessed if said[at] in MAY_BE_TITLES and self._identifies(at)]
            if not able:  # a day and more than a day
                able = [at for at in guessed if said[at] == "date" and self._is_linked(at)]
                able = [at for at in able if self.kinds[at] == TEXT.name and self._identifies(at)]
            if able:
                best = min(able, key=lambda at: (not self._is_linked(at), at))
                said[best] = (not self._is_linked(best) and self._list_word) or "title"
        return said

    @cached_property
    def _list_word(self) -> str:
        """What every record is by the classes of the list, where these say it: `ingredient`."""
        node = self.records[0][0]
        for _ in range(MAX_LEVELS_OF_LIST):
            if word := record_word(self.view.class_words(node)):
                return word
            if node <= 0 or self.view.tags[node] in ("body", "main", "article"):
                break
            node = self.view.parents[node]
        return ""

    def _identifies(self, at: int) -> bool:
        """Whether most records have the column, each with a text of its own."""
        texts = self.texts[at]
        length = sorted(map(len, texts))[len(texts) // 2] if texts else 0
        return (
            2 * len(texts) > len(self.records)
            and 2 * len(set(texts)) > len(texts)
            and length <= MAX_TITLE_LENGTH
            and 2 * sum(sum(map(str.isalpha, text)) > 0.3 * len(text) for text in texts)
            > len(texts)
            and at not in self.labels
        )

    @cached_property
    def own(self) -> dict[int, str]:
        """Columns that the page itself calls something; of several under one header the
        fullest."""
        found: dict[int, str] = {}
        under: dict[str, list[int]] = {}
        for at in range(len(self.columns)):
            name = self._most(at, self._own_word)
            if name in self.headers.values():
                under.setdefault(name, []).append(at)
            found[at] = name or self._beside.found[0].get(at, "") or _common_label(self.texts[at])
        for those in under.values():
            kept = max(those, key=lambda at: (len(self.texts[at]), -at))
            for at in those:
                if at != kept:
                    found[at] = _common_label(self.texts[at])
        return {at: name for at, name in found.items() if name}

    @cached_property
    def labels(self) -> set[int]:
        """Columns that only say what the one beside them is."""
        return self._beside.found[1]

    def _said(self, at: int) -> str:
        if self.kinds[at] == IMAGE.name:
            sources = [self.view.images.get(item, "") for _, item in self._firsts(at)]
            is_rating = all(re.search(r"star|rating", source) for source in sources)
            return self.own.get(at, "rating" if is_rating else IMAGE.name)
        if at in self.own:
            return self.own[at]
        if self.kinds[at] == TEXT.name and (sure := sure_name(self.texts[at])):
            return sure
        if self.kinds[at] == TEXT.name and (name := name_of_links(self.texts[at], self._links(at))):
            return "tags" if name == "tag" and self._are_lists(at) else name
        word = self._most(at, self._class_or_tag)
        if self.kinds[at] in PRICES:
            return "former price" if at in self._former else word if word in MONEY else "price"
        if word == "time" and sum(map(is_near_date, self.texts[at])) > len(self.texts[at]) / 2:
            return "date"
        word = word if word and may_be_called(word, self.texts[at], self.kinds[at]) else ""
        return word or (_first_word_meaning(self.texts[at]) if self.kinds[at] == TEXT.name else "")

    @cached_property
    def _former(self) -> set[int]:
        are_prices = [kind in PRICES for kind in self.kinds]
        return former_price_columns(self.view, self.records, self.columns, are_prices)

    def _may_be_title(self, at: int) -> bool:
        """Whether most records have the column, and it does not say the same in most of them."""
        texts = self.texts[at]
        is_there = 2 * len(texts) > len(self.records) and 2 * len(set(texts)) >= len(texts)
        return is_there and at not in self.own

    def _title_rank(self, at: int, name: str) -> tuple[bool, bool, bool]:
        """Better titles have lower ranks: they differ, are called so, and stand in headings."""
        record, item = self._firsts(at)[0]
        tags = [self.view.tags[node] for node in self._near(record, item)]
        are_alike = len(set(self.texts[at])) < MIN_SHARE_OF_LABEL * len(self.texts[at])
        return are_alike, name != "title", _HEADINGS.isdisjoint(tags)

    def _firsts(self, at: int) -> list[tuple[int, int]]:
        return [(record, items[0]) for record, items in enumerate(self.columns[at]) if items]

    def _most(self, at: int, name_of: Callable[[int, int], str]) -> str:
        """The name that half of the records or more give a column."""
        firsts = self._firsts(at)
        votes = Counter(name_of(record, item) for record, item in firsts)
        del votes[""]
        ((name, count),) = votes.most_common(1) or [("", 0)]
        return name if 2 * count >= len(firsts) else ""

    def _above(self, record: int, item: int) -> Iterator[int]:
        """The elements around an item inside its record, the nearest first, its root at last."""
        roots, node = self.records[record], item
        for _ in range(MAX_LEVELS_ABOVE):
            if self.view.tags[node] != "#text":
                yield node
            if node in roots or not node:
                return
            node = self.view.parents[node]

    def _near(self, record: int, item: int) -> Iterator[int]:
        """Those of them that have little else in them, and are not the record itself."""
        roots = self.records[record]
        for node in self._above(record, item):
            if self.view.text_count(node) > MAX_TEXTS_OF_ONE_COLUMN or (
                node in roots and len(roots) == 1
            ):
                return
            yield node

    def _own_word(self, record: int, item: int) -> str:
        view, inner = self.view, ""
        for node in self._above(record, item):
            if node in view.properties and not self._is_of_record(record, node, inner):
                inner, known = property_word(view.properties[node]), inner
                if inner not in _PARTS_OF_THINGS:
                    return inner
                inner = known if known not in ("", "url") else inner  # the link of a name
            if node in self.headers:
                return self.headers[node]
            if view.tags[node] in ("dd", "td") and (name := self._term(record, node)):
                return name
        if inner:
            return inner
        for node in self._near(record, item):
            label = self._attribute_labels.get(node, "")
            if label and label != view.texts.get(item):
                return label
        return ""

    def _is_of_record(self, record: int, node: int, inner: str) -> bool:
        """Whether the property of an element is not that of a value in it: it is of a thing with
        several, or of the record itself.
        """
        count = self.view.text_count(node)
        is_record = node in self.records[record] and count > MAX_TEXTS_OF_ONE_COLUMN
        return is_record or (bool(inner) and count > MAX_TEXTS_OF_THING)

    def _term(self, record: int, node: int) -> str:
        """What a `dt`, or a `th` of a table inside the record, says before this `dd` or `td`."""
        row = self.view.parents[node]
        if row in self.records[record] or node in self.records[record]:
            return ""
        before = [child for child in self.view.children[row] if child < node]
        wanted = "dt" if self.view.tags[node] == "dd" else "th"
        term = before[-1] if before else node
        return header_text(self.view, term) if self.view.tags[term] == wanted else ""

    def _class_or_tag(self, record: int, item: int) -> str:
        for node in self._near(record, item):
            words = (*self.view.class_words(node), *self._class_attributes.get(node, ()))
            if name := class_meaning(words):
                return name
            if name := _MEANING_TAGS.get(self.view.tags[node], ""):
                return name
        return ""

    @cached_property
    def _attribute_labels(self) -> dict[int, str]:
        return {
            node: label
            for attribute in reversed(_LABEL_ATTRIBUTES)
            for node, value in self.view.core.having(attribute)
            if (label := as_label(value))
        }

    @cached_property
    def _class_attributes(self) -> dict[int, tuple[str, ...]]:
        return {
            node: (value,)
            for attribute in _CLASS_ATTRIBUTES
            for node, value in self.view.core.having(attribute)
        }

    @cached_property
    def headers(self) -> dict[int, str]:
        """Cells of table rows by their header."""
        return table_headers(self.view, self.records)

    @cached_property
    def _beside(self) -> LabelsBeside:
        linked = frozenset(filter(self._is_linked, range(len(self.columns))))
        return LabelsBeside(self.view, self.columns, self.kinds, self.texts, linked)

    def _are_lists(self, at: int) -> bool:
        """Whether some cells are several links."""
        several = 0
        for record, items in enumerate(self.columns[at]):
            links = {
                node
                for item in items
                for node in self._above(record, item)
                if self.view.tags[node] == "a"
            }
            several += len(links) > 1
        return several >= MIN_SHARE_OF_LISTS * len(self.texts[at])

    def _links(self, at: int) -> list[str]:
        """Where the items of a column lead to, first the nearest link around each."""
        found = []
        for record, item in self._firsts(at):
            around = (node for node in self._above(record, item) if self.view.tags[node] == "a")
            link = next(around, None)
            href = "" if link is None else self.view.tree.attribute(link, "href")
            found.append(href or "")
        return found

    def _is_linked(self, at: int) -> bool:
        """Whether most items are in links."""
        firsts = self._firsts(at)
        linked = sum(
            any(self.view.tags[node] == "a" for node in self._above(record, item))
            for record, item in firsts
        )
        return 2 * linked > len(firsts)


def _common_label(texts: Sequence[str]) -> str:
    """What all texts of a column begin with, up to a colon; not `Our price`."""
    labels = {re.split("[:：]", text)[0] if re.search("[:：]", text) else "" for text in texts}
    label = as_label(labels.pop()) if len(labels) == 1 and len(texts) > 1 else ""
    return "" if price_words().issuperset(label.lower().split()) else label


def _first_word_meaning(texts: Sequence[str]) -> str:
    """What the word means that all texts begin with: `published 1995`."""
    found = {meaning_of(re.sub(r"^\W+", "", text).partition(" ")[0]) for text in texts}
    return found.pop() if len(found) == 1 and len(texts) > 1 else ""
