"""Chinese."""

from treelace.extract.locales.language import Language

CHINESE = Language(code="zh", day_order="YMD")
