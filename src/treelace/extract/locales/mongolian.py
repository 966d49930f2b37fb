"""Mongolian."""

from treelace.extract.locales.language import Language

MONGOLIAN = Language(code="mn", day_order="YMD")
