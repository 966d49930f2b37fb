"""robots.txt as RFC 9309 has it: which paths of a host a crawler may ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote

MOST_BYTES = 512 * 1024
"""RFC 9309, section 2.5: at least 500 KiB are read; what follows is not looked at."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line Allow or Disallow: the pieces between its stars."""

    length: int
    allows: bool
    pieces: tuple[str, ...]
    is_anchored: bool

    def fits(self, path: str) -> bool:
        """Whether the rule speaks of a path: its pieces stand there in order, the first at the
        start. Linear, however many stars.
        """
        if not path.startswith(self.pieces[0]):
            return False
        at = len(self.pieces[0])
        for piece in self.pieces[1:-1]:
            at = path.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        if len(self.pieces) == 1:
            return not self.is_anchored or at == len(path)
        last = self.pieces[-1]
        return (
            path.endswith(last) and len(path) - len(last) >= at
            if self.is_anchored
            else path.find(last, at) >= 0
        )


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one host for one crawler.

    The longest rule that fits a path wins; of equally long ones, Allow. Of the groups, those that
    name the crawler count, else those for `*` (RFC 9309, section 2.2). `Crawl-delay` is not in the
    RFC and widely used, so it is read, too.

    >>> robots = Robots.read("User-agent: *\\nDisallow: /calendar/\\nAllow: /calendar/today$\\nCrawl-delay: 2", agent="treelace")
    >>> [robots.allows(path) for path in ("/", "/calendar/2026", "/calendar/today")], robots.delay
    ([True, False, True], 2.0)
    """

    rules: tuple[_Rule, ...] = ()
    delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    refusal: str = field(default="", compare=False)
    """Why nothing at all may be fetched; empty where the rules decide."""

    @classmethod
    def read(cls, text: str, *, agent: str) -> Robots:
        """The rules for the crawler whose product name is `agent`."""
        named: list[tuple[str, str]] = []
        general: list[tuple[str, str]] = []
        sitemaps: list[str] = []
        current: list[list[tuple[str, str]]] = []
        is_naming, has_named = False, False
        for line in text.lstrip("\ufeff").splitlines():
            key, colon, value = line.partition("#")[0].partition(":")
            key, value = key.strip().lower(), value.strip()
            if not colon:
                continue
            if key == "user-agent":
                if not is_naming:
                    current = []
                is_naming = True
                if value == "*":
                    current.append(general)
                elif _product(value) == agent.lower():
                    has_named = True
                    current.append(named)
            elif key == "sitemap":
                sitemaps.append(value)
            else:
                is_naming = False
                for group in current:
                    group.append((key, value))
        lines = named if has_named else general
        rules = tuple(
            _rule(value, allows=key == "allow")
            for key, value in lines
            if key in ("allow", "disallow") and value
        )
        delays = [
            float(value)
            for key, value in lines
            if key == "crawl-delay" and re.fullmatch(r"\d+(\.\d+)?", value)
        ]
        return cls(rules, max(delays, default=None), tuple(sitemaps))

    @classmethod
    def from_answer(cls, status: int, body: bytes, *, agent: str) -> Robots:
        """What an answer for /robots.txt means: 4xx, no rules; 5xx, the host wants to be left alone
        for now (RFC 9309, section 2.3.1).
        """
        if 200 <= status < 300:
            return cls.read(body[:MOST_BYTES].decode("utf-8", "replace"), agent=agent)
        if status >= 500 or status == 429:
            return cls(refusal=f"robots.txt answered {status}, so nothing is fetched there for now")
        return cls()

    def allows(self, path: str) -> bool:
        """Whether a path (with its query) may be asked for."""
        if self.refusal:
            return False
        if path == "/robots.txt":
            return True
        wanted = _spelt(path)
        fitting = [rule for rule in self.rules if rule.fits(wanted)]
        return not fitting or max((rule.length, rule.allows) for rule in fitting)[1]


def _product(value: str) -> str:
    """The product token of a User-agent line: letters, hyphens, underscores."""
    found = re.match(r"[A-Za-z_-]+", value)
    return found[0].lower() if found else ""


def _rule(value: str, *, allows: bool) -> _Rule:
    is_anchored = value.endswith("$")
    spelt = _spelt(value[:-1] if is_anchored else value)
    return _Rule(len(spelt), allows, tuple(spelt.split("*")), is_anchored)


def _spelt(path: str) -> str:
    """One spelling of escapes (RFC 9309, section 2.2.2): /%7Etea and /~tea are the same path."""
    return re.sub("%([0-9A-Fa-f]{2})", _escape, quote(path, safe="".join(map(chr, range(33, 127)))))


def _escape(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return (
        character
        if character.isascii() and (character.isalnum() or character in "-._~")
        else found[0].upper()
    )
