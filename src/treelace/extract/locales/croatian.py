"""Croatian."""

from treelace.extract.locales.language import Language

CROATIAN = Language(code="hr", decimal_mark=",")
