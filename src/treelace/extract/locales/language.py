"""Language: how one language writes numbers, dates, prices, durations and yes and no; and the
languages there are, each a data file beside this one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

LANGUAGE_FILES = (
    "english afrikaans albanian armenian azerbaijani basque belarusian bosnian bulgarian catalan"
    " chinese croatian czech danish dutch estonian finnish french galician georgian german greek"
    " hungarian icelandic indonesian italian japanese kazakh korean kyrgyz latvian lithuanian"
    " macedonian mongolian norwegian persian polish portuguese romanian russian serbian slovak"
    " slovenian spanish swedish turkish ukrainian uzbek vietnamese"
)
"""To add one: write its file (`english.toml` has all there is to say), add it to this list."""

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
    other_codes: Sequence[str] = ()
    """Tags of the same language: `nb` and `nn` for `no`."""

    decimal_mark: DecimalMark = "."
    decimal_mark_in: Mapping[str, DecimalMark] = field(default_factory=dict)
    """Countries that differ: `{"ch": "."}`."""

    day_order: DayOrder | Literal[""] = "DMY"
    """The order of a date in numbers; empty where countries differ and none is said."""
    day_order_in: Mapping[str, DayOrder] = field(default_factory=dict)
    """Countries that differ; in all others it is `day_order`, or day first if that is empty."""

    months: Sequence[str] = ()
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
    ago: str = ""
    """Words before or after how long ago something was: `ago`."""
    days: Mapping[str, str] = field(default_factory=dict)
    """Words for days near today, by their distance from it: `{"-1": "yesterday"}`."""
    in_stock: str = ""
    """Phrases, with a comma between them, that say a thing can be had: `in stock, available`."""
    out_of_stock: str = ""
    """Phrases that say it cannot: `sold out`."""

    out_of: str = ""
    """Words between the points of a rating and how many there can be: `of`, as in `4 out of 5`."""
    stars: str = ""
    """Words for what ratings count: `stars`."""

    no_value: str = ""
    """Phrases that stand for a value that is not there: `n/a, on request`."""

    meanings: Mapping[str, str] = field(default_factory=dict)
    """What a column is called where a class or a label says one of these words:
    `{"author": "author byline by"}`."""

    yes: str = ""
    no: str = ""


@cache
def languages() -> Mapping[str, Language]:
    """Every language by its code, read once. One that is not here is read by what its texts show.

    >>> languages()["de"].yes, languages()["nb"].code
    ('ja', 'no')
    """
    import tomllib

    folder = Path(__file__).parent
    read = [
        Language(**tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8")))
        for name in LANGUAGE_FILES.split()
    ]
    return {code: language for language in read for code in (language.code, *language.other_codes)}


def all_words(words_of: Callable[[Language], str]) -> list[str]:
    """The words that all languages have for one thing, each once.

    >>> all_words(lambda language: language.before_month)
    ['of', 'de']
    """
    found = [word for language in languages().values() for word in words_of(language).split()]
    return list(dict.fromkeys(found))


def any_word(words: Iterable[str]) -> str:
    """A pattern of any of these words, longer ones first.

    >>> any_word(["m", "min", "kr."])
    'kr\\\\.|min|m'
    """
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
