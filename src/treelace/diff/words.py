"""Two texts, word by word: what stayed, went and came."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
# beyond this, comparing words costs more than reading both texts
_MOST_WORDS = 2000


class Piece(NamedTuple):
    """A stretch of both texts: equal, or what went and what came."""

    old: str
    new: str

    @property
    def is_same(self) -> bool:
        """Whether nothing changed here."""
        return self.old == self.new


def pieces(old: str, new: str) -> list[Piece]:
    """The stretches, left to right; near changes are joined.

    >>> pieces("one red apple", "one green apple")
    [Piece(old='one ', new='one '), Piece(old='red', new='green'),
     Piece(old=' apple', new=' apple')]
    """
    start = _shared(old, new)
    end = min(_shared(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    # changes begin and end with words
    while start and start < max(len(old), len(new)) and old[start - 1].isalnum():
        start -= 1
    while end and old[len(old) - end].isalnum():
        end -= 1
    middle_old, middle_new = (
        _WORDS.findall(old[start : len(old) - end]),
        _WORDS.findall(new[start : len(new) - end]),
    )
    found = [Piece(old[:start], new[:start])]
    if max(len(middle_old), len(middle_new)) > _MOST_WORDS:
        found.append(Piece("".join(middle_old), "".join(middle_new)))
    else:
        for _, a, b, c, d in SequenceMatcher(
            None, middle_old, middle_new, autojunk=False
        ).get_opcodes():
            found.append(Piece("".join(middle_old[a:b]), "".join(middle_new[c:d])))
    found.append(Piece(old[len(old) - end :], new[len(new) - end :]))
    return _joined([piece for piece in found if piece.old or piece.new])


def _joined(found: list[Piece]) -> list[Piece]:
    joined: list[Piece] = []
    for number, piece in enumerate(found):
        is_thin = piece.is_same and len(piece.old.strip()) < 3 and 0 < number < len(found) - 1
        if joined and ((is_thin and not joined[-1].is_same) or joined[-1].is_same == piece.is_same):
            joined[-1] = Piece(joined[-1].old + piece.old, joined[-1].new + piece.new)
        else:
            joined.append(piece)
    return joined


def _shared(left: str, right: str) -> int:
    if left == right:
        return len(left)
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
