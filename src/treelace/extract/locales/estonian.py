"""Estonian."""

from treelace.extract.locales.language import Language

ESTONIAN = Language(code="et", decimal_mark=",")
