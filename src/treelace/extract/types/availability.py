"""`availability`: whether a thing can be had, beside the words that say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from treelace.extract.locales import any_word, languages
from treelace.extract.types.column_type import JsonValue, TextLike, Value
from treelace.extract.types.storage import FlatColumn

MAX_STOCK_LENGTH = 60
"""Characters above which a text is more than a word about the stock."""


class Availability(TextLike):
    """Words about the stock: `In stock (12)`, `Sold out`, `lieferbar`. The value is the words;
    whether the thing can be had is stored beside them, in `… available`.
    """

    name = "availability"
    examples = ("In stock", "Sold out")
    stores_also = "text"
    companions = ("available",)

    def recognises(self, text: str) -> bool:
        """A phrase of some language that says that a thing can be had, or that it cannot."""
        return says_availability(text) is not None

    def to_json(self, value: Value) -> dict[str, JsonValue]:
        """The words, and yes or no beside them."""
        if not isinstance(value, str):
            return {"value": None}
        return {"value": value, "available": says_availability(value)}

    def store(
        self, name: str, values: Sequence[Value], texts: Sequence[str | None]
    ) -> list[FlatColumn]:
        """The words, and yes or no."""
        words = tuple(value if isinstance(value, str) else None for value in values)
        can_be_had = tuple(None if word is None else says_availability(word) for word in words)
        return [
            FlatColumn(name, "text", words),
            FlatColumn(f"{name} available", "bool", can_be_had),
        ]


def says_availability(text: str) -> bool | None:
    """Whether a text says that a thing can be had, or cannot; None where it says neither.

    >>> says_availability("In stock (12)"), says_availability("Sold out"), says_availability("new")
    (True, False, None)
    """
    if len(text) > 2 * MAX_STOCK_LENGTH:
        return None
    said = " ".join(text.lower().split())
    if len(said) > MAX_STOCK_LENGTH:
        return None
    yes, no = _stock_phrases()
    return False if no.search(said) else True if yes.search(said) else None


@cache
def _stock_phrases() -> tuple[re.Pattern[str], re.Pattern[str]]:
    every = languages().values()
    yes, no = (
        re.compile(rf"(?<!\w)(?:{any_word(filter(None, re.split(', *', phrases)))})(?!\w)")
        for phrases in (
            ",".join(it.in_stock for it in every),
            ",".join(it.out_of_stock for it in every),
        )
    )
    return yes, no
