"""What the texts of a column mean: its type, and the value of each text."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ENOUGH = 0.9
"""Share of a column's texts that must read as a type."""

_DIGITS = r"\d{1,3}(?:[.,'\u2019\u00a0\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_CODES = "AUD|BRL|CAD|CDN|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK|SGD|THB|TRY|TWD|USD|ZAR"
_SIGN = rf"(?:(?:{_CODES}|[A-Z]{{1,2}})\s?[$£]|[$€£¥₹₽₩₪₺₴฿]|\b(?:{_CODES})\b|zł|Kč|kr\.?|Fr\.)"
_LABEL = r"(?:[^\d:$€£¥]{1,24}:\s*)?"
_PRICE = re.compile(rf"{_LABEL}(?:from\s+|ab\s+)?-?\s*(?:{_SIGN}\s*(?:{_DIGITS})|(?:{_DIGITS})\s*{_SIGN})(?:\s*[-–]{{1,2}})?", re.IGNORECASE)
_PERCENTAGE = re.compile(rf"{_LABEL}[+\-−]?(?:{_DIGITS})\s?%")
_NUMBER = re.compile(rf"[+\-−]?(?:{_DIGITS})")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)

_COMMA_TONGUES = frozenset("bg ca cs da de el es et fi fr hr hu is it lt lv nb nl nn no pl pt ro ru sk sl sr sv tr uk vi id".split())
"""Languages that write the decimals after a comma."""


class Price(NamedTuple):
    """An amount of money, and the currency as the page writes it."""

    amount: Decimal
    currency: str


Value = str | int | float | date | Price | None


def column_type(texts: Sequence[str]) -> str:
    """The type of a column: `price`, `percentage`, `number`, `date` (ISO 8601), `url`, or `text` where nine in ten do not agree.

    >>> column_type(["€ 3.20", "€ 1.10"]), column_type(["12", "1,204"]), column_type(["12", "many"])
    ('price', 'number', 'text')
    """
    patterns = {"price": _PRICE, "percentage": _PERCENTAGE, "number": _NUMBER, "date": _DATE, "url": _URL}
    for name, pattern in patterns.items():
        if texts and sum(bool(pattern.fullmatch(text)) for text in texts) >= ENOUGH * len(texts):
            if name == "number" and any(re.match(r"0\d", text) or len(text) > 15 for text in texts):
                return "text"  # a code: leading noughts and long strings of digits are not counted with
            return name
    return "text"


def column_values(texts: Sequence[str], kind: str, *, language: str = "") -> list[Value]:
    """The value of each text; None where it does not read as the column's type. Raw texts stay in their cells.

    Whether a comma starts decimals is decided for the whole column: by a text that has both signs, then by one whose last group has not
    three digits, then by the page's language.

    >>> column_values(["1.204,50 €", "3,20 €"], "price")
    [Price(amount=Decimal('1204.50'), currency='€'), Price(amount=Decimal('3.20'), currency='€')]
    >>> column_values(["1,204", "12"], "number")
    [1204, 12]
    """
    if kind == "date":
        return [_date(text) for text in texts]
    if kind == "price":
        decimals = decimal_sign(texts, language)
        return [_price(text, decimals) for text in texts]
    if kind in ("number", "percentage"):
        decimals = decimal_sign(texts, language)
        return [_number(text, decimals) for text in texts]
    return list(texts)


def decimal_sign(texts: Sequence[str], language: str = "") -> str:
    """`.` or `,`: what starts the decimals in these numbers."""
    votes = {".": 0, ",": 0}
    for text in texts:
        for number in re.findall(_DIGITS, text):
            signs = [character for character in number if character in ".,"]
            if len(set(signs)) == 2:
                votes[signs[-1]] += 10
            elif len(signs) == 1 and len(number) - number.index(signs[0]) - 1 != 3:
                votes[signs[0]] += 1
            elif len(signs) > 1:
                votes["," if signs[0] == "." else "."] += 1
    if votes["."] != votes[","]:
        return "." if votes["."] > votes[","] else ","
    return "," if language.lower()[:2] in _COMMA_TONGUES else "."


def _number(text: str, decimals: str) -> int | float | None:
    found = re.search(rf"[+\-−]?(?:{_DIGITS})", text)
    if found is None:
        return None
    kept = "".join(character for character in found[0] if character.isdigit() or character == decimals).replace(",", ".")
    sign = -1 if found[0][0] in "-−" else 1
    return sign * (float(kept) if "." in kept else int(kept))


def _price(text: str, decimals: str) -> Price | None:
    from price_parser import Price as Parsed

    found = Parsed.fromstring(text.rstrip("-– "), decimal_separator=decimals)
    return None if found.amount is None else Price(found.amount, found.currency or "")


def _date(text: str) -> date | None:
    found = _DATE.fullmatch(text)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None


def plain(value: Value) -> str | int | float | None:
    """A value as JSON has it: an amount as a number, a date in ISO 8601."""
    if isinstance(value, Price):
        return float(value.amount)
    return value.isoformat() if isinstance(value, date) else value
