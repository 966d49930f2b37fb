"""`text`, `image` and `url`: types whose values are the texts themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treelace.extract.cells.value_text import value_text
from treelace.extract.types.column_type import TextLike, Value
from treelace.extract.types.storage import FlatColumn

_URL = re.compile(r"https?://\S+", re.IGNORECASE)


class Text(TextLike):
    """Words: the type of every column in which nine texts in ten agree on no other."""

    name = "text"
    examples = ("Assam", "two words", "€ or so")
    names_columns = False

    def store(
        self, name: str, values: Sequence[Value], texts: Sequence[str | None]
    ) -> list[FlatColumn]:
        """The texts as they read, whatever the values are; without a label or a comma in front
        (`Author: Bob`, `, SCBD-7627`).
        """
        return [FlatColumn(name, "text", tuple(value_text(text, name) for text in texts))]


class Image(TextLike):
    """The address of a picture: the type of columns whose cells have pictures and no text."""

    name = "image"
    examples = ("https://tea.example/assam.png", "/sencha.jpg")


class Url(TextLike):
    """A web address that stands on the page as a text (where a link leads to is its cell's)."""

    name = "url"
    examples = ("https://tea.example/", "http://tea.example/assam?size=1")
    names_columns = False

    def recognises(self, text: str) -> bool:
        """`http://…` or `https://…`, and no space in it."""
        return _URL.fullmatch(text) is not None
