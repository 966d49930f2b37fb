"""`number`: a bare number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from treelace.extract.locales import Locale
from treelace.extract.types.column_type import ColumnType, Value
from treelace.extract.types.written_numbers import DIGITS, decimal_mark, read_number

_NUMBER = re.compile(rf"[+\-−]?(?:{DIGITS})")
_LEADING_ZERO = re.compile(r"0\d")

MAX_NUMBER_LENGTH = 15
"""Characters above which digits are a code (an EAN, a phone number) and not counted with."""


class Number(ColumnType):
    """A number and nothing beside it: `12`, `1,204.50`, `-3`."""

    name = "number"
    examples = ("12", "1,204", "-3.5", "0.25")
    is_plain_number = True

    def recognises(self, text: str) -> bool:
        """Digits, with groups, decimals and a sign."""
        return _NUMBER.fullmatch(text) is not None

    def fits(self, texts: Sequence[str], locale: Locale) -> bool:
        """Not where one is a code: leading noughts and long strings of digits are no numbers."""
        return not any(_LEADING_ZERO.match(text) or len(text) > MAX_NUMBER_LENGTH for text in texts)

    def values(self, texts: Sequence[str], locale: Locale) -> Sequence[Value]:
        """Integers, and numbers with a point where there are decimals."""
        mark = decimal_mark(texts, locale)
        return [read_number(text, mark) for text in texts]

    def to_text(self, value: Value) -> str:
        """Digits with a point, never in powers of ten."""
        return format(Decimal(str(value)), "f")
