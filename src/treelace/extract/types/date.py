"""`date`: a day, perhaps with a time. ISO 8601, numbers in the order of a locale, months by the
words of the known languages; those of other languages by dateparser where it is installed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache

from treelace.extract.locales import DayOrder, Locale, all_words, any_word, languages
from treelace.extract.types.column_type import ColumnType, JsonValue, Value, is_enough
from treelace.extract.types.relative_date import is_relative, relative_date

_CLOCK = (
    r"(?:(?:T|\s+|,\s*|\s+at\s+|\s*[-–]\s*)"
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)
_LABEL = r"(?:[^\d:]{1,24}:\s*)?"
_WEEKDAY = r"(?:[^\W\d]{2,12}\.?,?\s+)??"
_ISO = re.compile(
    rf"{_LABEL}(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d){_CLOCK}", re.IGNORECASE
)
_NUMBERS = re.compile(
    rf"{_LABEL}{_WEEKDAY}(?P<one>\d{{1,4}})(?P<sign>[./-])\s?(?P<two>\d{{1,2}})(?P=sign)\s?"
    rf"(?P<three>\d{{2,4}})\.?{_CLOCK}",
    re.IGNORECASE,
)
_WORD = r"(?P<word>[^\W\d]{3,12})\.?"
_DAY = (
    rf"(?P<day>\d{{1,2}})(?:{any_word(all_words(lambda language: language.ordinal_endings))}|\.)?"
)
_BEFORE_MONTH = (
    rf"(?:(?:{any_word(all_words(lambda language: language.before_month))})\s+|d['’]\s*)?"
)
_BEFORE_YEAR = rf"(?:(?:{any_word(all_words(lambda language: language.before_year))})\s+)?"
_DAY_FIRST = re.compile(
    rf"{_LABEL}{_WEEKDAY}{_DAY}[\s-]+{_BEFORE_MONTH}{_WORD},?[\s-]+{_BEFORE_YEAR}"
    rf"(?P<year>\d{{4}})\.?{_CLOCK}",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"{_LABEL}{_WEEKDAY}{_WORD}\s+{_DAY},?\s+(?P<year>\d{{4}}){_CLOCK}", re.IGNORECASE
)
_MONTHS = {
    word: number
    for language in languages().values()
    for number, words in enumerate(language.months, start=1)
    for word in words.split()
}
"""The number of the month that a word of some language means."""

MAX_DATE_LENGTH = 60
"""Characters above which a text is a sentence with a date in it."""

FIRST_YEAR_OF_TWO_DIGITS = 70
"""A year of two digits is of 1970 to 2069, as POSIX has it (the clock is not asked)."""

Day = date | None


class DateType(ColumnType):
    """A whole date: day, month and year, perhaps with a time and a zone; `3 hours ago` and
    `yesterday` where the time of the page is known.

    Dates in numbers of which nothing says whether day or month comes first are text.
    """

    name = "date"
    examples = ("2026-03-01", "7 March 2026", "Mar 5, 2026", "2026-03-01T08:30:00+01:00")

    def recognises(self, text: str) -> bool:
        """The form of a date; whether there is such a day is asked later."""
        return reads_as_date(text) or is_relative(text)

    def fits(self, texts: Sequence[str], locale: Locale) -> bool:
        """Where enough are days of the calendar, in an order that something tells."""
        dates = dates_in(texts, locale)
        return dates is not None and is_enough(sum(day is not None for day in dates), len(texts))

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """Dates, and moments where a time is said."""
        return dates_in(texts, locale) or [None] * len(texts)

    def to_json(self, value: Value) -> dict[str, JsonValue]:
        """ISO 8601."""
        return {"value": value.isoformat() if isinstance(value, date) else None}


def reads_as_date(text: str) -> bool:
    """Whether a text has the form of a whole date: day, month and year, perhaps with a time."""
    return len(text) <= MAX_DATE_LENGTH and any(
        form.fullmatch(text) for form in (_ISO, _NUMBERS, _DAY_FIRST, _MONTH_FIRST)
    )


def dates_in(texts: Sequence[str], locale: Locale) -> list[Day] | None:
    """The date (or date and time) of each text, None for one that is no day of the calendar; None
    for all where nothing says whether the day or the month comes first.

    The order is decided for the whole column: by a number above 12, by points between the numbers
    (day first), then by the locale.

    >>> from treelace.extract.locales import Locale
    >>> dates_in(["03/04/2026", "15/04/2026"], Locale())
    [datetime.date(2026, 4, 3), datetime.date(2026, 4, 15)]
    >>> dates_in(["03/04/2026"], Locale()), dates_in(["03/04/2026"], Locale("en-US"))
    (None, [datetime.date(2026, 3, 4)])
    """
    numbered = [
        found for text in texts if (found := _NUMBERS.fullmatch(text)) and not _ISO.fullmatch(text)
    ]
    order = _order(numbered, locale)
    if numbered and order is None:
        return None
    return [_date(text, order, locale) for text in texts]


def _order(found: Sequence[re.Match[str]], locale: Locale) -> DayOrder | None:
    if locale.is_set and locale.day_order:
        return locale.day_order
    if not found:
        return "DMY"
    if all(len(one["one"]) == 4 for one in found):
        return "YMD"
    votes: Counter[DayOrder] = Counter()
    for one in found:
        if len(one["one"]) <= 2 and len(one["three"]) == 4:
            votes["DMY"] += int(one["one"]) > 12
            votes["MDY"] += int(one["two"]) > 12
        elif len(one["one"]) <= 2 and int(one["one"]) > 31:
            votes["YMD"] += 1
        elif len(one["one"]) <= 2 and int(one["three"]) > 31:
            votes["DMY"] += int(one["one"]) > 12
            votes["MDY"] += int(one["two"]) > 12
    (best, most), *others = votes.most_common() or [("DMY", 0)]
    if most and not any(count == most for _, count in others):
        return best
    if all(one["sign"] == "." for one in found):
        return "DMY"
    if locale.day_order == "YMD" and any(len(one["three"]) == 4 for one in found):
        return "DMY"
    return locale.day_order


def _date(text: str, order: DayOrder | None, locale: Locale) -> Day:
    if found := _ISO.fullmatch(text):
        return _moment(found, found["year"], found["month"], found["day"])
    if found := _NUMBERS.fullmatch(text):
        parts = found["one"], found["two"], found["three"]
        if len(parts[0]) == 4 or order == "YMD":
            year, month, day = parts
        elif order == "MDY":
            month, day, year = parts
        else:
            day, month, year = parts
        return _moment(found, _whole(year), month, day)
    for form in (_DAY_FIRST, _MONTH_FIRST):
        if found := form.fullmatch(text):
            word = found["word"].lower()
            if word in _MONTHS:
                return _moment(found, found["year"], str(_MONTHS[word]), found["day"])
            return _foreign(text, locale.language)
    return relative_date(text, locale.now) if locale.now else None


def _whole(year: str) -> str:
    """The year in four digits; one of three digits is none."""
    if len(year) == 4:
        return year
    if int(year) < FIRST_YEAR_OF_TWO_DIGITS:
        return f"20{year}"
    return f"19{year}" if len(year) == 2 else "0"


def _moment(found: re.Match[str], year: str, month: str, day: str) -> Day:
    try:
        whole = date(int(year), int(month), int(day))
        if found["hour"] is None:
            return whole
        hour = int(found["hour"])
        if found["half"]:
            hour = hour % 12 + (12 if found["half"][0] in "pP" else 0)
        zone = found["zone"] or ""
        zone = "+00:00" if zone.upper() in ("Z", "UTC", "GMT") else zone
        return datetime.fromisoformat(
            f"{whole.isoformat()}T{hour:02}:{found['minute']}:{found['second'] or '00'}{zone}"
        )
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _foreign(text: str, language: str) -> Day:
    """A date with a month of another language, by dateparser (the extra `dates`) if installed."""
    try:
        import dateparser
    except ImportError:
        return None
    known = [language] if language else None
    settings = {
        "REQUIRE_PARTS": ["day", "month", "year"],
        "PARSERS": ["absolute-time"],
        "DATE_ORDER": "DMY",
    }
    try:
        found: datetime | None = dateparser.parse(text, languages=known, settings=settings)
    except (ValueError, TypeError, OverflowError):
        return None
    if found is None:
        return None
    return found if re.search(r"\d:\d\d", text) else found.date()
