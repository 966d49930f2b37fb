"""Names of new classes: by what their pages hold."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from treelace.extract.page.structured_data import structured_items

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from treelace.tree import Tree
    from treelace.wrappers import Wrapper

_SHARED = 0.8
"""Share of the pages of a class that must have a word in common for it to be its name."""
_FRAME_TYPES = frozenset(
    "breadcrumblist collectionpage faqpage imageobject itemlist itempage listitem organization"
    " person searchaction sitenavigationelement thing webpage website wpfooter wpheader".split()
)
"""Types of structured data that stand on pages of any kind."""


def name_for(urls: Sequence[str], wrapper: Wrapper | None, trees: Sequence[Tree] = ()) -> str:
    """A name for a class: what the pages say that they are (schema.org), else the word that their
    addresses share; and whether its pages are lists.

    >>> name_for(["https://a.example/en/news/uk/1", "https://a.example/en/news/uk/2"], None)
    'news'
    >>> name_for(["https://a.example/2026/03/tea", "https://a.example/2026/02/cups"], None)
    'post'
    >>> name_for(["https://a.example/tea", "https://a.example/cups"], None)
    'page'
    """
    kind = "page" if wrapper is None else "item" if wrapper.regions[0].kind == "page" else "list"
    if kind != "list" and (said := _stated_type(trees)):
        return said
    word = _shared_word(urls)
    if not word:
        is_dated = all(re.match(r"/(19|20)\d\d/\d\d?/.", urlsplit(url).path) for url in urls)
        return "post" if is_dated and kind != "list" else kind
    return f"{word}-list" if kind == "list" else word


def _stated_type(trees: Sequence[Tree]) -> str:
    """The type that most pages state of one thing each; empty where they do not agree."""
    types: Counter[str] = Counter()
    for tree in trees:
        found = Counter(
            name.lower()
            for item in structured_items(tree)
            if item.source != "opengraph"  # which calls every page an article
            for name in item.types
        )
        types.update(name for name, count in found.items() if count == 1)
    names = [name for name, _ in types.most_common() if name not in _FRAME_TYPES]
    is_shared = bool(names) and types[names[0]] >= _SHARED * len(trees)
    return names[0] if is_shared and re.fullmatch(r"[a-z]+", names[0]) else ""


def _shared_word(urls: Sequence[str]) -> str:
    """The first word of their paths that the addresses share; a language (`/en/`) is none."""
    paths = [[piece for piece in urlsplit(url).path.lower().split("/") if piece] for url in urls]
    for at in range(max(map(len, paths), default=0)):
        words = Counter(path[at] for path in paths if len(path) > at)
        word, count = words.most_common(1)[0]
        if count < _SHARED * len(urls):
            break
        is_language = re.fullmatch(r"[a-z]{2}([-_][a-z]{2})?", word) is not None
        if re.fullmatch(r"[a-z][a-z0-9_-]*", word) and word != "page" and not is_language:
            return word
    return ""


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where others have it."""
    numbered = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in numbered if one not in taken)
