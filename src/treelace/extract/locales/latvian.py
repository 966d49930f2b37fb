"""Latvian."""

from treelace.extract.locales.language import Language

LATVIAN = Language(code="lv", decimal_mark=",")
