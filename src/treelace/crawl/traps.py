"""Traps: calendars without end and facets of facets, seen by what their pages say.

Addresses of one shape (`scope.shape`) whose pages, one after the other, say nothing that pages of
this shape have not said before are a trap. What a page says is its visible texts with numbers left
out: a calendar that runs to the year 9999 says twelve months and seven days, over and over. A list
of new things, a product page, an article say something new each time.

Products whose titles differ by a number say nothing new either, but they are listed somewhere, and
there is an end to them. So a page counts against its shape only where it makes the place grow: it
was found on a page of its own shape, and leads to an address of this shape that no other page led
to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from treelace.crawl.scope import shape

_MOST_TEXTS = 200_000
"""Texts remembered for one shape; past that, everything counts as new."""


@dataclass(slots=True)
class _Shape:
    known: set[bytes] = field(default_factory=set)
    linked: set[bytes] = field(default_factory=set)
    """Addresses of this shape that pages of it led to."""
    dull: int = 0
    """Pages since the last news that made the place grow."""


@dataclass(slots=True)
class Traps:
    """Watches a crawl's pages; a shape is a trap after so many in a row without news.

    >>> traps, found = Traps(pages_until_trap=3), []
    >>> for n in range(6):
    ...     here, before, after = (f"https://a.example/month/{n + by}" for by in (0, -1, 1))
    ...     found.append(traps.notice(here, ["Calendar", f"Month {n}"], [after], found_on=before))
    >>> found
    [False, False, False, True, False, False]
    >>> traps.holds("https://a.example/month/77"), traps.holds("https://a.example/tea/77")
    (True, False)
    """

    pages_until_trap: int = 10
    _shapes: dict[str, _Shape] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)

    def notice(
        self, url: str, texts: Iterable[str], links: Iterable[str], *, found_on: str
    ) -> bool:
        """Takes note of a page; True at the moment its shape turns out to be a trap."""
        name = shape(url)
        seen = self._shapes.setdefault(name, _Shape())
        said = {_essence(text) for text in texts}
        news = said - seen.known
        if len(seen.known) < _MOST_TEXTS:
            seen.known |= news
        fresh = {_digest(it) for it in links if shape(it) == name} - seen.linked - {_digest(url)}
        if len(seen.linked) < _MOST_TEXTS:
            seen.linked |= fresh
        if news:
            seen.dull = 0
        elif fresh and shape(found_on) == name:
            seen.dull += 1
        if seen.dull < self.pages_until_trap or name in self.found:
            return False
        self.found.add(name)
        return True

    def holds(self, url: str) -> bool:
        """Whether an address leads into a trap."""
        return shape(url) in self.found


def _essence(text: str) -> bytes:
    return _digest(re.sub(r"[0-9]+", "0", " ".join(text.split())))


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
