"""Prices that the markup cuts in pieces (currency sign, cents), read as one text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from treelace.extract.types.number import DIGITS
from treelace.extract.types.price import BETWEEN, SIGN

MAX_SIGN_LENGTH = 4
"""Characters above which no text is only the sign of a currency."""

_SIGN = re.compile(SIGN, re.IGNORECASE)
_BETWEEN = re.compile(BETWEEN, re.IGNORECASE)
_PIECE = re.compile(
    rf"(?:{SIGN})?\s*(?:(?:{DIGITS})[.,]?)?\s*(?:{SIGN})?|[.,]|{BETWEEN}", re.IGNORECASE
)
_CENTS = re.compile(r"\d\d(?!\d)")


@lru_cache(maxsize=4096)
def is_sign(text: str) -> bool:
    """Whether a text is the sign or the code of a currency, and no more.

    >>> is_sign("$"), is_sign("EUR"), is_sign("$5")
    (True, True, False)
    """
    return len(text) <= MAX_SIGN_LENGTH and _SIGN.fullmatch(text) is not None


def with_its_sign(text: str, pieces: Sequence[str]) -> str:
    """The text of a cell that is made of these pieces, with the sign of a currency at its ends, and
    with a mark before its cents.

    >>> with_its_sign("275.00", ["$", "275.00"]), with_its_sign("1299", ["$", "12", "99"])
    ('$275.00', '$12.99')
    """
    first, last = pieces[0].strip(), pieces[-1].strip()
    if not (_is_symbol(first) or _is_symbol(last) or _CENTS.match(last)):
        return text
    if all(_PIECE.fullmatch(piece.strip()) for piece in pieces) and any(map(_SIGN.search, pieces)):
        return _joined(pieces)
    if _is_symbol(first) and not text.startswith(first):
        text = first + text
    return f"{text} {last}" if _is_symbol(last) and not text.endswith(last) else text


def _joined(pieces: Sequence[str]) -> str:
    text, last = "", ""
    for raw in pieces:
        piece, before, last = raw.strip(), last, raw
        if not text:
            text = piece
        elif _CENTS.match(piece) and text[-1].isdigit():
            text += ("," if re.search(r"\.\d{3}$", text) else ".") + piece
        else:
            text += (" " if _has_space(before, raw) else "") + piece
    return text


def _has_space(before: str, after: str) -> bool:
    left, right = before.strip(), after.strip()
    if left[-1] in ".," or right[0] in ".,":
        return False
    if (before + after).strip() != left + right:  # white space where they meet
        return True
    return (
        left[-1].isalpha()
        or (left[-1].isdigit() and right[0].isdigit())
        or any(map(_BETWEEN.fullmatch, (left, right)))
    )


def _is_symbol(text: str) -> bool:
    return 0 < len(text) <= MAX_SIGN_LENGTH and unicodedata.category(text[-1]) == "Sc"
