"""Language: how one language writes numbers, dates, prices, durations and yes and no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

DayOrder: TypeAlias = Literal["DMY", "MDY", "YMD"]
DecimalMark: TypeAlias = Literal[".", ","]
Unit: TypeAlias = Literal["weeks", "days", "hours", "minutes", "seconds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The habits and words of one language, all in small letters. What is not said is not known,
    or as in most languages: a point before decimals, and the day before the month.

    Texts are read by the words of all languages, whatever the page says it is written in; its
    habits count where the page, or a person, says the language.
    """

    code: str
    """Its tag: `de`."""
    other_codes: tuple[str, ...] = ()
    """Tags of the same language: `nb` and `nn` for `no`."""

    decimal_mark: DecimalMark = "."
    decimal_mark_in: Mapping[str, DecimalMark] = field(default_factory=dict)
    """Countries that differ: `{"ch": "."}`."""

    day_order: DayOrder | None = "DMY"
    """The order of a date in numbers; None where countries differ and none is said."""
    day_order_in: Mapping[str, DayOrder] = field(default_factory=dict)
    """Countries that differ; in all others it is `day_order`, or day first if that is None."""

    months: tuple[str, ...] = ()
    """Twelve times the words for a month: `"january jan"`. Without them dateparser is asked."""
    ordinal_endings: str = ""
    """What may follow the number of a day: `st nd rd th`."""
    before_month: str = ""
    """Words between day and month: `of`."""
    before_year: str = ""
    """Words between month and year: `de del`."""

    duration_units: Mapping[Unit, str] = field(default_factory=dict)
    """The words for each unit: `{"hours": "std stunde stunden"}`."""
    words_for_and: str = ""
    """`und`, as in `1 Stunde und 20 Minuten`."""

    currency_signs: str = ""
    """Signs and short names of money that only this language writes: `kr kr.`."""
    price_prefixes: str = ""
    """Words before the lowest of several prices: `from`."""
    price_words: str = ""
    """Words near a price that say nothing else: `price`, `now`, `only`."""
    up_to: str = ""
    """Words between the lowest and the highest of several prices: `to`."""
    former: str = ""
    """Words near a price that was asked before: `was`, `original`."""

    actions: str = ""
    """Words that buttons are made of: `add to cart`."""

    yes: str = ""
    no: str = ""
