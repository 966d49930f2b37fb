"""Finnish."""

from treelace.extract.locales.language import Language

FINNISH = Language(code="fi", decimal_mark=",")
