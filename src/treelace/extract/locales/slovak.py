"""Slovak."""

from treelace.extract.locales.language import Language

SLOVAK = Language(code="sk", decimal_mark=",", no="nie")
