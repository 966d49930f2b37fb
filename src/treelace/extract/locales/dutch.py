"""Dutch."""

from treelace.extract.locales.language import Language

DUTCH = Language(
    code="nl",
    decimal_mark=",",
    duration_units={"hours": "uur", "minutes": "minuut minuten"},
    yes="ja",
    no="nee",
    price_words="prijs nu",
    up_to="tot",
    former="was voor adviesprijs oorspronkelijke",
    price_prefixes="vanaf",
    actions="in winkelwagen vergelijk bekijk lees meer",
)
