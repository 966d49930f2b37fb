"""Bulgarian."""

from treelace.extract.locales.language import Language

BULGARIAN = Language(code="bg", decimal_mark=",", currency_signs="лв лв.")
