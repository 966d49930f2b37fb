"""German."""

from treelace.extract.locales.language import Language

GERMAN = Language(
    code="de",
    decimal_mark=",",
    decimal_mark_in={"ch": ".", "li": "."},
    duration_units={
        "weeks": "woche wochen",
        "days": "tag tage tagen",
        "hours": "std stunde stunden",
        "minutes": "minuten",
        "seconds": "sek sekunde sekunden",
    },
    words_for_and="und",
    currency_signs="fr.",
    price_prefixes="ab",
    yes="ja",
    no="nein",
    price_words="preis jetzt nur sonderpreis aktueller verkaufspreis angebotspreis normaler",
    up_to="bis",
    former="statt uvp bisher vorher früher ursprünglicher regulär streichpreis originalpreis",
    actions=(
        "in den warenkorb einkaufswagen legen vergleichen kaufen jetzt mehr details"
        " anzeigen ansehen merken auf die merkliste wunschliste weiterlesen zum angebot"
        " produkt ausführung wählen"
    ),
)
