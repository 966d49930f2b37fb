"""Numbers as pages write them (groups of three digits, decimals after a point or a comma), and the
types `number` and `percentage`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from treelace.extract.locales import DecimalMark, Locale
from treelace.extract.types.column_type import ColumnType, Value

_GROUP = r"['\u2019\u00a0\u202f\u2009 ]"
_LAKHS = r"\d{1,2}(?:,\d\d)+,\d{3}(?!\d)(?:\.\d+)?"
"""A number in Indian groups: `1,29,999`."""

DIGITS = rf"{_LAKHS}|\d{{1,3}}(?:(?:[.,]|{_GROUP})\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
"""A pattern of a number without its sign; a fourth digit after a mark makes it the decimal one."""

LABEL = r"(?:[^\d:$€£¥]{1,24}:\s*)?"
"""A pattern of what may stand before a value: `Price:`."""

_FORMS = {
    ".": re.compile(rf"{_LAKHS}|\d{{1,3}}(?:(?:,|{_GROUP})\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?"),
    ",": re.compile(rf"\d{{1,3}}(?:(?:\.|{_GROUP})\d{{3}})+(?:,\d+)?|\d+(?:,\d+)?"),
}
"""A number as it is written where the decimals start with this mark."""

_WEIGHT_OF_BOTH_MARKS = 10
"""`1.204,50` says more about a column than ten numbers with one mark."""

_NUMBER = re.compile(rf"[+\-−]?(?:{DIGITS})")
_PERCENTAGE = re.compile(rf"{LABEL}[+\-−]?(?:{DIGITS})\s?%")
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


def decimal_mark(texts: Sequence[str], locale: Locale) -> DecimalMark:
    """`.` or `,`: what starts the decimals in these numbers.

    Decided by the locale where a person set one, else by a text that has both marks, then by one
    whose last group has not three digits, then by the page's language.
    """
    if locale.is_set and locale.decimals:
        return locale.decimals
    votes = {".": 0, ",": 0}
    for text in texts:
        for number in re.findall(DIGITS, text):
            marks = [character for character in number if character in ".,"]
            if len(set(marks)) == 2:
                votes[marks[-1]] += _WEIGHT_OF_BOTH_MARKS
            elif len(marks) == 1 and (
                len(number) - number.index(marks[0]) - 1 != 3 or number.startswith("0")
            ):
                votes[marks[0]] += 1
            elif len(marks) > 1:
                votes["," if marks[0] == "." else "."] += 1
    if votes["."] != votes[","]:
        return "." if votes["."] > votes[","] else ","
    return locale.decimals or "."


def plain_digits(text: str, mark: DecimalMark) -> str | None:
    """A text's first number, with a point, without groups; None for another decimal mark."""
    found = re.search(DIGITS, text)
    if found is None or not _FORMS[mark].fullmatch(found[0]):
        return None
    return "".join(
        character for character in found[0] if character.isdigit() or character == mark
    ).replace(",", ".")


def read_number(text: str, mark: DecimalMark) -> int | float | None:
    """The first number of a text, with its sign."""
    kept = plain_digits(text, mark)
    if kept is None:
        return None
    before = re.search(DIGITS, text)
    sign = -1 if before is not None and text[: before.start()].endswith(("-", "−")) else 1
    return sign * (float(kept) if "." in kept else int(kept))
