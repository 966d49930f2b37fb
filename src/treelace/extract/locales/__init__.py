"""How languages and countries write numbers, dates and words of yes and no."""

from treelace.extract.locales.locale import DayOrder, Locale, locale_of

__all__ = ["DayOrder", "Locale", "locale_of"]
