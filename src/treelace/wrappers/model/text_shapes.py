"""The rough shape of a text, by which the values of a column are known again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


LONG = 40
"""Characters from which on a text is no name or number but a piece of prose."""


def shape(text: str) -> str:
    """A rough shape of a text, as the kernel has it: numbers as 9, words as a, at most twelve
    signs; long texts are all `long`.

    >>> shape("$ 19.99"), shape("Jane Doe, 1990")
    ('$9', 'a,9')
    """
    if len(text) > LONG:
        return "long"
    made: list[str] = []
    last = " "
    for character in text:
        if character.isspace() or (character in ".," and last == "9"):
            continue
        sign = "9" if character.isnumeric() else "a" if character.isalpha() else character
        if sign != last:
            made.append(sign)
        last = sign
    return "".join(made)[:12]


def shapes_of(texts: Sequence[str], most: int = 4) -> tuple[str, ...]:
    """The most frequent shapes of texts."""
    return tuple(known for known, _ in Counter(map(shape, texts)).most_common(most))
