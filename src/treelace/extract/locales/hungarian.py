"""Hungarian."""

from treelace.extract.locales.language import Language

HUNGARIAN = Language(code="hu", decimal_mark=",", day_order="YMD")
