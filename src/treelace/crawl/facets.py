"""Facets: lists filtered by colour, size, both, …, whose pages show the same records again.

Pages of one class under one path, whose addresses only combine anew what was asked for before,
which show (nearly) nothing that other pages there have not shown, and which lead to nothing new,
are a trap once there are enough of them in a row. Each of the four alone is normal: the second page
of a second category combines known parts, but shows new records; a product page beside forty that
mention the same products has a part in its address that no other has.

Addresses with a part that is new (a product, a page number, a colour) are always followed. So a
trap costs its pages with one facet each, and some twenty more.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from treelace.classes.layout import plain_similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treelace._kernel import Features
    from treelace.classes.pages import Parsed

SAID_BEFORE = 0.8
"""Share of what a page says of its own that others have said before: then it is nearly the same
again. A headline names the choice of facets.
"""
SAME_KIND = 0.85
"""How alike pages of one kind are, by all their facts."""
_FEWEST_PAGES = 10
"""Pages of a family before any is judged: until then nobody knows what is frame."""
_FRAME = 0.9
"""Share of the pages of a family on which a text stands that is frame."""
_MOST_TEXTS = 200_000
"""Texts remembered for one family; past that, everything counts as new."""


@dataclass(slots=True)
class _Family:
    """The pages under one path, as far as they were fetched."""

    parts: set[str] = field(default_factory=set)
    texts: Counter[bytes] = field(default_factory=Counter)
    pages: int = 0
    dull: int = 0
    """Pages in a row that showed the same again."""
    last: Features | None = None
    """The newest of them."""


@dataclass(slots=True)
class Facets:
    """Watches the pages of a crawl; so many dull pages in a row make a trap."""

    pages_until_trap: int = 20
    _families: dict[str, _Family] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    _linked: set[bytes] = field(default_factory=set)

    def is_new(self, url: str) -> bool:
        """Whether an address is more than parts of addresses that were fetched, combined anew.

        >>> facets = Facets()
        >>> facets._families["a.example/tea"] = _Family({"kind=green", "size=s"})
        >>> queries = ("kind=green&size=s", "kind=black&size=s")
        >>> [facets.is_new(f"https://a.example/tea?{query}") for query in queries]
        [False, True]
        """
        family = self._families.get(family_of(url))
        return family is None or not parts_of(url) <= family.parts

    def leads_on(self, urls: Iterable[str]) -> bool:
        """Whether a page has a link that is new, and that no page of this crawl had."""
        fresh = {_digest(url) for url in urls if self.is_new(url)} - self._linked
        self._linked |= fresh
        return bool(fresh)

    def holds(self, url: str) -> bool:
        """Whether an address leads into a trap."""
        return family_of(url) in self.found and not self.is_new(url)

    def notice(self, page: Parsed, texts: Sequence[str], *, leads_on: bool) -> bool:
        """Notes a page; True when its family turns out a trap. `leads_on`: it has new links."""
        url = page.fetched.url
        name = family_of(url)
        family = self._families.setdefault(name, _Family())
        is_new = self.is_new(url)
        family.parts.update(parts_of(url))
        said = {_digest(text) for text in texts}
        own = [text for text in said if family.texts[text] < _FRAME * family.pages]
        seen = sum(text in family.texts for text in own)
        if len(family.texts) < _MOST_TEXTS:
            family.texts.update(said)
        family.pages += 1
        if leads_on or (own and seen < SAID_BEFORE * len(own) and len(own) - seen > 2):
            family.dull = 0  # news
        elif (
            not is_new and family.pages > _FEWEST_PAGES and seen and seen >= SAID_BEFORE * len(own)
        ):
            sketch, last = page.sketch, family.last
            is_of_class = last is None or plain_similarity(sketch, last) >= SAME_KIND
            family.dull, family.last = family.dull + 1 if is_of_class else 1, sketch
        if family.dull < self.pages_until_trap or name in self.found:
            return False
        self.found.add(name)
        return True


def family_of(url: str) -> str:
    """The host and the first piece of the path.

    >>> family_of("https://shop.example/tea/green?size=s"), family_of("https://shop.example/?size=s")
    ('shop.example/tea', 'shop.example/')
    """
    parts = urlsplit(url)
    return f"{parts.netloc}/{parts.path.strip('/').partition('/')[0]}"


def parts_of(url: str) -> set[str]:
    """An address beside its family: further pieces of the path, and the pairs of the query.

    >>> sorted(parts_of("https://shop.example/tea/green?size=s&sort=price"))
    ['green', 'size=s', 'sort=price']
    """
    parts = urlsplit(url)
    pairs = {f"{name}={value}" for name, value in parse_qsl(parts.query, keep_blank_values=True)}
    return {piece for piece in parts.path.strip("/").split("/")[1:] if piece} | pairs


def _digest(text: str) -> bytes:
    return blake2b(" ".join(text.split()).encode("utf-8", "surrogatepass"), digest_size=8).digest()
