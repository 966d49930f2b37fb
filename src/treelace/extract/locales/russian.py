"""Russian."""

from treelace.extract.locales.language import Language

RUSSIAN = Language(code="ru", decimal_mark=",")
