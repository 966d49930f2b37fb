"""Basque."""

from treelace.extract.locales.language import Language

BASQUE = Language(code="eu", decimal_mark=",")
