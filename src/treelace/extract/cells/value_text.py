"""What a text says as the value of its column: without a label or a comma in front of it."""

from __future__ import annotations

import re
from typing import overload

_SEPARATOR = re.compile(r"[,;|·•–—]\s+(?=\S)")


@overload
def value_text(text: str, name: str) -> str: ...
@overload
def value_text(text: None, name: str) -> None: ...
@overload
def value_text(text: str | None, name: str) -> str | None: ...
def value_text(text: str | None, name: str) -> str | None:
    """A text without the name of its column and a colon at its start, and without a mark that sets
    it apart from what stands before it on the page; as it is where nothing would be left.

    >>> value_text("Author: Bob", "author"), value_text("Authors of all", "author")
    ('Bob', 'Authors of all')
    >>> value_text(", SCBD-7627", "number"), value_text("-20 %", "saving")
    ('SCBD-7627', '-20 %')
    """
    if text is None:
        return None
    value = _without_label(text, name)
    mark = _SEPARATOR.match(value)
    return value[mark.end() :] if mark else value


def _without_label(text: str, name: str) -> str:
    if text[: len(name)].casefold() != name.casefold():
        return text
    rest = text[len(name) :].lstrip()
    value = rest[1:].strip()
    return value if rest[:1] in (":", "：") and value else text
