"""Romanian."""

from treelace.extract.locales.language import Language

ROMANIAN = Language(code="ro", decimal_mark=",", yes="da", currency_signs="lei")
