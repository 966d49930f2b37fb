"""Uzbek."""

from treelace.extract.locales.language import Language

UZBEK = Language(code="uz", decimal_mark=",")
