"""robots.txt as RFC 9309 has it: which paths of a host a crawler may ask for. Protego reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from protego import Protego

MOST_BYTES = 512 * 1024
"""RFC 9309, section 2.5: at least 500 KiB are read; what follows is not looked at."""

LONGEST_DELAY = 86_400.0


@dataclass(frozen=True)
class Robots:
    """The rules of one host for one crawler.

    The longest rule that fits a path wins; of equally long ones, Allow. Of the groups, those that
    name the crawler count, else those for `*` (RFC 9309, section 2.2). `Crawl-delay` is not in the
    RFC and widely used, so it is read, too.

    >>> text = "User-agent: *\\nDisallow: /calendar/\\nAllow: /calendar/today$\\nCrawl-delay: 2"
    >>> robots = Robots(text, agent="treelace")
    >>> [robots.allows(path) for path in ("/", "/calendar/2026", "/calendar/today")], robots.delay
    ([True, False, True], 2.0)
    """

    text: str = field(default="", repr=False)
    agent: str = "*"
    """The product name of the crawler."""
    refusal: str = field(default="", compare=False)
    """Why nothing at all may be fetched; empty where the rules decide."""

    @classmethod
    def from_answer(cls, status: int, body: bytes, *, agent: str) -> Robots:
        """The rules of an answer: 4xx, none; 5xx, nothing allowed for now (RFC 9309, 2.3.1)."""
        if 200 <= status < 300:
            return cls(body[:MOST_BYTES].decode("utf-8", "replace"), agent)
        if status >= 500 or status == 429:
            return cls(refusal=f"robots.txt answered {status}, so nothing is fetched there for now")
        return cls()

    def allows(self, path: str) -> bool:
        """Whether a path (with its query) may be asked for."""
        if self.refusal:
            return False
        return path == "/robots.txt" or self._rules.can_fetch(f"http://host{path}", self._token)

    @property
    def delay(self) -> float | None:
        """Seconds between two requests that the host asks for, a day at most."""
        asked = self._rules.crawl_delay(self._token)
        return None if asked is None or not asked > 0 else min(asked, LONGEST_DELAY)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """Addresses of sitemaps."""
        return tuple(self._rules.sitemaps)

    @property
    def _token(self) -> str:
        return f"{self.agent}/"

    @cached_property
    def _rules(self) -> Protego:
        # The product token counts, and as a whole (RFC 9309, section 2.2.1): `treelace/2` is
        # treelace, `tree` is not. Protego takes any beginning; the slash ends the token.
        named = re.compile(r"^([ \t]*user-agent[ \t]*:[ \t]*[a-z_-]+)[^\n\r]*", re.I | re.M)
        return Protego.parse(named.sub(r"\1/", self.text.lstrip("\ufeff")))
