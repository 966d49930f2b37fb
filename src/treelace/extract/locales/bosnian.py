"""Bosnian."""

from treelace.extract.locales.language import Language

BOSNIAN = Language(code="bs", decimal_mark=",")
