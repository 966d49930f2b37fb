"""Norwegian."""

from treelace.extract.locales.language import Language

NORWEGIAN = Language(
    code="no", decimal_mark=",", other_codes=("nb", "nn"), currency_signs="kr kr.", yes="ja"
)
