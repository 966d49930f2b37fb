"""Spanish."""

from treelace.extract.locales.language import Language

SPANISH = Language(
    code="es",
    decimal_mark=",",
    decimal_mark_in=dict.fromkeys("mx us gt hn ni pa pe pr sv do".split(), "."),
    day_order_in={"us": "MDY", "pr": "MDY"},
    ordinal_endings="º ª",
    before_month="de",
    before_year="de del",
    duration_units={
        "weeks": "semana semanas",
        "days": "día días",
        "hours": "hora horas",
        "minutes": "minuto minutos",
        "seconds": "segundo segundos",
    },
    words_for_and="y",
    yes="sí",
    no="no",
    price_words="precio ahora actual",
    up_to="hasta",
    former="antes original anterior",
    price_prefixes="desde",
    actions="añadir al carrito comparar comprar ver leer más",
)
