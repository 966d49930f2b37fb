"""Scope: which addresses belong to a crawl, and why the others do not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

from treelace.crawl.urls import normal
from treelace.errors import UsageError

# What is never a page; asking for it costs the site more than it tells us.
_FILES = re.compile(
    r"(?<!\.xml(?=\.gz))\.(?:7z|apk|avi|avif|bin|bmp|bz2|css|csv|deb|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jar|jpe?g|js|json|m4[av]|mjs|mkv|mov|mp[34]|mpe?g|msi"
    r"|od[pst]|og[agv]|otf|pdf|png|pptx?|rar|rpm|svg|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|wmv|woff2?|xlsx?|xz|zip)$",
    re.IGNORECASE,
)
# What does something to a cart, a list of wishes or an account: a parameter, or a piece of a path.
_ACTION = (
    r"(add|remove)[-_]?(to|from)[-_]?(cart|basket|bag|wishlist|compare)|(empty|clear)[-_]?(cart|basket)"
    r"|(log|sign)[-_]?out|unsubscribe"
)
_ACTING_PARAMETERS = re.compile(
    rf"{_ACTION}|(removed?|undo|delete)[-_]?(item|coupon)|apply_coupon|wc-ajax|_wpnonce",
    re.IGNORECASE,
)
_ACTING_PIECES = re.compile(rf"{_ACTION}|wp-(login|signup)\.php", re.IGNORECASE)
_ACTING_VALUES = re.compile(rf"{_ACTION}|(add|remove|delete)([-_]\w+)?", re.IGNORECASE)
_ACTION_NAMES = frozenset(("action", "do", "cmd", "task", "op"))
"""Parameters whose value says what is done."""
LONGEST = 2_000
"""Characters of a URL: longer ones are made by loops."""
_REPEATS = 3
"""The same piece of a path more often than this is a loop, too: /a/b/a/b/a/b/a/b."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which URLs belong: the hosts of the start pages, by regular `include` and `exclude`.

    >>> scope = Scope(starts=("https://shop.example/",), exclude=(r"/cart",))
    >>> [scope.refusal(url) for url in ("https://shop.example/tea", "https://shop.example/cart/1", "https://other.example/")]
    ['', 'excluded by /cart', 'other.example is not a host of this site']
    """

    starts: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    """Further hosts; a leading dot stands for a domain and all below it."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", tuple(normal(start) for start in self.starts))

    def refusal(self, url: str) -> str:
        """Why a URL does not belong; empty where it does."""
        parts = urlsplit(url)
        host = parts.netloc
        if not any(
            host == known or (known.startswith(".") and (host.endswith(known) or host == known[1:]))
            for known in self._hosts()
        ):
            return f"{host} is not a host of this site"
        if _FILES.search(parts.path):
            return "a file, not a page"
        if acts(url):
            return "a link that does something, not a page"
        if len(url) > LONGEST:
            return f"longer than {LONGEST:,} characters"
        pieces = [piece for piece in parts.path.split("/") if piece]
        if any(pieces.count(piece) > _REPEATS for piece in set(pieces)):
            return "its path goes in circles"
        for pattern in self.exclude:
            if _compiled(pattern).search(url):
                return f"excluded by {pattern}"
        if (
            self.include
            and url not in self.starts
            and not any(_compiled(pattern).search(url) for pattern in self.include)
        ):
            return "not included"
        return ""

    def sitemap(self, url: str) -> str:
        """The address of a sitemap of its hosts, wherever on them; empty where it is none."""
        try:
            address = normal(url)
        except UsageError:
            return ""
        return "" if self.refusal(address).endswith("is not a host of this site") else address

    def _hosts(self) -> tuple[str, ...]:
        return (*(urlsplit(start).netloc for start in self.starts), *self.hosts)


def acts(url: str) -> bool:
    """Whether following an address does something: fills a cart, ends a login, deletes.

    >>> acts("https://shop.example/cart?remove_item=7"), acts("https://shop.example/?add-to-cart=3")
    (True, True)
    >>> acts("https://shop.example/user/logout"), acts("https://shop.example/?s=add&page=2")
    (True, False)
    """
    parts = urlsplit(url)
    if any(_ACTING_PIECES.fullmatch(piece) for piece in parts.path.split("/")):
        return True
    return any(
        _ACTING_PARAMETERS.fullmatch(name)
        or (name in _ACTION_NAMES and _ACTING_VALUES.fullmatch(value))
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )


def shape(url: str) -> str:
    """What addresses of one kind have in common: numbers and the values of the query are left open.

    >>> shape("https://shop.example/calendar/2031/07?view=month&day=3")
    'https://shop.example/calendar/0/0?day&view'
    """
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.scheme}://{parts.netloc}{re.sub(r'[0-9]+', '0', parts.path)}" + (
        f"?{'&'.join(names)}" if names else ""
    )


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{pattern!r} is no regular expression: {error}") from error
