"""`rating`: so many points of so many, in words, in figures or in stars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from treelace.extract.locales import Locale, all_words, any_word
from treelace.extract.types.column_type import ColumnType, JsonValue, Value
from treelace.extract.types.storage import FlatColumn

USUAL_BEST = 5.0
"""The best of a rating in stars that does not say it."""

MAX_RATING_LENGTH = 80
"""Characters above which a text is a sentence with a rating in it."""

_NUMBER = r"\d{1,3}(?:[.,]\d{1,3})?"
_OF = rf"(?:out\s+of|{any_word(all_words(lambda language: language.out_of))})"
_STAR_WORDS = any_word(all_words(lambda language: language.stars))
_BEFORE = r"(?:[^\W\d]+:?\s+){0,3}"
_AFTER = r"(?:[\s,(–-]+\(?\d[\d.,]*\)?[^\d]{0,40}|[^\d]{0,40})"
_OF_BEST = re.compile(
    rf"{_BEFORE}(?P<value>{_NUMBER})\s*(?:★\s*)?(?:(?:{_OF})\s+(?:\w+\s+)?|/\s*)"
    rf"(?P<best>5|10|100)(?:[.,]0+)?(?![\d/]){_AFTER}",
    re.IGNORECASE,
)
_IN_STARS = re.compile(
    rf"{_BEFORE}(?P<value>{_NUMBER})[\s-]*(?:(?:{_STAR_WORDS})\b|[★⭐]){_AFTER}", re.IGNORECASE
)
_DRAWN = re.compile(r"(?P<full>[★⭐]*)(?P<half>[½⯨⯪]?)(?P<empty>☆*)\s*(?:\(?\d[\d.,]*\)?)?")
_FORMS = (_OF_BEST, _IN_STARS)


class Rating(NamedTuple):
    """Points, and how many there can be."""

    points: float
    best: float


class RatingType(ColumnType):
    """Points of a scale: `4.5 out of 5`, `8/10`, `4,5 von 5 Sternen`, `★★★☆☆`; how many there can
    be is stored beside them, in `… best`.
    """

    name = "rating"
    examples = ("4.5 out of 5 stars", "3/5", "8,5 / 10", "★★★★☆", "Rated 2.00 out of 5")
    needs_digits = False
    companions = ("best",)

    def recognises(self, text: str) -> bool:
        """Points with their scale, or stars."""
        return read_rating(text) is not None

    def fits(self, texts: Sequence[str], locale: Locale) -> bool:
        """Not where they count up: `1/5`, `2/5`, `3/5` are steps."""
        points = [rating.points for text in texts if (rating := read_rating(text))]
        return len(points) < 3 or points != [points[0] + at for at in range(len(points))]

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """The points and the best there is."""
        return [read_rating(text) for text in texts]

    def to_json(self, value: Value) -> dict[str, JsonValue]:
        """The points, and the best beside them."""
        if not isinstance(value, Rating):
            return {"value": None}
        return {"value": value.points, "best": value.best}

    def store(
        self, name: str, values: Sequence[Value], texts: Sequence[str | None]
    ) -> list[FlatColumn]:
        """Points and best as numbers."""
        ratings = [value if isinstance(value, Rating) else None for value in values]
        return [
            FlatColumn(name, "number", tuple(one and one.points for one in ratings)),
            FlatColumn(f"{name} best", "number", tuple(one and one.best for one in ratings)),
        ]


def read_rating(text: str) -> Rating | None:
    """The points that a text says, None where it says none or more than there can be.

    >>> read_rating("Rated 4.50 out of 5"), read_rating("★★★½☆"), read_rating("4.8 stars (120)")
    (Rating(points=4.5, best=5.0), Rating(points=3.5, best=5.0), Rating(points=4.8, best=5.0))
    >>> read_rating("3 of them"), read_rating("7/5"), read_rating("3/5/2024")
    (None, None, None)
    """
    if len(text) > MAX_RATING_LENGTH:
        return None
    if text[:1] in "★⭐☆" and text and (drawn := _DRAWN.fullmatch(text)):
        full, half, empty = len(drawn["full"]), bool(drawn["half"]), len(drawn["empty"])
        best = max(full + half + empty, USUAL_BEST)
        return Rating(full + half / 2, float(best)) if best <= 10 else None
    for form in _FORMS:
        if found := form.fullmatch(text):
            points = float(found["value"].replace(",", "."))
            best = float(found.groupdict().get("best") or USUAL_BEST)
            return Rating(points, best) if points <= best else None
    return None
