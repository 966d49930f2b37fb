"""Keeps prices whole (sign, amount, cents, range) and former prices in a column of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from treelace.extract.cells.money_text import is_sign
from treelace.extract.columns.alignment import Slots
from treelace.extract.locales import Locale, all_words
from treelace.extract.page.page_view import PageView
from treelace.extract.types import type_named
from treelace.extract.types.number import DIGITS
from treelace.extract.types.price import BETWEEN, SIGN, Price, is_range

MAX_PRICE_LENGTH = 60
"""Characters above which a text is more than a price."""

_STRUCK = frozenset(["del", "s", "strike"])
_DRESS = _STRUCK | frozenset(
    "a abbr b bdi big data div em font i ins label mark p small span strong sub sup u".split()
)
"""Elements that dress a price and do not place it."""

_FORMER = frozenset([*all_words(lambda it: it.former), "old", "previous", "crossed", "strike"])
_OF_CENTS = frozenset("cent cents decimal decimals fraction pennies sup superscript".split())
_AMOUNT = r"(?:W[NC]|[NC]M?C|[NC])"
_ONE = rf"F?(?:S{_AMOUNT}|{_AMOUNT}s|PC?|QC)"
_GROUP = re.compile(rf"(?:{_ONE}D(?:{_ONE}|{_AMOUNT})|{_AMOUNT}D{_ONE}|{_ONE}d|e{_ONE}|{_ONE}|R)")
"""A price or a range in the letters of `_letter`, one for each text of a record."""

_SHAPES = {
    letter: re.compile(shape, re.IGNORECASE)
    for letter, shape in {
        "C": r"\d\d",
        "N": DIGITS,
        "W": r"\d[\d.,\s]*[.,]",
        "M": r"[.,]",
        "Q": rf"{SIGN}\s*\d[\d.,\s]*[.,]",
        "D": BETWEEN,
        "d": rf"(?:{BETWEEN})\s*(?:{SIGN}\s*(?:{DIGITS})|(?:{DIGITS})\s*{SIGN})",
        "e": rf"(?:{SIGN}\s*(?:{DIGITS})|(?:{DIGITS})\s*{SIGN})\s*(?:{BETWEEN})",
    }.items()
}
_PREFIXES = frozenset(all_words(lambda it: it.price_prefixes))
_NO_LOCALE = Locale()


class PriceItems(NamedTuple):
    """The items of one price of a record; whether it is a former price; the tags above it."""

    items: list[int]
    is_former: bool
    path: tuple[str, ...]


def with_whole_prices(view: PageView, records: Sequence[tuple[int, ...]], slots: Slots) -> Slots:
    """The slots with every price in one of them, where the markup or the alignment cut some apart.

    A price is a run of texts that read as one: `$` `275.00`, `$12` `99`, `$120.00` `–` `$340.00`.
    It is a former one where it stands in `del` or `s`, or where a class or a word beside it says
    so and another price of the record is lower. Prices of one kind, in one place, are one column.
    Every item keeps its record, and no text is lost. Time linear in the items.
    """
    rows: list[dict[int, list[int]]] = [{} for _ in records]
    for slot, (record, number) in enumerate(zip(slots.record, slots.column, strict=True)):
        rows[record][number] = slots.items(slot)
    if not any(_letter(view.texts.get(node, "")) in "SPQRde" for node in slots.nodes):
        return slots
    groups = [
        list(prices_in(view, roots, sorted(node for items in row.values() for node in items)))
        for roots, row in zip(records, rows, strict=True)
    ]
    if not _is_cut(rows, groups):
        return slots
    return _regrouped(rows, groups)


def former_price_columns(
    view: PageView,
    records: Sequence[tuple[int, ...]],
    columns: Sequence[Sequence[Sequence[int]]],
    are_prices: Sequence[bool],
) -> set[int]:
    """Columns (`columns[c][r]`: items) that are former prices in most records that have them."""
    votes = [0] * len(columns)
    for record, roots in enumerate(records):
        filled = [
            number
            for number, column in enumerate(columns)
            if are_prices[number] and any(node in view.texts for node in column[record])
        ]
        found = [
            [node for node in columns[number][record] if node in view.texts] for number in filled
        ]
        items = sorted(view.items_in(roots)) if found else []
        for number, is_former in zip(filled, _formers(view, roots, items, found), strict=True):
            votes[number] += 1 if is_former else -1
    return {number for number, vote in enumerate(votes) if vote > 0}


def _is_cut(rows: list[dict[int, list[int]]], groups: list[list[PriceItems]]) -> bool:
    """Whether a price lies in several slots, former and present ones in one column, or the only
    price of a record now in one column and now in another.
    """
    former_of: dict[int, bool] = {}
    homes: dict[tuple[bool, tuple[str, ...]], set[int]] = {}
    for row, those in zip(rows, groups, strict=True):
        column_of = {node: number for number, items in row.items() for node in items}
        for group in those:
            numbers = {column_of[node] for node in group.items}
            number = min(numbers)
            if len(numbers) > 1 or former_of.setdefault(number, group.is_former) != group.is_former:
                return True
            if sum(other.is_former == group.is_former for other in those) == 1:
                homes.setdefault((group.is_former, group.path), set()).add(number)
    return any(len(those) > 1 for those in homes.values())


def _regrouped(rows: list[dict[int, list[int]]], groups: list[list[PriceItems]]) -> Slots:
    home: dict[tuple[bool, tuple[str, ...], int], int] = {}
    made: list[dict[tuple[int, int], list[int]]] = []
    keys: list[list[tuple[bool, tuple[str, ...], int]]] = []
    for row, those in zip(rows, groups, strict=True):
        column_of = {node: number for number, items in row.items() for node in items}
        seen: dict[tuple[bool, tuple[str, ...]], int] = {}
        keys.append([])
        for group in those:
            kind = (group.is_former, group.path)
            seen[kind] = seen.get(kind, 0) + 1
            keys[-1].append((*kind, seen[kind]))
            number = column_of[group.items[0]]
            home[keys[-1][-1]] = min(number, home.get(keys[-1][-1], number))
    place = {
        key: (home[key], at)
        for at, key in enumerate(sorted(home, key=lambda key: (home[key], key[2], key[0])), 1)
    }
    for row, those, its in zip(rows, groups, keys, strict=True):
        taken = {node for group in those for node in group.items}
        left = {
            (number, 0): [node for node in items if node not in taken]
            for number, items in row.items()
        }
        made.append(left | {place[key]: group.items for key, group in zip(its, those, strict=True)})
    numbers = sorted({key for row_ in made for key, items in row_.items() if items})
    rank = {key: number for number, key in enumerate(numbers)}
    return Slots.of([{rank[key]: row_[key] for key in sorted(row_) if row_[key]} for row_ in made])


def prices_in(view: PageView, roots: tuple[int, ...], items: list[int]) -> Iterator[PriceItems]:
    """The prices of a record, each with its texts among `items`."""
    letters = _letters(view, roots, items)
    found = [
        items[match.start() : match.end()]
        for match in _GROUP.finditer(letters)
        if _is_one_place(view, items[match.start()], items[match.end() - 1])
    ]
    for those, is_former in zip(found, _formers(view, roots, items, found), strict=True):
        path = [view.tags[node] for node in _above(view, roots, those[0])]
        yield PriceItems(those, is_former, tuple(tag for tag in path if tag not in _DRESS))


def _formers(
    view: PageView, roots: tuple[int, ...], items: list[int], prices: Sequence[list[int]]
) -> list[bool]:
    """Whether each price of a record, given by its items, is a former one."""
    amounts = [_amount(view, those) for those in prices]
    are_struck = [
        any(view.tags[node] in _STRUCK for node in _above(view, roots, those[0]))
        for those in prices
    ]
    present = [amount for amount, is_so in zip(amounts, are_struck, strict=True) if not is_so]
    return [
        is_struck or (amount > min(present) and _is_called_former(view, roots, items, those))
        for those, amount, is_struck in zip(prices, amounts, are_struck, strict=True)
    ]


def _letters(view: PageView, roots: tuple[int, ...], items: list[int]) -> str:
    letters = [_letter(view.texts.get(node, "")) for node in items]
    for at, letter in enumerate(letters):
        before = letters[at - 1] if at else "x"
        if letter == "C" and before in "NCPM" and not _says_cents(view, roots, items[at]):
            letters[at] = "N" if before != "M" else "C"
        if letter == "S":
            after = letters[at + 1] if at + 1 < len(items) else "x"
            is_after = before in "NCW" and (
                after not in "NCW"
                or _level(view, items[at - 1], items[at]) > _level(view, items[at], items[at + 1])
            )
            letters[at] = "s" if is_after else "S"
    return "".join(letters)


@lru_cache(maxsize=4096)
def _letter(text: str) -> str:
    """What a text may be in a price; x: nothing."""
    if not text or len(text) > MAX_PRICE_LENGTH:
        return "x"
    if is_sign(text):
        return "S"
    for letter, shape in _SHAPES.items():
        if shape.fullmatch(text):
            return letter
    if is_range(text):
        return "R"
    if type_named("price").recognises(text):
        return "P"
    return "F" if text.lower() in _PREFIXES else "x"


def _says_cents(view: PageView, roots: tuple[int, ...], node: int) -> bool:
    above = next(iter(_above(view, roots, node)), node)
    words = {word for name in view.class_words(above) for word in re.findall("[a-z]+", name)}
    return view.tags[above] in ("sup", "small") or not words.isdisjoint(_OF_CENTS)


def _is_called_former(
    view: PageView, roots: tuple[int, ...], items: list[int], group: list[int]
) -> bool:
    """Whether a class around a price, or a word in or before it, says that it is a former one."""
    at = items.index(group[0])
    said = [view.texts.get(node, "") for node in [*items[max(0, at - 1) : at], *group]]
    for node in _above(view, roots, group[0]):
        if len(view.texts_in(node)) > len(group) + 1:
            break
        said += view.class_words(node)
    words = re.findall(
        r"[^\W\d_]+", " ".join(re.sub("(?<=[a-z])(?=[A-Z])", " ", it) for it in said)
    )
    return not _FORMER.isdisjoint(map(str.lower, words))


def _amount(view: PageView, items: list[int]) -> float:
    """The lowest amount in these texts, as far as it must be known to compare two."""
    text = "".join(view.texts.get(node, "") for node in items)
    (value,) = type_named("price").values([text], _NO_LOCALE)
    return float(value.amount) if isinstance(value, Price) else 0.0


def _above(view: PageView, roots: tuple[int, ...], node: int) -> list[int]:
    """The elements around a node inside its record, the nearest first."""
    found = []
    while node and node not in roots:
        node = view.parents[node]
        if node and node not in roots:
            found.append(node)
    return found


def _level(view: PageView, left: int, right: int) -> int:
    """How deep the nearest element around two nodes stands."""
    return len(_around(view, left, right))


def _around(view: PageView, left: int, right: int) -> list[int]:
    node = view.parents[left]
    while node and view.ends[node] <= right:
        node = view.parents[node]
    found = [node]
    while node:
        node = view.parents[node]
        found.append(node)
    return found


def _is_one_place(view: PageView, left: int, right: int) -> bool:
    """Whether no border of cells or list items lies between two nodes."""
    around = _around(view, left, right)[0]
    return left == right or view.tags[around] not in ("tr", "tbody", "table", "ul", "ol")
