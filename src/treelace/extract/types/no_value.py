"""Texts that say that there is no value: they fit a column of any type."""

from __future__ import annotations

import re
from functools import cache

from treelace.extract.locales.language import languages

MAX_LENGTH = 40
"""Letters of a text above which it says something."""

_SIGNS = re.compile(r"[-–—−_.…?/*]+")
_ENDS = "()[]. !:"


def says_no_value(text: str) -> bool:
    """Whether a text stands for a value that is not there, in any language: a dash, `n/a`, `on
    request`, and that a thing is sold out.

    >>> [text for text in ("–", "N/A", "Sold out!", "(on request)", "3.20") if says_no_value(text)]
    ['–', 'N/A', 'Sold out!', '(on request)']
    """
    if len(text) > MAX_LENGTH:
        return False
    return text.lower().strip(_ENDS) in _phrases() or _SIGNS.fullmatch(text) is not None


@cache
def _phrases() -> frozenset[str]:
    every = languages().values()
    said = ",".join(f"{it.no_value},{it.out_of_stock}" for it in every).split(",")
    return frozenset(phrase for one in said if (phrase := one.strip().strip(_ENDS)))
