"""Korean."""

from treelace.extract.locales.language import Language

KOREAN = Language(code="ko", day_order="YMD")
