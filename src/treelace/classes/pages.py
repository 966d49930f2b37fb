"""Fetched and Parsed: a page as it comes in, from wherever it comes, and as a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Literal, TypeAlias

from treelace._kernel import Features
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Tree, parse, sniff


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched page: address, time (UTC), status, unpacked body, and what its headers said.

    >>> from datetime import UTC
    >>> time = datetime(2026, 3, 1, tzinfo=UTC)
    >>> page = Fetched("https://shop.example/", time, 200, b"<p>tea", "text/html")
    >>> page.tree().root.text
    'tea'
    """

    url: str
    time: datetime
    """When, in UTC."""
    status: int
    body: bytes = field(repr=False)
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    _digest: list[bytes] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def is_page(self) -> bool:
        """Whether the answer is the page that was asked for, and no word about it."""
        return 200 <= self.status < 300

    @property
    def digest(self) -> bytes:
        """16 bytes that say whether the body is the same."""
        if not self._digest:
            self._digest.append(blake2b(self.body, digest_size=16).digest())
        return self._digest[0]

    @property
    def format(self) -> Literal["html", "xml", "json"]:
        """HTML, XML or JSON: by the content type, else by the address and the first tag."""
        kind = self.content_type.partition(";")[0].strip().lower()
        if kind in ("text/html", "application/xhtml+xml"):
            return "html"
        if kind.endswith(("/xml", "+xml")):
            return "xml"
        if kind.endswith(("/json", "+json")):
            return "json"
        return sniff.format_of(self.body, self.url.partition("?")[0].partition("#")[0])

    def tree(self, *, limits: Limits = DEFAULT_LIMITS) -> Tree:
        """The page, parsed."""
        encoding = self.content_type if "charset" in self.content_type.lower() else None
        return parse(self.body, format=self.format, encoding=encoding, limits=limits)


GONE = (404, 410)
"""What a server answers where a page is not there."""

FetchedPage = Fetched
"""The name that sources of other packages know."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A fetched page with its tree; its sketch is taken when it is first asked for, and once."""

    fetched: Fetched
    tree: Tree = field(repr=False)
    _sketch: list[Features] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def sketch(self) -> Features:
        """What the page is known by among pages of its site."""
        if not self._sketch:  # no cached_property: in Python 3.11 it lets one thread in at a time
            from treelace.classes.layout import sketch_of

            self._sketch.append(sketch_of(self.tree))
        return self._sketch[0]


@dataclass(frozen=True, slots=True)
class NotModified:
    """The server says that a page is as it was (304)."""

    fetched: Fetched


@dataclass(frozen=True, slots=True)
class Gone:
    """The server says, for good, that a page is not there any more."""

    fetched: Fetched


Arrival: TypeAlias = Fetched | Parsed | NotModified | Gone
"""What a source of pages brings; a crawler has parsed its pages already, for their links."""
