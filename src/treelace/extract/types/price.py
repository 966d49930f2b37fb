"""`price`: an amount of money with its currency."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from treelace.extract.locales import Locale, all_words, any_word
from treelace.extract.types.column_type import ColumnType, JsonValue, Value
from treelace.extract.types.storage import FlatColumn
from treelace.extract.types.written_numbers import DIGITS, LABEL, decimal_mark, plain_digits

_CODES = (
    "AUD|BRL|CAD|CDN|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK"
    "|SGD|THB|TRY|TWD|USD|ZAR"
)
_CODES_IN_CAPITALS = (
    "AED|AMD|ARS|AZN|BAM|BDT|BGN|BHD|BYN|CLP|COP|CRC|DOP|EGP|GEL|GHS|IDR|ISK|JOD|KES|KWD|KZT|LKR"
    "|MAD|MDL|MKD|MYR|NGN|OMR|PEN|PKR|QAR|RSD|SAR|TND|UAH|UYU|UZS|VND|XAF|XOF"
)
"""Codes that in small letters are too often something else."""

SIGN = (
    rf"(?:(?:{_CODES}|[A-Z]{{1,2}})\s?[$£]|[$€£¥₹₽₩₪₺₴฿₫₦₱₸₾₼]"
    rf"|\b(?:{_CODES}|(?-i:{_CODES_IN_CAPITALS}))\b"
    rf"|{any_word(all_words(lambda language: language.currency_signs))})"
)
"""A pattern of what says a currency."""

_BEFORE = all_words(
    lambda it: f"{it.price_prefixes} {it.price_words} {it.former}",
)
PREFIX = rf"(?:(?:{any_word(_BEFORE)})\s+){{0,3}}"
"""A pattern of words that may stand before a price: `from`, `now only`, `regular price`."""

_ONE = rf"(?:{SIGN}\s*(?:{DIGITS})(?:\s*{SIGN})?|(?:{DIGITS})\s*{SIGN})"
_PRICE = re.compile(rf"{LABEL}{PREFIX}-?\s*{_ONE}(?:\s*[-–]{{1,2}}|\.)?", re.IGNORECASE)


class Price(NamedTuple):
    """An amount of money, and the currency as the page writes it."""

    amount: Decimal
    currency: str


class PriceType(ColumnType):
    """An amount and the currency as the page writes it: `€ 3.20`, `1.204,50 zł`, `from $5`.

    Stored in two columns: the amount as a number, and `… currency`.
    """

    name = "price"
    examples = ("€ 3.20", "$5", "Price: 1,204.50 EUR", "from £12")
    companions = ("currency",)

    def recognises(self, text: str) -> bool:
        """A number beside a sign or a code of a currency."""
        return _PRICE.fullmatch(text) is not None

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """Amounts with their currencies, by price-parser."""
        mark = decimal_mark(texts, locale)
        return [read_price(text, mark) for text in texts]

    def to_text(self, value: Value) -> str:
        """The amount with a point, and the currency after it."""
        assert isinstance(value, Price)
        return f"{value.amount:f} {value.currency}".rstrip()

    def sort_key(self, value: Value) -> object:
        """Prices of one currency together, the lowest first."""
        assert isinstance(value, Price)
        return value.currency, value.amount

    def to_json(self, value: Value) -> dict[str, JsonValue]:
        """The amount as a number, and the currency beside it."""
        if not isinstance(value, Price):
            return {"value": None}
        return {"value": float(value.amount), "currency": value.currency}

    def store(
        self, name: str, values: Sequence[Value], texts: Sequence[str | None]
    ) -> list[FlatColumn]:
        """The amounts, and the currencies as texts."""
        prices = [value if isinstance(value, Price) else None for value in values]
        return [
            FlatColumn(
                name,
                "number",
                tuple(None if price is None else float(price.amount) for price in prices),
            ),
            FlatColumn(
                f"{name} currency",
                "text",
                tuple(None if price is None else price.currency or None for price in prices),
            ),
        ]


@lru_cache(maxsize=4096)  # price-parser takes fifty microseconds, and prices come back
def read_price(text: str, mark: Literal[".", ","]) -> Price | None:
    """The first price of a text; None where it is not written with this decimal mark."""
    from price_parser import Price as Parsed

    if plain_digits(text, mark) is None:
        return None
    found = Parsed.fromstring(text.rstrip("-–. "), decimal_separator=mark)
    return None if found.amount is None else Price(found.amount, found.currency or "")
