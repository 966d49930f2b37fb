"""Whether the values of a column can be what a class calls them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treelace.extract.columns.value_names import is_near_date
from treelace.extract.types import TEXT

PRICES = frozenset(["price", "price range"])
"""Types of sums of money."""

MONEY = frozenset("bid cost deposit fee rent salary saving shipping tax".split())
"""Names that say which sum of money is meant."""

_COUNTED = frozenset(["price", "former price", "date", *MONEY, "number", "year"])
"""Names of values with figures that have one of few types."""

_LONG = frozenset(["tags", "category", "author", "address", "location"])
"""Names of values that may be long."""

_FIGURE = re.compile(r".*\d.*", re.DOTALL)
_WORD = r"\W*[^\W\d_]+\W*"
_FORMS = {
    "code": re.compile(r"(?=.*\d)\S+(?:\s\S+){0,2}"),
    "weekday": re.compile(_WORD),
    "month": re.compile(rf"{_WORD}|\W*(?:0?\d|1[0-2])\W*"),
    "day": re.compile(rf"{_WORD}|\W*[0-3]?\d\W*(?:[^\W\d_]{{1,3}}\W*)?"),
    "weight": _FIGURE,
    "quantity": re.compile(r".{1,16}", re.DOTALL),
}
"""How most values look that may be called so: figures and few words, one word, a small number,
a few letters."""

_MOST = {"weekday": 7, "month": 12, "day": 31}
"""How many different values there are of a kind."""


def may_be_called(name: str, texts: Sequence[str], kind: str) -> bool:
    """Whether texts of this type can be what a class calls them: `pageId-71` names no code where
    the texts are words.

    >>> may_be_called("code", ["A-17", "A-18"], "text"), may_be_called("code", ["Tea"], "text")
    (True, False)
    """
    length = sorted(map(len, texts))[len(texts) // 2] if texts else 0
    if name == "image":
        return False
    if name in _COUNTED:
        return _most(_FIGURE, texts) and kind in (TEXT.name, "number", *PRICES, "date")
    if name == "title":
        dates = sum(map(is_near_date, texts))
        return length <= 200 and kind in (TEXT.name, "number", "url") and 2 * dates < len(texts)
    if name == "description":
        return length >= 20
    if name in _FORMS and not _most(_FORMS[name], texts):
        return False
    if name in _MOST and len(set(texts)) > _MOST[name]:
        return False
    return length <= 80 or name in _LONG


def _most(form: re.Pattern[str], texts: Sequence[str]) -> bool:
    """Whether half of the texts or more have a form."""
    return 2 * sum(form.fullmatch(text) is not None for text in texts) >= len(texts)
