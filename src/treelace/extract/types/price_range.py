"""`price range`: the lowest and the highest of several prices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from treelace.extract.locales import DecimalMark, Locale, all_words, any_word
from treelace.extract.types.column_type import ColumnType, JsonValue, Value
from treelace.extract.types.price import PREFIX, SIGN, Price, PriceType, read_price
from treelace.extract.types.storage import FlatColumn
from treelace.extract.types.written_numbers import DIGITS, LABEL, decimal_mark

BETWEEN = rf"[-\u2010-\u2015]|\b(?:{any_word(all_words(lambda language: language.up_to))})\b"
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
        return is_range(text) or _PRICE.recognises(text)

    def fits(self, texts: Sequence[str], locale: Locale) -> bool:
        """Only where there is a range: prices alone are prices."""
        return any(map(is_range, texts))

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """Both ends with their currency."""
        mark = decimal_mark(texts, locale)
        return [_read(text, mark) for text in texts]

    def to_text(self, value: Value) -> str:
        """Both amounts with a point, and the currency after them."""
        assert isinstance(value, PriceRange)
        return f"{value.low:f} – {value.high:f} {value.currency}".rstrip()

    def sort_key(self, value: Value) -> object:
        """Ranges of one currency together, the lowest first."""
        assert isinstance(value, PriceRange)
        return value.currency, value.low, value.high

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


_PRICE = PriceType()


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
