"""Conditions on a value: `< 900`, `drops 10%`, `= sold out`, `contains green`, `changes`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import Any

from treelace.errors import UsageError

_COMPARE = re.compile(r"(<=|>=|!=|<|>|=)\s*(.+)")
_MOVES = re.compile(r"(drops|rises|moves)(?:\s+([0-9.]+)\s*(%?))?")


@dataclass(frozen=True, slots=True)
class Condition:
    """Says whether a change of one value is of interest, and why.

    A comparison holds when the new value meets it and the old one did not: a price that stays under
    the mark is no news. `drops`, `rises` and `moves` look at the step, absolute or as a share of
    the old value. A value that cannot be read as a number meets no comparison of numbers.

    >>> Condition.read("drops 10%").why(20.0, 17.5), Condition.read("drops 10%").why(20.0, 19.0)
    ('20 → 17.5 (drops 12.5%, asked: 10%)', None)
    >>> Condition.read("< 900").why(950.0, 899.0), Condition.read("< 900").why(899.0, 880.0)
    ('950 → 899 (now < 900)', None)
    """

    verb: str
    value: str = ""
    is_share: bool = False

    @classmethod
    def read(cls, words: str) -> Condition:
        """The condition that the words say."""
        plain = " ".join(words.split())
        if plain in ("changes", "changed"):
            return cls("changes")
        if found := _MOVES.fullmatch(plain):
            return cls(found[1], found[2] or "0", bool(found[3]))
        if plain.startswith("contains ") and plain[9:]:
            return cls("contains", plain[9:])
        if found := _COMPARE.fullmatch(plain):
            if found[1] not in ("=", "!=") and number(found[2]) is None:
                raise UsageError(f"{plain!r}: {found[2]!r} is no number")
            return cls(found[1], found[2])
        raise UsageError(
            f"{words!r} is no condition: write < 900, >= 4.5, = sold out, contains green, drops"
            " 10%, rises 5, or changes"
        )

    def why(self, old: Any, new: Any) -> str | None:
        """Why a step from `old` to `new` is of interest, else None; a value None means absent."""
        if old == new or new is None:
            return None
        step = f"{shown(old)} → {shown(new)}"
        if self.verb == "changes":
            return step
        if self.verb in ("drops", "rises", "moves"):
            return self._moved(old, new, step)
        return (
            f"{step} (now {self.verb} {self.value})"
            if self._holds(new) and not (old is not None and self._holds(old))
            else None
        )

    def _moved(self, old: Any, new: Any, step: str) -> str | None:
        before, after = number(old), number(new)
        if before is None or after is None or before == after:
            return None
        change = after - before
        if (self.verb == "drops" and change > 0) or (self.verb == "rises" and change < 0):
            return None
        size = abs(change)
        if self.is_share:  # a step from 0 is more than any share of it
            size = size / abs(before) * 100 if before else inf
        if size + 1e-9 < float(self.value):
            return None
        unit = "%" if self.is_share else ""
        verb = self.verb if self.verb != "moves" else "drops" if change < 0 else "rises"
        much = f"{size:.4g}{unit}" if size < inf else "from 0"
        return f"{step} ({verb} {much}" + (
            f", asked: {float(self.value):g}{unit})" if float(self.value) else ")"
        )

    def _holds(self, value: Any) -> bool:
        if self.verb == "contains":
            return self.value.lower() in str(value).lower()
        left, right = number(value), number(self.value)
        if self.verb in ("=", "!="):
            is_equal = (
                left == right
                if left is not None and right is not None
                else str(value).strip().lower() == self.value.strip().lower()
            )
            return is_equal == (self.verb == "=")
        if left is None or right is None:
            return False
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[
            self.verb
        ]


def number(value: Any) -> float | None:
    """A value as a number, also the first one in a text: `€ 1,299.00`, `3 in stock`."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value)
    found = re.search(r"-?\d+(?:,\d{3})*(?:\.\d+)?", str(value))
    return float(found[0].replace(",", "")) if found else None


def shown(value: Any) -> str:
    """A value for people."""
    return "nothing" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
