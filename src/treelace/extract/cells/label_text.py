"""The label in front of a value: `Author: Bob` in a column `Author` says `Bob`."""

from __future__ import annotations

from typing import overload


@overload
def without_label(text: str, name: str) -> str: ...
@overload
def without_label(text: None, name: str) -> None: ...
@overload
def without_label(text: str | None, name: str) -> str | None: ...
def without_label(text: str | None, name: str) -> str | None:
    """A text without the name of its column and a colon at its start; as it is where nothing would
    be left.

    >>> without_label("Author: Bob", "author"), without_label("Authors of all", "author")
    ('Bob', 'Authors of all')
    """
    if text is None or text[: len(name)].casefold() != name.casefold():
        return text
    rest = text[len(name) :].lstrip()
    value = rest[1:].strip()
    return value if rest[:1] in (":", "：") and value else text
