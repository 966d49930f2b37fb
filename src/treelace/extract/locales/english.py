"""English."""

from treelace.extract.locales.language import Language

ENGLISH = Language(
    code="en",
    day_order=None,
    day_order_in={"us": "MDY", "ph": "MDY", "pr": "MDY", "ca": "YMD", "za": "YMD"},
    months=(
        "january jan",
        "february feb",
        "march mar",
        "april apr",
        "may",
        "june jun",
        "july jul",
        "august aug",
        "september sept sep",
        "october oct",
        "november nov",
        "december dec",
    ),
    ordinal_endings="st nd rd th",
    before_month="of",
    duration_units={
        "weeks": "w wk wks week weeks",
        "days": "d day days",
        "hours": "h hr hrs hour hours",
        "minutes": "m min mins minute minutes",
        "seconds": "s sec secs second seconds",
    },
    words_for_and="and",
    price_prefixes="from",
    yes="yes true",
    no="no false",
    price_words="price now only just sale special current our is as low your",
    up_to="to through",
    former="was before former original originally regular list rrp msrp srp reg retail compare",
    actions=(
        "add to the cart basket bag wishlist wish list favourites favorites compare buy"
        " shop now quick quickview view read more details detail select choose options"
        " option show see learn share save"
    ),
)
