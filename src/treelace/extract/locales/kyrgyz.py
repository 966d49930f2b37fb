"""Kyrgyz."""

from treelace.extract.locales.language import Language

KYRGYZ = Language(code="ky", decimal_mark=",")
