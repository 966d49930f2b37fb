"""Japanese."""

from treelace.extract.locales.language import Language

JAPANESE = Language(code="ja", day_order="YMD")
