"""The types a column may have, one file each, and how to get one by its name."""

from __future__ import annotations

from treelace import named
from treelace.extract.types.availability import Availability
from treelace.extract.types.column_type import ColumnType, JsonValue, Value
from treelace.extract.types.date import DateType
from treelace.extract.types.duration import DurationType
from treelace.extract.types.number import Number, Percentage
from treelace.extract.types.price import Price, PriceRange, PriceRangeType, PriceType
from treelace.extract.types.rating import Rating, RatingType
from treelace.extract.types.storage import FlatColumn
from treelace.extract.types.text import Image, Text, Url
from treelace.extract.types.yes_no import YesNo

__all__ = ["IMAGE", "TEXT", "TYPES", "ColumnType", "FlatColumn", "JsonValue", "Price", "PriceRange",
           "Rating", "Value", "companion_names", "type_named"]  # fmt: skip

TEXT, IMAGE = Text(), Image()

TYPES: dict[str, ColumnType] = {
    one.name: one
    for one in (
        TEXT,
        PriceRangeType(),
        PriceType(),
        Percentage(),
        Number(),
        RatingType(),
        DateType(),
        DurationType(),
        YesNo(),
        Availability(),
        Url(),
        IMAGE,
    )
}
"""Every type by its name; a column gets the first that its texts are recognised as, and
fit. To add one:
write its file, add it to this list.
"""


def type_named(name: str) -> ColumnType:
    """The type called `name`."""
    return named.pick("type of column", TYPES, name)


def companion_names() -> tuple[str, ...]:
    """What may stand beside a stored column, at the end of its name: its raw text, where it leads
    to, and what its type adds.

    >>> companion_names()
    ('text', 'link', 'high', 'currency', 'best', 'available')
    """
    found = [name for one in TYPES.values() for name in one.companions]
    return "text", "link", *dict.fromkeys(found)
