"""Serbian."""

from treelace.extract.locales.language import Language

SERBIAN = Language(code="sr", decimal_mark=",")
