"""Slovenian."""

from treelace.extract.locales.language import Language

SLOVENIAN = Language(code="sl", decimal_mark=",")
