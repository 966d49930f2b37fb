"""Armenian."""

from treelace.extract.locales.language import Language

ARMENIAN = Language(code="hy", decimal_mark=",")
