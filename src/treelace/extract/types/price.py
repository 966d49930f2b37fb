"""`price`: an amount of money with its currency; `price range`: the lowest and the highest one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from treelace.extract.locales import DecimalMark, Locale, all_words, any_word
from treelace.extract.types.column_type import ColumnType, JsonValue, Value
from treelace.extract.types.number import DIGITS, LABEL, decimal_mark, plain_digits
from treelace.extract.types.storage import FlatColumn

_CODES = (
    "AUD|BRL|CAD|CDN|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK"
    "|SGD|THB|TRY|TWD|USD|ZAR"
)
_CODES_IN_CAPITALS = (
    "AED|AMD|ARS|AZN|BAM|BDT|BGN|BHD|BYN|CLP|COP|CRC|DOP|EGP|GEL|GHS|IDR|ISK|JOD|KES|KWD|KZT|LKR"
    "|MAD|MDL|MKD|MYR|NGN|OMR|PEN|PHP|PKR|QAR|RSD|SAR|TND|UAH|UYU|UZS|VND|XAF|XOF|F?CFA"
)
"""Codes that in small letters are too often something else."""

SIGN = (
    rf"(?:(?:{_CODES}|[A-Z]{{1,2}})\s?[$£]|[$€£¥￥₹₽₩₪₺₴฿₫₦₱₸₾₼]"
    rf"|(?<![^\W\d_])(?:{_CODES}|(?-i:{_CODES_IN_CAPITALS}))(?![^\W\d_])"
    rf"|{any_word(all_words(lambda language: language.currency_signs))})"
)
"""A pattern of what says a currency."""

_BEFORE = all_words(
    lambda it: f"{it.price_prefixes} {it.price_words} {it.former}",
)
PREFIX = rf"(?:(?:{any_word(_BEFORE)})(?:\s+|(?![^\W\d_]))){{0,3}}"
"""A pattern of words that may stand before a price: `from`, `now only`, `regular price`."""

_NO_CENTS = r"(?:[.,]?\s*[-–—]{1,2})"
_UNIT = r"\s?/\s?(?:\d{1,4}\s?)?[^\W\d_]{1,8}[²³]?\.?"
"""What a price is for: `/kg`, `/ 100 g`, `/month`."""

_ONE = rf"(?:{SIGN}\s*(?:{DIGITS})(?:\s*{SIGN})?|(?:{DIGITS}){_NO_CENTS}?\s*{SIGN})"
_PRICE = re.compile(rf"{LABEL}{PREFIX}-?\s*{_ONE}(?:{_NO_CENTS}|\.)?(?:{_UNIT})?", re.IGNORECASE)


class Price(NamedTuple):
    """An amount of money, and the currency as the page writes it."""

    amount: Decimal
    currency: str


class PriceType(ColumnType):
    """An amount and the currency as the page writes it: `€ 3.20`, `1.204,50 zł`, `from $5`.

    Stored in two columns: the amount as a number, and `… currency`.
    """

    name = "price"
    examples = ("€ 3.20", "$5", "Price: 1,204.50 EUR", "from £12", "CHF 1'200.–", "€2.50/kg")
    companions = ("currency",)

    def recognises(self, text: str) -> bool:
        """A number beside a sign or a code of a currency."""
        return _PRICE.fullmatch(text) is not None

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """Amounts with their currencies, by price-parser."""
        mark = decimal_mark(texts, locale)
        return [read_price(text, mark) for text in texts]

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
def read_price(text: str, mark: DecimalMark) -> Price | None:
    """The first price of a text; None where it is not written with this decimal mark."""
    from price_parser import Price as Parsed

    if plain_digits(text, mark) is None:
        return None
    found = Parsed.fromstring(text.rstrip("-–—., "), decimal_separator=mark)
    return None if found.amount is None else Price(found.amount, found.currency or "")


BETWEEN = (
    rf"[-\u2010-\u2015]|\b(?:{any_word(all_words(lambda language: language.up_to))})(?![^\W\d_])"
)
"""A pattern of what stands between two prices of a range."""

_BARE = rf"(?:{SIGN}\s*)?(?:{DIGITS})(?:\s*{SIGN})?"
_RANGE = re.compile(
    rf"{LABEL}{PREFIX}(?P<low>{_BARE})\s*(?:{BETWEEN})\s*(?P<high>{_BARE})\s*\.?", re.IGNORECASE
)
_SIGN = re.compile(SIGN, re.IGNORECASE)


class PriceRange(NamedTuple):
    """The lowest and the highest of several prices, and their currency as the page writes it."""

    low: Decimal
    high: Decimal
    currency: str


class PriceRangeType(ColumnType):
    """Prices of which some are ranges: `$120.00 – $340.00`; of a single price both ends are equal.

    Stored in three columns: the lowest amount, `… high` and `… currency`.
    """

    name = "price range"
    examples = ("$120.00 – $340.00", "€5-€9", "from 10 to 12 zł")
    stores_also = "price"
    companions = ("high", "currency")

    def recognises(self, text: str) -> bool:
        """A range, or a price."""
        return is_range(text) or _PRICE.fullmatch(text) is not None

    def fits(self, texts: Sequence[str], locale: Locale) -> bool:
        """Only where there is a range: prices alone are prices."""
        return any(map(is_range, texts))

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """Both ends with their currency."""
        mark = decimal_mark(texts, locale)
        return [_read(text, mark) for text in texts]

    def to_json(self, value: Value) -> dict[str, JsonValue]:
        """The lowest amount as a number, the highest and the currency beside it."""
        if not isinstance(value, PriceRange):
            return {"value": None}
        return {
            "value": float(value.low),
            "high": float(value.high),
            "currency": value.currency,
        }

    def store(
        self, name: str, values: Sequence[Value], texts: Sequence[str | None]
    ) -> list[FlatColumn]:
        """The lowest amounts, the highest, and the currencies as texts; single prices too."""
        ranges = [_as_range(value) for value in values]
        lows = tuple(None if one is None else float(one.low) for one in ranges)
        highs = tuple(None if one is None else float(one.high) for one in ranges)
        currencies = tuple(None if one is None else one.currency or None for one in ranges)
        return [
            FlatColumn(name, "number", lows),
            FlatColumn(f"{name} high", "number", highs),
            FlatColumn(f"{name} currency", "text", currencies),
        ]


def is_range(text: str) -> bool:
    """Whether a text is two amounts with a dash or `to` between them, and a currency."""
    return _RANGE.fullmatch(text) is not None and _SIGN.search(text) is not None


def _read(text: str, mark: DecimalMark) -> PriceRange | None:
    found = _RANGE.fullmatch(text)
    if found is None:
        return _as_range(read_price(text, mark))
    low, high = read_price(found["low"], mark), read_price(found["high"], mark)
    if low is None or high is None:
        return None
    ends = sorted([low.amount, high.amount])
    return PriceRange(ends[0], ends[1], low.currency or high.currency)


def _as_range(value: Value) -> PriceRange | None:
    if isinstance(value, PriceRange):
        return value
    if isinstance(value, Price):
        return PriceRange(value.amount, value.amount, value.currency)
    return None
