"""`url`: addresses written out as text."""

from __future__ import annotations

import re

from treelace.extract.types.column_type import TextLike

_URL = re.compile(r"https?://\S+", re.IGNORECASE)


class Url(TextLike):
    """A web address that stands on the page as a text (where a link leads to is its cell's)."""

    name = "url"
    examples = ("https://tea.example/", "http://tea.example/assam?size=1")
    names_columns = False

    def recognises(self, text: str) -> bool:
        """`http://…` or `https://…`, and no space in it."""
        return _URL.fullmatch(text) is not None
