"""Belarusian."""

from treelace.extract.locales.language import Language

BELARUSIAN = Language(code="be", decimal_mark=",")
