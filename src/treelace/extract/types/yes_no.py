"""`bool`: yes or no."""

from __future__ import annotations

from collections.abc import Sequence

from treelace.extract.locales import Locale, all_words
from treelace.extract.types.column_type import ColumnType, Value

_YES = frozenset([*all_words(lambda language: language.yes), "✓", "✔", "✅"])
_NO = frozenset([*all_words(lambda language: language.no), "✗", "✘", "❌"])
_YES_OR_NO = _YES | _NO


class YesNo(ColumnType):
    """Yes or no, in the words of some language or as a mark: `yes`, `nein`, `✓`."""

    name = "bool"
    examples = ("yes", "no")
    needs_digits = False

    def recognises(self, text: str) -> bool:
        """A word of yes or no alone."""
        return text.lower() in _YES_OR_NO

    def fits(self, texts: Sequence[str], locale: Locale) -> bool:
        """Only where both come up: a button says yes too."""
        said = {text.lower() for text in texts}
        return not (said.isdisjoint(_YES) or said.isdisjoint(_NO))

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """True or False."""
        return [
            True if text.lower() in _YES else False if text.lower() in _NO else None
            for text in texts
        ]
