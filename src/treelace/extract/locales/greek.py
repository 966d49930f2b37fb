"""Greek."""

from treelace.extract.locales.language import Language

GREEK = Language(code="el", decimal_mark=",")
