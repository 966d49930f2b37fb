"""`percentage`: a number with a per cent sign."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from treelace.extract.locales import Locale
from treelace.extract.types.column_type import ColumnType, Value
from treelace.extract.types.written_numbers import DIGITS, LABEL, decimal_mark, read_number

_PERCENTAGE = re.compile(rf"{LABEL}[+\-−]?(?:{DIGITS})\s?%")


class Percentage(ColumnType):
    """A share in hundredths; the value of `12.5 %` is 12.5."""

    name = "percentage"
    examples = ("12 %", "Discount: 5%", "-3.5%")
    is_plain_number = True

    def recognises(self, text: str) -> bool:
        """A number and `%`, perhaps after a label."""
        return _PERCENTAGE.fullmatch(text) is not None

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """The numbers."""
        mark = decimal_mark(texts, locale)
        return [read_number(text, mark) for text in texts]

    def to_text(self, value: Value) -> str:
        """Digits with a point, and `%`."""
        return format(Decimal(str(value)), "f") + "%"
