"""Azerbaijani."""

from treelace.extract.locales.language import Language

AZERBAIJANI = Language(code="az", decimal_mark=",")
