"""Swedish."""

from treelace.extract.locales.language import Language

SWEDISH = Language(
    code="sv", decimal_mark=",", day_order="YMD", currency_signs="kr kr.", yes="ja", no="nej"
)
