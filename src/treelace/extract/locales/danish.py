"""Danish."""

from treelace.extract.locales.language import Language

DANISH = Language(code="da", decimal_mark=",", currency_signs="kr kr.", yes="ja", no="nej")
