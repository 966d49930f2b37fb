"""Login: cookies and local storage of a logged-in browser (Playwright's *storage state*).

    playwright open --save-storage=login.json https://shop.example/account && chmod 600 login.json

The file is a secret: it must be its owner's alone, it is read when a crawl starts, and nothing of
it goes into the store, a WARC file or a log.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from treelace.errors import UsageError


class StoredCookie(msgspec.Struct, frozen=True, kw_only=True):
    """A cookie as the file has it; other fields are left to the browser."""

    name: str
    value: str
    domain: str
    path: str = "/"
    expires: float = -1
    secure: bool = False

    def is_for(self, url: str, now: float) -> bool:
        """Whether a browser would keep it for the host of an address (RFC 6265, section 5.4): its
        domain, a safe connection if it asks for one, not too late. Its path is looked at when a
        page is asked for.
        """
        parts = urlsplit(url)
        host, domain = (parts.hostname or "").lower(), self.domain.lower()
        fits = host == domain or (
            domain.startswith(".") and (host == domain[1:] or host.endswith(domain))
        )
        return (
            fits
            and (not self.secure or parts.scheme == "https")
            and (self.expires < 0 or self.expires > now)
        )


class _Entry(msgspec.Struct, frozen=True):
    name: str
    value: str


class _Origin(msgspec.Struct, frozen=True, rename="camel"):
    origin: str
    local_storage: list[_Entry] = []


class Login(msgspec.Struct, frozen=True):
    """What the file says."""

    cookies: list[StoredCookie] = []
    origins: list[_Origin] = []

    @classmethod
    def read(cls, path: str) -> Login:
        """The login of a file; `UsageError` in one line, without its content, if unusable."""
        try:
            data = Path(path).read_bytes()
            mode = os.stat(path).st_mode
        except OSError as error:
            raise UsageError(f"{path}: the login cannot be read ({error.strerror})") from error
        if os.name == "posix" and mode & 0o077:
            raise UsageError(
                f"{path}: a login is its owner's alone, and others may read this file: chmod 600"
                f" {path}"
            )
        try:
            return msgspec.json.decode(data, type=cls)
        except msgspec.MsgspecError:
            raise UsageError(
                f"{path}: this is no storage state of a browser (JSON with cookies and origins, as"
                " Playwright saves it)"
            ) from None

    def jar_for(self, url: str, now: float) -> list[dict[str, Any]]:
        """The cookies for the host of an address, as Scrapy takes them.

        >>> cookie = StoredCookie(
        ...     name="session", value="s3cret", domain=".shop.example", secure=True
        ... )
        >>> urls = ("https://www.shop.example/", "http://shop.example/", "https://other.example/")
        >>> [len(Login([cookie]).jar_for(url, 0)) for url in urls]
        [1, 0, 0]
        """
        return [
            {"name": it.name, "value": it.value, "path": it.path, "secure": it.secure}
            for it in self.cookies
            if it.is_for(url, now)
        ]

    def secrets(self) -> Iterator[str]:
        """Every value that must not be told."""
        yield from (one.value for one in self.cookies)
        yield from (entry.value for one in self.origins for entry in one.local_storage)


def storage_state(path: str) -> dict[str, Any]:
    """The whole file as a browser takes it, after the same checks."""
    Login.read(path)
    state: dict[str, Any] = msgspec.json.decode(Path(path).read_bytes())
    return state
