"""Galician."""

from treelace.extract.locales.language import Language

GALICIAN = Language(code="gl", decimal_mark=",")
