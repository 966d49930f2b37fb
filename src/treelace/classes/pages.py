"""FetchedPage: what comes in, from wherever it comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Literal

from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Tree, parse, sniff


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it was fetched: address, time (UTC), status, the bytes of its body (unpacked), and
    what the transport said of them.

    >>> from datetime import UTC
    >>> page = FetchedPage("https://shop.example/", datetime(2026, 3, 1, tzinfo=UTC), 200, b"<p>tea", "text/html")
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

    @property
    def digest(self) -> bytes:
        """16 bytes that say whether the body is the same."""
        return blake2b(self.body, digest_size=16).digest()

    @property
    def format(self) -> Literal["html", "xml"]:
        """HTML or XML: by the content type, else by the address and the first tag."""
        kind = self.content_type.partition(";")[0].strip().lower()
        if kind in ("text/html", "application/xhtml+xml"):
            return "html"
        if kind.endswith(("/xml", "+xml")):
            return "xml"
        return sniff.format_of(self.body, self.url.partition("?")[0].partition("#")[0])

    def tree(self, *, limits: Limits = DEFAULT_LIMITS) -> Tree:
        """The page, parsed."""
        encoding = self.content_type if "charset" in self.content_type.lower() else None
        return parse(self.body, format=self.format, encoding=encoding, limits=limits)
