"""ColumnType: the contract of a column's type, from the text on a page to JSON, Arrow and SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import date, timedelta
from typing import ClassVar, TypeAlias

from treelace.extract.locales import Locale
from treelace.extract.types.storage import FlatColumn, narrowest

Value: TypeAlias = str | int | float | bool | date | timedelta | tuple[object, ...] | None
"""What a cell may hold: a plain value, a named tuple of several (`Price`), or None: not read."""

JsonValue: TypeAlias = str | int | float | bool | None


MIN_SHARE_OF_TEXTS = 0.98
"""Share of a column's texts that must read as a type; those that say that there is no value are not
counted.
"""


def is_enough(count: int, of: int) -> bool:
    """Whether so many of a column's texts are enough to give it a type.

    >>> is_enough(49, of=50), is_enough(48, of=50), is_enough(10, of=10)
    (True, False, True)
    """
    return count >= MIN_SHARE_OF_TEXTS * of


class ColumnType(ABC):
    """What the values of a column are, and how they are read, compared and written.

    Every type promises, and tests/contracts/test_column_types.py checks: its examples are
    recognised and read; its JSON is plain JSON; what it stores comes back the same from Arrow and
    from SQLite; nothing raises on any text.
    """

    name: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]
    """Texts that read as this type; no two are equal values."""

    keeps_text: ClassVar[bool] = False
    """The value is the text itself: no text fails to read."""
    needs_digits: ClassVar[bool] = True
    """No text without a digit reads as this type."""
    names_columns: ClassVar[bool] = True
    """Its name says what stands in a column that the page gives no name to."""
    is_plain_number: ClassVar[bool] = False
    """Values are bare numbers: columns of several such types may be one column."""
    stores_also: ClassVar[str] = ""
    """Another type whose values it stores too: columns of both are one column of this type."""
    companions: ClassVar[tuple[str, ...]] = ()
    """What else is stored beside a value: `price` has `currency`, in a column `price currency`."""

    @abstractmethod
    def recognises(self, text: str) -> bool:
        """Whether a text, seen alone, speaks for this type. Called for every text of a page."""

    def fits(self, texts: Sequence[str], locale: Locale) -> bool:
        """Whether texts of which most are recognised are really of this type, seen together."""
        return True

    @abstractmethod
    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """The value of each text, or None; read together, as one may say how others are meant."""

    def to_json(self, value: Value) -> dict[str, JsonValue]:
        """What a cell has in JSON: its `value`, and its companions by their names."""
        assert not isinstance(value, (date, timedelta, tuple))
        return {"value": value}

    def store(
        self, name: str, values: Sequence[Value], texts: Sequence[str | None]
    ) -> list[FlatColumn]:
        """The columns that hold a column of this type in files and databases, its own first."""
        return [narrowest(name, values)]


class TextLike(ColumnType):
    """Types whose values are the texts themselves."""

    keeps_text = True
    needs_digits = False

    def recognises(self, text: str) -> bool:
        """Never: a column is given this type for other reasons than its texts."""
        return False

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """The texts."""
        return list(texts)
