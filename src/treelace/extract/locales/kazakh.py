"""Kazakh."""

from treelace.extract.locales.language import Language

KAZAKH = Language(code="kk", decimal_mark=",")
