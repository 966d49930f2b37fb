"""`duration`: how long. ISO 8601 (`PT1H20M`) and numbers with units (`1h 20m`, `45 min`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from treelace.extract.locales import Locale, all_words, any_word, languages
from treelace.extract.types.column_type import ColumnType, JsonValue, Value

_UNIT_OF = {
    word: unit
    for language in languages().values()
    for unit, words in language.duration_units.items()
    for word in words.split()
}
"""The unit that a word of some language means: `stunden` are `hours`."""

_PART = rf"(\d+(?:[.,]\d+)?)\s?({any_word(_UNIT_OF)})(?![^\W\d])\.?"
_AND = rf"(?:(?:{any_word(all_words(lambda language: language.words_for_and))})\s+)?"
_SPOKEN = re.compile(rf"(?:[^\d:]{{1,24}}:\s*)?{_PART}(?:,?\s*{_AND}{_PART}){{0,4}}", re.IGNORECASE)
_ISO = re.compile(
    r"P(?!$)(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:[.,]\d+)?)S)?)?"
)

MAX_DURATION_LENGTH = 60
"""Characters above which a text is a sentence with a duration in it."""


class DurationType(ColumnType):
    """How long: `PT1H20M`, `1h 20m`, `45 min`, `2 Stunden`."""

    name = "duration"
    examples = ("1h 20m", "45 min", "PT2H", "1.5 seconds")

    def recognises(self, text: str) -> bool:
        """Whether it reads as one."""
        return duration(text) is not None

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """Spans of time."""
        return [duration(text) for text in texts]

    def to_json(self, value: Value) -> dict[str, JsonValue]:
        """Seconds."""
        return {"value": value.total_seconds() if isinstance(value, timedelta) else None}


def duration(text: str) -> timedelta | None:
    """How long; None where a text does not read as a duration.

    Months and years have no fixed length, `12:34` may be a time of day, and one number with a
    capital letter is a power, a size or a class: None.

    >>> duration("PT1H20M") == duration("1h 20m") == duration("1 hour and 20 minutes")
    True
    >>> duration("1,800 W")
    """
    if found := _ISO.fullmatch(text):
        parts = {
            unit: float(number.replace(",", "."))
            for unit, number in found.groupdict().items()
            if number
        }
    elif re.fullmatch(r"[\d.,]+ ?[A-Z]", text):
        return None
    elif len(text) <= MAX_DURATION_LENGTH and _SPOKEN.fullmatch(text):
        parts = {}
        for number, word in re.findall(_PART, text, re.IGNORECASE):
            unit = _UNIT_OF[word.lower()]
            if unit in parts:
                return None
            parts[unit] = float(number.replace(",", "."))
    else:
        return None
    try:
        return timedelta(**parts)
    except OverflowError:
        return None
