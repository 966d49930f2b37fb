"""Portuguese."""

from treelace.extract.locales.language import Language

PORTUGUESE = Language(
    code="pt",
    decimal_mark=",",
    ordinal_endings="º ª",
    before_month="de",
    before_year="de",
    duration_units={
        "weeks": "semana semanas",
        "days": "dia dias",
        "hours": "hora horas",
        "minutes": "minuto minutos",
        "seconds": "segundo segundos",
    },
    yes="sim",
    no="não",
)
