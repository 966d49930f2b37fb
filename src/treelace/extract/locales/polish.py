"""Polish."""

from treelace.extract.locales.language import Language

POLISH = Language(
    code="pl",
    decimal_mark=",",
    currency_signs="zł",
    yes="tak",
    no="nie",
    price_words="cena",
    up_to="do",
    former="było poprzednia",
    price_prefixes="od",
    actions="do koszyka kup porównaj więcej",
)
