"""Georgian."""

from treelace.extract.locales.language import Language

GEORGIAN = Language(code="ka", decimal_mark=",")
