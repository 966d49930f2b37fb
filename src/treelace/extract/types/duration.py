"""Durations in texts: ISO 8601 (`PT1H20M`) and numbers with units (`1h 20m`, `45 min`)."""

from __future__ import annotations

import re
from datetime import timedelta

_UNITS = {
    "weeks": "w wk wks week weeks woche wochen semaine semaines semana semanas",
    "days": "d day days tag tage tagen jour jours dia dias día días",
    "hours": "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur",
    "minutes": "m min mins minute minutes minuten minuto minutos minuti minuut",
    "seconds": "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos",
}
_BY_WORD = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_WORDS = "|".join(sorted(_BY_WORD, key=lambda word: (-len(word), word)))
_PART = rf"(\d+(?:[.,]\d+)?)\s?({_WORDS})(?![^\W\d])\.?"
_SPOKEN = re.compile(
    rf"(?:[^\d:]{{1,24}}:\s*)?{_PART}(?:,?\s*(?:and\s+|und\s+|et\s+|y\s+)?{_PART}){{0,4}}",
    re.IGNORECASE,
)
_ISO = re.compile(
    r"P(?!$)(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?(?:T(?=\d)(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:[.,]\d+)?)S)?)?"
)


def duration(text: str) -> timedelta | None:
    """How long; None where a text does not read as a duration.

    Months and years have no fixed length, and `12:34` may be a time of day: None.

    >>> duration("PT1H20M") == duration("1h 20m") == duration("1 hour and 20 minutes")
    True
    """
    if found := _ISO.fullmatch(text):
        parts = {
            unit: float(number.replace(",", "."))
            for unit, number in found.groupdict().items()
            if number
        }
    elif len(text) <= 60 and _SPOKEN.fullmatch(text):
        parts = {}
        for number, word in re.findall(_PART, text, re.IGNORECASE):
            unit = _BY_WORD[word.lower()]
            if unit in parts:
                return None
            parts[unit] = float(number.replace(",", "."))
    else:
        return None
    try:
        return timedelta(**parts)
    except OverflowError:
        return None
