"""How languages and countries write numbers, dates, prices, durations, and yes and no: data, one
file a language.
"""

from treelace.extract.locales.language import DayOrder, DecimalMark, Language
from treelace.extract.locales.languages import LANGUAGES, all_words, any_word
from treelace.extract.locales.locale import MACHINE, Locale, locale_of

__all__ = ["LANGUAGES", "MACHINE", "DayOrder", "DecimalMark", "Language", "Locale", "all_words",
           "any_word", "locale_of"]  # fmt: skip
