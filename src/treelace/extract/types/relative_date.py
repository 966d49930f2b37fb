"""Dates that are said by their distance from the time of the page: `3 hours ago`, `yesterday`."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from functools import cache

from treelace.extract.locales import all_words, any_word, languages

MAX_RELATIVE_LENGTH = 40
"""Characters above which a text is a sentence."""

_LARGER = {"month": 30, "months": 30, "year": 365, "years": 365}
"""Days of what is too long for a duration; such a day is about right only."""

_ONE = frozenset("a an one ein eine einem einer un una um uma uno een".split())


def is_relative(text: str) -> bool:
    """Whether a text has the form of such a date.

    >>> is_relative("3 hours ago"), is_relative("Yesterday at 9:30"), is_relative("3 hours")
    (True, True, False)
    """
    return len(text) <= MAX_RELATIVE_LENGTH and any(
        form.fullmatch(text) for form in (*_forms(), _near())
    )


def relative_date(text: str, now: datetime) -> date | datetime | None:
    """The day, or the moment where hours are counted, that is meant on a page of this time.

    >>> now = datetime(2026, 3, 5, 12, 0)
    >>> relative_date("3 hours ago", now), relative_date("vor 2 Tagen", now)
    (datetime.datetime(2026, 3, 5, 9, 0), datetime.date(2026, 3, 3))
    >>> relative_date("yesterday", now), relative_date("in 3 days", now)
    (datetime.date(2026, 3, 4), None)
    """
    if len(text) > MAX_RELATIVE_LENGTH:
        return None
    try:
        if found := _near().fullmatch(text):
            day = (now + timedelta(days=_near_days()[found["word"].lower()])).date()
            if found["hour"] is None:
                return day
            clock = time(int(found["hour"]), int(found["minute"]), tzinfo=now.tzinfo)
            return datetime.combine(day, clock)
        for form in _forms():
            if found := form.fullmatch(text):
                unit = found["unit"].lower()
                count = 1 if found["count"].lower() in _ONE else int(found["count"])
                then = now - count * _units()[unit]
                return then if _units()[unit] < timedelta(days=1) else then.date()
    except (ValueError, OverflowError):  # more years ago than there are, an hour 25
        return None
    return None


def names_near_day(text: str) -> bool:
    """Whether a text begins with a word such as `yesterday`: a date without a figure.

    >>> names_near_day("Yesterday"), names_near_day("tea")
    (True, False)
    """
    return text.partition(" ")[0].rstrip(",").lower() in _near_days()


@cache
def _units() -> dict[str, timedelta]:
    """How long each unit is, by its words in all languages."""
    larger = {word: timedelta(days=days) for word, days in _LARGER.items()}
    return larger | {
        word: timedelta(**{unit: 1})
        for language in languages().values()
        for unit, words in language.duration_units.items()
        for word in words.split()
    }


@cache
def _near_days() -> dict[str, int]:
    return {
        word: int(distance)
        for language in languages().values()
        for distance, words in language.days.items()
        for word in words.split()
    }


@cache
def _near() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<word>{any_word(_near_days())})"
        r"(?:,?\s+(?:\w{1,3}\s+)?(?P<hour>\d{1,2})[:.](?P<minute>\d\d))?",
        re.IGNORECASE,
    )


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`3 hours ago` and `vor 3 Stunden`."""
    ago = any_word(all_words(lambda language: language.ago))
    length = rf"(?P<count>\d{{1,4}}|{any_word(_ONE)})\s*(?P<unit>{any_word(_units())})\.?"
    return (
        re.compile(rf"(?:about |over |almost )?{length}\s+(?:{ago})", re.IGNORECASE),
        re.compile(rf"(?:{ago})\s+(?:etwa |circa |ca\. )?{length}", re.IGNORECASE),
    )
