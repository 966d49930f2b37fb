"""How languages write numbers, dates, prices, durations, yes and no: one data file each."""

from treelace.extract.locales.language import (
    DayOrder,
    DecimalMark,
    Language,
    all_words,
    any_word,
    languages,
)
from treelace.extract.locales.locale import MACHINE, Locale, locale_of

__all__ = ["MACHINE", "DayOrder", "DecimalMark", "Language", "Locale", "all_words", "any_word",
           "languages", "locale_of"]  # fmt: skip
