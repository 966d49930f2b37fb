"""Polish."""

from treelace.extract.locales.language import Language

POLISH = Language(code="pl", decimal_mark=",", currency_signs="zł", yes="tak", no="nie")
