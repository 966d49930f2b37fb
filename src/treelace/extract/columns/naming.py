"""What a column is called: by the page's own words where it has any, else by its tag."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from treelace.extract.columns.whole_prices import former_price_columns
from treelace.extract.page.page_view import FORMATTING, PageView
from treelace.extract.types import TEXT, type_named

LAYOUT_WORDS = frozenset(
    "text txt item items row col column cell content container wrapper wrap inner outer block box"
    " left right top bottom first last odd even clearfix clear small large big bold main body media"
    " list result results info data value label field meta link span div margin padding none flex"
    " grid fluid full hidden visually reader screen only underline unstyled muted white black dark"
    " light rich module toggle dropdown icon btn sym symbol font weight display align center match"
    " primary secondary bar".split()
)
"""Class words that say how something looks or where it stands, not what it is."""

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])

MAX_LEVELS_ABOVE = 40
"""Levels above an item that may name its column."""

MAX_HEADER_LENGTH = 60
"""Characters above which a header of a table explains its column and does not name it."""

MAX_LABEL_LENGTH = 30
"""Characters of a label before a colon (`Replies: 2`) that may name a column."""

_PLAIN = FORMATTING | {"div", "p", "td", "li", "dd", "dt", "section", "article"}


def column_names(
    view: PageView,
    records: Sequence[tuple[int, ...]],
    columns: Sequence[Sequence[Sequence[int]]],
    kinds: Sequence[str] = (),
) -> list[str]:
    """A name for each column (`columns[c][r]` are its items in record r, `kinds[c]` is its type).

    In this order: `itemprop`; the header of a table's column; a class word; `title` for headings;
    the tag, if it says what a thing is. Words that only say how a thing looks are passed over: what
    they leave without a name is called by the label that all its texts begin with (`Replies: 2`),
    by its type (`price`, `date`), `title` for the first link, or `text`.
    """
    names: list[str] = []
    headers = _headers(view, records)
    firsts = [
        [(roots, items[0]) for roots, items in zip(records, column, strict=True) if items]
        for column in columns
    ]
    said = [_most_named(first, view, headers) for first in firsts]
    are_prices = [kind in _PRICES for kind in kinds]
    if any(are_prices):
        former = former_price_columns(view, records, columns, are_prices)
        own = {*headers.values(), *map(_plain, view.properties.values()), *_MONEY}
        said = [
            ("text" if name == "price" and name not in own else name)
            if not is_price or name in own
            else ("former price" if at in former else "price")
            for at, (name, is_price) in enumerate(zip(said, are_prices, strict=True))
        ]
    has_title = not _TITLES.isdisjoint(said)
    for number, name in enumerate(said):
        if name in _SAY_NOTHING:
            kind = kinds[number] if number < len(kinds) else TEXT.name
            is_title = not has_title and kind == TEXT.name and _is_linked(view, firsts[number])
            label = _label([view.texts.get(item, "") for _, item in firsts[number]])
            otherwise = "title" if is_title else "text"
            name = label or (kind if type_named(kind).names_columns else otherwise)
        names.append(name)
        has_title = has_title or name in _TITLES
    return names


_SAY_NOTHING = FORMATTING | set(
    "p div td th tr li ul ol dl dd dt table tbody section article main header body figure"
    " text".split()
)
"""Tags that do not say what a thing is."""

_PRICES = frozenset(["price", "price range"])
"""Types of columns of which a class says little more than the type."""

_MONEY = frozenset("cost deposit discount fee fees rent salary saving savings shipping tax".split())
"""Class words that say which sum of money is meant."""

_TITLES = frozenset(["title", "name", "headline"])


def _label(texts: Sequence[str]) -> str:
    """What all texts of a column begin with, up to a colon."""
    labels = {text.partition(":")[0].strip() if ":" in text else "" for text in texts}
    label = labels.pop() if len(labels) == 1 and len(texts) > 1 else ""
    return (
        label
        if 1 < len(label) <= MAX_LABEL_LENGTH
        and label.replace(" ", "").isalpha()
        and label.lower() not in ("http", "https")
        else ""
    )


def _is_linked(view: PageView, firsts: Sequence[tuple[tuple[int, ...], int]]) -> bool:
    """Whether most items are links, all with other texts."""
    tags, parents = view.tags, view.parents
    linked = 0
    for roots, item in firsts:
        node = parents[item]
        while node and tags[node] != "a" and node not in roots:
            node = parents[node]
        linked += tags[node] == "a"
    return 2 * linked > len(firsts) and len({view.texts.get(item) for _, item in firsts}) == len(
        firsts
    )


def _most_named(
    firsts: Sequence[tuple[tuple[int, ...], int]], view: PageView, headers: dict[int, str]
) -> str:
    """The name that most records give a column; decided once more than half of them agree."""
    votes: Counter[str] = Counter()
    for roots, item in firsts:
        if name := _name(view, roots, item, headers):
            votes[name] += 1
            if 2 * votes[name] > len(firsts):
                return name
    return votes.most_common(1)[0][0] if votes else "text"


def _name(view: PageView, roots: tuple[int, ...], item: int, headers: dict[int, str]) -> str:
    if item in view.images:
        return "image"
    tags, parents, ends, before = view.tags, view.parents, view.ends, view.text_before
    top = next((root for root in roots if root <= item < ends[root]), item)
    chain: list[int] = []
    node = item if tags[item] != "#text" else parents[item]
    while node >= top and node and len(chain) < MAX_LEVELS_ABOVE:
        if node in view.properties:
            return _plain(view.properties[node])
        if node in headers:
            return headers[node]
        chain.append(node)
        node = parents[node]
    near = [node for node in chain if before[ends[node]] - before[node] <= 3] or chain[:1]
    for node in near:
        if (
            node in roots and len(roots) == 1
        ):  # its class says what a record is, not what this column is
            break
        if word := _class_word(view.class_words(node)):
            return word
        if tags[node] in _HEADINGS:  # nearer than what the classes around it say
            return "title"
    tag = next((view.tags[node] for node in near if view.tags[node] not in _PLAIN), None)
    if tag in _HEADINGS:
        return "title"
    return tag or (view.tags[near[0]] if near else "text")


def _plain(name: str) -> str:
    return name.rsplit("/", 1)[-1].rsplit(":", 1)[-1]


def _unless_made(end: re.Match[str]) -> str:
    """The end of a class, unless generated (`Text-ejgREu`: capitals where no word begins)."""
    return "" if re.search(r"[a-z][A-Z]{2}|[A-Z]{2}[a-z]|[a-z][A-Z][a-z]?$", end[0]) else end[0]


@lru_cache(maxsize=4096)
def _class_word(classes: tuple[str, ...]) -> str:
    for whole in classes:
        name = re.sub(r"[-_]+[A-Za-z]{5,6}$", _unless_made, whole)
        words = [
            word.lower()
            for word in re.findall(r"[A-Za-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
        ]
        if len(words) > 1 and max(map(len, words)) < 4:  # made by a program, too: eFKTtX
            continue
        words = [
            word
            for word in words
            if len(word) > 2 and word not in LAYOUT_WORDS and re.search("[aeiouy]", word)
        ]
        if words and not any(character.isdigit() for character in name):
            return " ".join(words[-2:]) if len(words) > 1 and len(words[-1]) < 4 else words[-1]
    return ""


def _headers(view: PageView, records: Sequence[tuple[int, ...]]) -> dict[int, str]:
    """Cells of table rows by their header's text, in tables with one header row."""
    if not all(len(roots) == 1 and view.tags[roots[0]] == "tr" for roots in records):
        return {}
    table = view.parents[records[0][0]]
    while table and view.tags[table] != "table":
        table = view.parents[table]
    heads: list[str] = []
    for row in range(table, records[0][0]):
        cells = (
            [cell for cell in view.children[row] if view.tags[cell] in ("th", "td")]
            if view.tags[row] == "tr"
            else []
        )
        if cells and all(view.tags[cell] == "th" or view.text_count(cell) <= 2 for cell in cells):
            heads = [_head(view, cell) for cell in cells]
    named: dict[int, str] = {}
    for (row,) in records:
        cells = [cell for cell in view.children[row] if view.tags[cell] in ("th", "td")]
        if len(cells) == len(heads):
            named.update({cell: head for cell, head in zip(cells, heads, strict=True) if head})
    return named


def _head(view: PageView, cell: int) -> str:
    """What a header cell says, without a colon at its end; of a long one its first text."""
    texts = [view.texts[text] for text in view.texts_in(cell)]
    said = " ".join(texts)
    return (said if len(said) <= MAX_HEADER_LENGTH else texts[0]).removesuffix(":").rstrip()
