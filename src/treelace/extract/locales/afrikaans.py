"""Afrikaans."""

from treelace.extract.locales.language import Language

AFRIKAANS = Language(code="af", decimal_mark=",")
