"""Redirects: where a page that moved is now, and when to stop following."""

from __future__ import annotations

from treelace.crawl.urls import normal
from treelace.errors import CrawlError, UsageError

REDIRECTS = (301, 302, 303, 307, 308)
"""The answers that name another address."""
MOST_HOPS = 10
"""Redirects in a row that are followed."""
_LONGEST_SHOWN = 100
"""Characters of a target that is no address."""


class Redirects:
    """The redirects of one crawl."""

    def __init__(self) -> None:
        self._came_from: dict[str, str] = {}

    def follow(self, url: str, location: str) -> str:
        """The address that a page redirects to; `CrawlError` where that leads nowhere."""
        said = location.encode("latin-1", "replace").decode("utf-8", "replace")
        try:
            target = normal(said, url)
        except UsageError as error:
            shown = said[:_LONGEST_SHOWN]
            raise CrawlError(f"{url}: redirects to what is no page ({shown})") from error
        chain = [url]
        while chain[-1] in self._came_from and len(chain) <= MOST_HOPS:
            chain.append(self._came_from[chain[-1]])
        if target in chain:
            raise CrawlError(f"{url}: redirects in a circle")
        if len(chain) > MOST_HOPS:
            raise CrawlError(f"{url}: more than {MOST_HOPS} redirects")
        self._came_from.setdefault(target, url)
        return target
