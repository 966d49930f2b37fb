"""Italian."""

from treelace.extract.locales.language import Language

ITALIAN = Language(
    code="it",
    decimal_mark=",",
    decimal_mark_in={"ch": "."},
    duration_units={"hours": "ora ore", "minutes": "minuti"},
    no="no",
)
