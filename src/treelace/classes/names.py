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
"""Share of the pages of a class that must have a word in common for it to be its best name."""
MIN_PROSE = 400
"""Characters of a text, on the mean, that make a page an article."""
_FRAME_TYPES = frozenset(
    "breadcrumblist collectionpage faqpage imageobject itemlist itempage listitem organization"
    " person searchaction sitenavigationelement thing webpage website wpfooter wpheader".split()
)
"""Types of structured data that stand on pages of any kind."""


def names_for(
    urls: Sequence[str], wrapper: Wrapper | None, trees: Sequence[Tree] = ()
) -> list[str]:
    """Names for a class, the best first: what the pages say that they are (schema.org), the word
    that their addresses share, the folder that they stand in, what a record holds, the folder of
    most of them; and whether its pages are lists.

    >>> names_for(["https://a.example/en/news/uk/1", "https://a.example/en/news/uk/2"], None)
    ['news', 'page']
    >>> names_for(["https://a.example/2026/03/tea", "https://a.example/2026/02/cups"], None)
    ['post', 'page']
    >>> names_for(["https://a.example/products/tea", "https://a.example/new/products/cup"], None)
    ['products', 'page']
    >>> names_for(["https://a.example/tea", "https://a.example/cups"], None)
    ['page']
    """
    kind = "page" if wrapper is None else "item" if wrapper.regions[0].kind == "page" else "list"
    stated = _stated_type(trees) if kind != "list" else ""
    words = [_shared_word(urls), _last_folder(urls), _usual_word(urls)]
    named = [f"{word}-list" if kind == "list" else word for word in words if word]
    is_dated = all(re.match(r"/(19|20)\d\d/\d\d?/.", urlsplit(url).path) for url in urls)
    if is_dated and kind != "list":
        named.insert(bool(words[0]), "post")
    if wrapper is not None and kind == "item" and (held := _held(wrapper)):
        named.insert(bool(words[0]) + bool(words[1]), held)
    return list(dict.fromkeys([*([stated] if stated else []), *named, kind]))


def _held(wrapper: Wrapper) -> str:
    """What a record is by its values: something with a price, or a long text."""
    from treelace.extract.types.price import PriceRangeType, PriceType

    columns = wrapper.regions[0].columns
    if any(column.type in (PriceType.name, PriceRangeType.name) for column in columns):
        return "product"
    return "article" if any(column.length >= MIN_PROSE for column in columns) else ""


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


def _paths(urls: Sequence[str]) -> list[list[str]]:
    return [[piece for piece in urlsplit(url).path.lower().split("/") if piece] for url in urls]


def _is_word(piece: str) -> bool:
    """Whether a piece of a path may name a class: a word, and no language (`/en/`)."""
    is_language = re.fullmatch(r"[a-z]{2}([-_][a-z]{2})?", piece) is not None
    return re.fullmatch(r"[a-z][a-z0-9_-]*", piece) is not None and not (
        is_language or piece == "page"
    )


def _shared_word(urls: Sequence[str]) -> str:
    """The first word of their paths that the addresses share."""
    paths = _paths(urls)
    for at in range(max(map(len, paths), default=0)):
        words = Counter(path[at] for path in paths if len(path) > at)
        word, count = words.most_common(1)[0]
        if count < _SHARED * len(urls):
            break
        if _is_word(word):
            return word
    return ""


def _last_folder(urls: Sequence[str]) -> str:
    """The folder that nearly all pages stand in, wherever that is; empty where there is none."""
    folders = Counter(path[-2] for path in _paths(urls) if len(path) > 1)
    word, count = folders.most_common(1)[0] if folders else ("", 0)
    return word if count >= _SHARED * len(urls) and _is_word(word) else ""


def _usual_word(urls: Sequence[str]) -> str:
    """The first piece of most paths; empty where it is none of a kind."""
    first = Counter(path[0] for path in _paths(urls) if len(path) > 1)
    word, count = first.most_common(1)[0] if first else ("", 0)
    return word if 2 * count > len(urls) and _is_word(word) else ""


def free_name(names: Sequence[str], taken: Collection[str]) -> str:
    """The first of the names that no other has, else the first with a number behind it.

    >>> free_name(["tea-list", "list"], {"tea-list"}), free_name(["list"], {"list"})
    ('list', 'list-2')
    """
    numbered = (f"{names[0]}-{number}" for number in range(2, len(taken) + 3))
    return next(one for one in (*names, *numbered) if one not in taken)
