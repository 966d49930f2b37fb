"""Italian."""

from treelace.extract.locales.language import Language

ITALIAN = Language(
    code="it",
    decimal_mark=",",
    decimal_mark_in={"ch": "."},
    duration_units={"hours": "ora ore", "minutes": "minuti"},
    no="no",
    price_words="prezzo ora attuale",
    up_to="a",
    former="prima originale listino",
    price_prefixes="da",
    actions="aggiungi al carrello confronta acquista vedi leggi di più",
)
