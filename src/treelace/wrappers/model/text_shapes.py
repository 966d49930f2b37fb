"""The rough shape of a text, by which the values of a column are known again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

MAX_NAME_LENGTH = 40
"""Characters of a text that may be a name or a number; a longer one is prose."""


def shape(text: str) -> str:
    """A text's rough shape: numbers as 9, words as a, at most twelve signs; else `long`.

    >>> shape("$ 19.99"), shape("Jane Doe, 1990")
    ('$9', 'a,9')
    """
    if len(text) > MAX_NAME_LENGTH:
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


def without_digits(text: str) -> str:
    """A text with its digits made alike, for values that change every day.

    >>> without_digits("3  of 12")
    '0 of 00'
    """
    return re.sub(r"\d", "0", " ".join(text.split()))


def masked_digits(text: str) -> str:
    """A text with each run of digits, and what groups them, made alike.

    >>> masked_digits("1,204 visitors") == masked_digits("7 visitors")
    True
    """
    return re.sub(r"\d[\d.,:]*", "0", " ".join(text.split()))


def has_letters(text: str) -> bool:
    """Whether a text has a letter."""
    return any(map(str.isalpha, text))


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(map(str.isalnum, text))
