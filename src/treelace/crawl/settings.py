"""How politely and how far: the settings of a fetch, with secrets from the environment only."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from treelace.errors import UsageError
from treelace.store.settings import CrawlSection

if TYPE_CHECKING:
    from pathlib import Path

AGENT = "treelace"
"""The product name by which robots.txt may speak of us."""
USER_AGENT = f"{AGENT}/0.1 (like a careful reader)"
PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/plain", "")
_SAID_NOTHING = CrawlSection()
"""What holds where `treelace.toml` says nothing: the one place of those defaults."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """Bounds and manners of one fetch.

    Values of headers, cookies and the proxy may name variables of the environment as `${NAME}`;
    they are put in when a connection is made and are never written to a store, a log or an error.
    """

    allow_private: bool = False
    """Whether loopback and private addresses may be talked to."""
    obeys_robots: bool = _SAID_NOTHING.obeys_robots
    seconds: float = _SAID_NOTHING.seconds
    """For one answer, from the connection to the last byte."""
    bytes: int = 64 * 2**20
    """Of a body, before and after decompression."""
    redirects: int = 10
    user_agent: str = USER_AGENT
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    proxy: str = ""
    login: str = ""
    """The path of a browser's storage state with a login (`treelace.crawl.login`)."""
    checks_certificates: bool = True

    def request_headers(self, *, has_secrets: bool = True) -> dict[str, str]:
        """The headers of a request, secrets filled in; without `has_secrets` only public ones."""
        filled = {
            "User-Agent": self.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.1",
            "Accept-Language": "en;q=0.8,*;q=0.5",
        }
        if not has_secrets:
            return filled
        filled.update((name, from_environment(value)) for name, value in self.headers)
        if self.cookies:
            filled["Cookie"] = "; ".join(
                f"{name}={from_environment(value)}" for name, value in self.cookies
            )
        return filled

    def secrets(self) -> set[str]:
        """All secret values: of headers, cookies and proxy, with the environment filled in."""
        found: set[str] = set()
        for said in (
            *(value for _, value in self.headers),
            *(value for _, value in self.cookies),
            self.proxy,
        ):
            found |= {os.environ[name] for name in _VARIABLE.findall(said) if name in os.environ}
            found.add(_VARIABLE.sub(lambda it: os.environ.get(it[1], ""), said))
        password = urlsplit(
            _VARIABLE.sub(lambda it: os.environ.get(it[1], ""), self.proxy)
        ).password
        found |= {unquote(password), password} if password else set()
        if self.login:
            from treelace.crawl.login import Login

            found |= set(Login.read(self.login).secrets())
        return found - {""}


def from_environment(value: str) -> str:
    """A value with its `${NAME}`s filled in; `UsageError` where a variable is not set.

    >>> import os
    >>> os.environ["SHOP_TOKEN"] = "s3cret"
    >>> from_environment("Bearer ${SHOP_TOKEN}")
    'Bearer s3cret'
    """

    def filled(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise UsageError(
                f"the setting asks for the environment variable {found[1]}, which is not set"
            )
        return os.environ[found[1]]

    return _VARIABLE.sub(filled, value)


def is_page_type(content_type: str) -> bool:
    """Whether a Content-Type is one of pages.

    >>> pages = "text/html; charset=utf-8", "application/atom+xml", "application/json", ""
    >>> all(map(is_page_type, pages))
    True
    >>> [is_page_type(one) for one in ("application/pdf", "image/png")]
    [False, False]
    """
    kind = content_type.partition(";")[0].strip().lower()
    return kind in PAGE_TYPES or (
        kind.endswith(("+xml", "/json", "+json")) and kind != "image/svg+xml"
    )


def charset_of(content_type: str) -> str | None:
    """What the transport said the encoding is.

    >>> charset_of('text/html; charset="ISO-8859-1"')
    'ISO-8859-1'
    """
    found = re.search(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", content_type, re.IGNORECASE)
    return found[1] if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings(FetchSettings):
    """Bounds and manners of a whole crawl.

    >>> CrawlSettings(delay=0).concurrency
    4
    """

    delay: float = _SAID_NOTHING.delay
    """Least seconds between requests to a host (AutoThrottle adds); 0 for your own servers."""
    concurrency: int = _SAID_NOTHING.concurrency
    """Requests under way at once."""
    render: tuple[str, ...] = ()
    """Regular expressions of addresses to render in a browser; an empty one means all."""
    looks: bool = _SAID_NOTHING.looks
    """Whether style sheets and images of pages are fetched after them, and kept."""
    pages: int = _SAID_NOTHING.pages
    """Pages of one crawl."""
    depth: int = _SAID_NOTHING.depth
    """Links from a start page."""
    attempts: int = 3
    """Times a page is asked for before it is given up."""
    longest_pause: float = 300.0
    """Longest wait for a host that asks to be asked again later (Retry-After)."""
    storm: int = 10
    """Server failures in a row after which a host is left alone."""

    @classmethod
    def of(cls, section: CrawlSection, folder: Path, **changes: Any) -> CrawlSettings:
        """What `[crawl]` of a site in `folder` says, by the names of its fields, with changes."""
        given = {
            one.name: _fixed(getattr(section, one.name))
            for one in fields(cls)
            if one.name in section.__struct_fields__
        }
        given["render"] = given["render"] or () if given["render"] is not True else ("",)
        given["user_agent"] = section.user_agent or USER_AGENT
        given["login"] = str(folder / section.login) if section.login else ""
        return cls(**given | {name: it for name, it in changes.items() if it is not None})


def _fixed(value: Any) -> Any:
    """A setting as frozen settings have it."""
    if isinstance(value, dict):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list) else value
