"""Persian."""

from treelace.extract.locales.language import Language

PERSIAN = Language(code="fa", day_order="YMD")
