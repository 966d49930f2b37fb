"""Indonesian."""

from treelace.extract.locales.language import Language

INDONESIAN = Language(code="id", decimal_mark=",")
