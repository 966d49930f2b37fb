"""Albanian."""

from treelace.extract.locales.language import Language

ALBANIAN = Language(code="sq", decimal_mark=",")
