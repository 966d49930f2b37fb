"""Czech."""

from treelace.extract.locales.language import Language

CZECH = Language(code="cs", decimal_mark=",", currency_signs="kč")
