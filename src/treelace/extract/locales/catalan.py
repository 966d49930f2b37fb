"""Catalan."""

from treelace.extract.locales.language import Language

CATALAN = Language(code="ca", decimal_mark=",")
