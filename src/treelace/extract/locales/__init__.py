"""How languages write numbers, dates, prices, durations, yes and no: one data file each."""

from treelace.extract.locales.language import DayOrder, DecimalMark, Language
from treelace.extract.locales.languages import LANGUAGES, all_words, any_word
from treelace.extract.locales.locale import MACHINE, Locale, locale_of

__all__ = ["LANGUAGES", "MACHINE", "DayOrder", "DecimalMark", "Language", "Locale", "all_words",
           "any_word", "locale_of"]  # fmt: skip
