"""What a column is called by where its links lead: those of tags lead to `/tags/…`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

MIN_SHARE = 0.6
"""Share of a column's texts that lead into one folder, so that it names the column."""

_FOLDERS = {
    "tag": "tag",
    "tags": "tag",
    "category": "category",
    "categories": "category",
    "author": "author",
    "authors": "author",
}


def name_of_links(texts: Sequence[str], links: Sequence[str]) -> str:
    """The name of a column by the folder that its links lead to; empty where they say nothing.

    Records that are tags themselves have a name each: such a column is no tag of something.

    >>> name_of_links(["wood", "stone", "wood"], ["/tags/wood/", "/tags/stone/", "/tags/wood/"])
    'tag'
    >>> name_of_links(["wood", "stone"], ["/tags/wood/", "/tags/stone/"])
    ''
    >>> name_of_links(["Oak", "Oak"], ["/category/chairs/oak", "/category/tables/oak"])
    ''
    """
    if len(set(texts)) == len(texts):
        return ""
    counts = Counter(_FOLDERS.get(_folder(link), "") for link in links)
    del counts[""]
    name, count = max(counts.items(), key=lambda it: it[1], default=("", 0))
    return name if count and count >= MIN_SHARE * len(texts) else ""


def _folder(link: str) -> str:
    """The folder that the page of a link stands in."""
    try:
        path = urlsplit(link).path
    except ValueError:
        return ""
    pieces = [piece for piece in path.split("/") if piece]
    return unquote(pieces[-2]).lower() if len(pieces) > 1 else ""
