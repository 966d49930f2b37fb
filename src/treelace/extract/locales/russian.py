"""Russian."""

from treelace.extract.locales.language import Language

RUSSIAN = Language(
    code="ru",
    decimal_mark=",",
    price_words="цена",
    up_to="до",
    former="старая было",
    price_prefixes="от",
    currency_signs="руб руб. р.",
    actions="в корзину купить подробнее сравнить",
)
