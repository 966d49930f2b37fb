"""What the texts of a column mean: its type, and the value of each text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from treelace.extract.locales.locale import Locale
from treelace.extract.types.date import dates_in, reads_as_date
from treelace.extract.types.duration import duration

ENOUGH = 0.9
"""Share of a column's texts that must read as a type."""

_GROUP = r"['\u2019\u00a0\u202f\u2009 ]"
_DIGITS = rf"\d{{1,3}}(?:(?:[.,]|{_GROUP})\d{{3}})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_CODES = "AUD|BRL|CAD|CDN|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK|SGD|THB|TRY|TWD|USD|ZAR"
_SIGN = rf"(?:(?:{_CODES}|[A-Z]{{1,2}})\s?[$£]|[$€£¥₹₽₩₪₺₴฿]|\b(?:{_CODES})\b|zł|Kč|kr\.?|Fr\.)"
_LABEL = r"(?:[^\d:$€£¥]{1,24}:\s*)?"
_PRICE = re.compile(
    rf"{_LABEL}(?:from\s+|ab\s+)?-?\s*(?:{_SIGN}\s*(?:{_DIGITS})|(?:{_DIGITS})\s*{_SIGN})(?:\s*[-–]{{1,2}})?",
    re.IGNORECASE,
)
_PERCENTAGE = re.compile(rf"{_LABEL}[+\-−]?(?:{_DIGITS})\s?%")
_NUMBER = re.compile(rf"[+\-−]?(?:{_DIGITS})")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_FORMS = {
    ".": re.compile(rf"\d{{1,3}}(?:(?:,|{_GROUP})\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?"),
    ",": re.compile(rf"\d{{1,3}}(?:(?:\.|{_GROUP})\d{{3}})+(?:,\d+)?|\d+(?:,\d+)?"),
}
"""A number as it is written where the decimals start with this sign."""

_YES = frozenset("yes true ja oui sí sim da tak ✓ ✔ ✅".split())
_NO = frozenset("no false nein non não nie nee nej ✗ ✘ ❌".split())


class Price(NamedTuple):
    """An amount of money, and the currency as the page writes it."""

    amount: Decimal
    currency: str


Value = str | int | float | bool | date | timedelta | Price | None


def column_type(texts: Sequence[str], *, locale: Locale | None = None) -> str:
    """The type of a column: `price`, `percentage`, `number`, `date`, `duration`, `bool`, `url`, or
    `text` where nine in ten do not agree.

    Dates in numbers of which nothing says whether day or month comes first are `text`.

    >>> column_type(["€ 3.20", "€ 1.10"]), column_type(["12", "1,204"]), column_type(["12", "many"])
    ('price', 'number', 'text')
    """
    if not texts:
        return "text"
    has_digits = _most(
        _DIGIT.search, texts
    )  # most columns are words, and are spared the long patterns
    for name, reads in _TYPES.items():
        if (has_digits or name in ("bool", "url")) and _most(reads, texts):
            if name == "number" and any(re.match(r"0\d", text) or len(text) > 15 for text in texts):
                # a code: leading noughts and long strings of digits are not counted with
                return "text"
            if name == "bool" and not (
                {text.lower() for text in texts} & _YES and {text.lower() for text in texts} & _NO
            ):
                return "text"  # a button says yes too
            if name == "date":
                dates = dates_in(texts, locale or Locale())
                if dates is None or sum(day is not None for day in dates) < ENOUGH * len(texts):
                    return "text"
            return name
    return "text"


_DIGIT = re.compile(r"\d")
_YES_OR_NO = _YES | _NO

_TYPES = {
    "price": lambda text: _PRICE.fullmatch(text),
    "percentage": lambda text: _PERCENTAGE.fullmatch(text),
    "number": lambda text: _NUMBER.fullmatch(text),
    "date": reads_as_date,
    "duration": lambda text: duration(text) is not None,
    "bool": lambda text: text.lower() in _YES_OR_NO,
    "url": lambda text: _URL.fullmatch(text),
}


def _most(reads: object, texts: Sequence[str]) -> bool:
    """Whether nine in ten texts read so; given up as soon as one in ten does not."""
    misses, most = 0, len(texts) - ENOUGH * len(texts)
    for text in texts:
        if not reads(text):  # type: ignore[operator]
            misses += 1
            if misses > most:
                return False
    return True


def column_values(
    texts: Sequence[str], kind: str, *, language: str = "", locale: Locale | None = None
) -> list[Value]:
    """The value of each text; None where it does not read as the column's type. Raw texts stay in
    their cells.

    Whether a comma starts decimals is decided for the whole column: by the locale where a person
    set one, else by a text that has both signs, then by one whose last group has not three digits,
    then by the page's language. A number that is not written so is None.

    >>> column_values(["1.204,50 €", "3,20 €"], "price")
    [Price(amount=Decimal('1204.50'), currency='€'), Price(amount=Decimal('3.20'), currency='€')]
    >>> column_values(["1,204", "12"], "number")
    [1204, 12]
    """
    locale = locale or Locale(language)
    if kind == "date":
        return list(dates_in(texts, locale) or [None] * len(texts))
    if kind == "duration":
        return [duration(text) for text in texts]
    if kind == "bool":
        return [
            True if text.lower() in _YES else False if text.lower() in _NO else None
            for text in texts
        ]
    if kind in ("price", "number", "percentage"):
        decimals = decimal_sign(texts, locale=locale)
        return [
            _price(text, decimals) if kind == "price" else _number(text, decimals) for text in texts
        ]
    return list(texts)


def decimal_sign(texts: Sequence[str], language: str = "", *, locale: Locale | None = None) -> str:
    """`.` or `,`: what starts the decimals in these numbers."""
    locale = locale or Locale(language)
    if locale.is_set and locale.decimals:
        return locale.decimals
    votes = {".": 0, ",": 0}
    for text in texts:
        for number in re.findall(_DIGITS, text):
            signs = [character for character in number if character in ".,"]
            if len(set(signs)) == 2:
                votes[signs[-1]] += 10
            elif len(signs) == 1 and (
                len(number) - number.index(signs[0]) - 1 != 3 or number.startswith("0")
            ):
                votes[signs[0]] += 1
            elif len(signs) > 1:
                votes["," if signs[0] == "." else "."] += 1
    if votes["."] != votes[","]:
        return "." if votes["."] > votes[","] else ","
    return locale.decimals or "."


def _digits(text: str, decimals: str) -> str | None:
    """The first number of a text with a point and without groups; None where it is not written with
    these decimals.
    """
    found = re.search(_DIGITS, text)
    if found is None or not _FORMS[decimals].fullmatch(found[0]):
        return None
    return "".join(
        character for character in found[0] if character.isdigit() or character == decimals
    ).replace(",", ".")


def _number(text: str, decimals: str) -> int | float | None:
    kept = _digits(text, decimals)
    if kept is None:
        return None
    before = re.search(_DIGITS, text)
    sign = -1 if before is not None and text[: before.start()].endswith(("-", "−")) else 1
    return sign * (float(kept) if "." in kept else int(kept))


@lru_cache(maxsize=4096)  # price-parser takes fifty microseconds, and prices come back
def _price(text: str, decimals: str) -> Price | None:
    from price_parser import Price as Parsed

    if _digits(text, decimals) is None:
        return None
    found = Parsed.fromstring(text.rstrip("-– "), decimal_separator=decimals)
    return None if found.amount is None else Price(found.amount, found.currency or "")


def plain(value: Value) -> str | int | float | None:
    """A value as JSON has it: an amount as a number, a date in ISO 8601, a duration in seconds."""
    if isinstance(value, Price):
        return float(value.amount)
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.isoformat() if isinstance(value, date) else value
