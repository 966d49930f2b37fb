"""Ukrainian."""

from treelace.extract.locales.language import Language

UKRAINIAN = Language(code="uk", decimal_mark=",", currency_signs="грн грн.")
