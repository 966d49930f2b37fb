"""Icelandic."""

from treelace.extract.locales.language import Language

ICELANDIC = Language(code="is", decimal_mark=",")
