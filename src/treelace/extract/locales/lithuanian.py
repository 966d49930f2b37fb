"""Lithuanian."""

from treelace.extract.locales.language import Language

LITHUANIAN = Language(code="lt", decimal_mark=",", day_order="YMD")
