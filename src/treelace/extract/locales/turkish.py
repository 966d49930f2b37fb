"""Turkish."""

from treelace.extract.locales.language import Language

TURKISH = Language(code="tr", decimal_mark=",")
