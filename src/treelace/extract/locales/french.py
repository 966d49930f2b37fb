"""French."""

from treelace.extract.locales.language import Language

FRENCH = Language(
    code="fr",
    decimal_mark=",",
    day_order_in={"ca": "YMD"},
    ordinal_endings="er",
    duration_units={
        "weeks": "semaine semaines",
        "days": "jour jours",
        "hours": "heure heures",
        "seconds": "seconde secondes",
    },
    words_for_and="et",
    currency_signs="fr.",
    yes="oui",
    no="non",
    price_words="prix maintenant actuel",
    up_to="à",
    former="ancien avant initial barré",
    price_prefixes="dès",
    actions="ajouter au panier comparer acheter voir lire la suite plus",
)
