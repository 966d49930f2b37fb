"""`image`: where a picture is."""

from __future__ import annotations

from treelace.extract.types.column_type import TextLike


class Image(TextLike):
    """The address of a picture: the type of columns whose cells have pictures and no text."""

    name = "image"
    examples = ("https://tea.example/assam.png", "/sencha.jpg")
