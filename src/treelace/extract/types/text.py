"""`text`: what reads as nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from treelace.extract.types.column_type import TextLike, Value
from treelace.extract.types.storage import FlatColumn


class Text(TextLike):
    """Words: the type of every column in which nine texts in ten agree on no other."""

    name = "text"
    examples = ("Assam", "two words", "€ or so")
    names_columns = False

    def store(
        self, name: str, values: Sequence[Value], texts: Sequence[str | None]
    ) -> list[FlatColumn]:
        """The texts as they read, whatever the values are."""
        return [FlatColumn(name, "text", tuple(texts))]
