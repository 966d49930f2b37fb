"""Vietnamese."""

from treelace.extract.locales.language import Language

VIETNAMESE = Language(code="vi", decimal_mark=",")
