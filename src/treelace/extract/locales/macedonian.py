"""Macedonian."""

from treelace.extract.locales.language import Language

MACEDONIAN = Language(code="mk", decimal_mark=",")
