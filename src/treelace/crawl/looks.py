"""Looks of pages: the style sheets and images that a page names, fetched after the page itself.

They come through the downloader of a crawl: public addresses only, robots.txt of each host, its
pauses, one request at a time. What a style sheet names in turn is not fetched.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING

from treelace.crawl.hosts import Hosts, retry_after
from treelace.crawl.ipc import Job, Outcome
from treelace.crawl.links import base_of, resolved
from treelace.crawl.redirects import REDIRECTS
from treelace.crawl.robots import Robots
from treelace.crawl.settings import AGENT
from treelace.crawl.urls import origin, path_and_query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from treelace.crawl.downloader import Downloader
    from treelace.crawl.hosts import Host, Past
    from treelace.crawl.settings import CrawlSettings
    from treelace.tree import Tree

MOST_FILES_OF_PAGE = 40
"""Style sheets and images of one page that are kept, in document order."""
MOST_BYTES = 2 * 2**20
"""Of one style sheet or image."""
MOST_HOPS = 3
"""Redirects in a row that are followed."""
MOST_FAILURES = 3
"""Failures of a host in a row after which it is left alone."""
STYLE = "text/css"
IMAGES = frozenset(
    f"image/{kind}"
    for kind in "png jpeg gif webp avif bmp x-icon vnd.microsoft.icon svg+xml".split()
)
"""The images that browsers show; inside of `img` an SVG runs nothing and fetches nothing."""


def looks_of(tree: Tree, url: str) -> dict[str, str]:
    """What a page writes for its style sheets and images, each with its address.

    >>> from treelace.tree import parse
    >>> page = parse("<link rel=stylesheet href=a.css><img src=/b.png><img src='data:,x'>")
    >>> looks_of(page, "https://a.example/x/")
    {'a.css': 'https://a.example/x/a.css', '/b.png': 'https://a.example/b.png'}
    """
    base = base_of(tree, url)
    found: dict[str, str] = {}
    for node in tree.select("link[rel~=stylesheet i][href], img[src]"):
        said = node.attributes["href" if node.tag == "link" else "src"]
        address = resolved(said, base)
        if address and len(found) < MOST_FILES_OF_PAGE:
            found[said] = address
    return found


def content_type_of(outcome: Outcome) -> str:
    """What an answer is, without its parameters; empty where it is no style sheet or image."""
    kind = outcome.header("content-type").partition(";")[0].strip().lower()
    return kind if kind == STYLE or kind in IMAGES else ""


class LooksFetcher:
    """Fetches style sheets and images, one at a time."""

    def __init__(
        self,
        settings: CrawlSettings,
        downloader: Downloader,
        *,
        homes: Sequence[str],
        past: Past,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._downloader = downloader
        self._homes = {origin(home) for home in homes}
        self._hosts = Hosts(past, settings.delay, clock)
        self._clock = clock
        self._sleep = sleep
        self._numbers = count(1)

    def fetch(self, addresses: Iterable[str]) -> Iterator[tuple[str, Outcome]]:
        """The style sheets and images that came, each with the address that was asked for."""
        for address in addresses:
            outcome = self._follow(address)
            if outcome is not None and outcome.body and content_type_of(outcome):
                yield address, outcome
        self._hosts.leave()

    def _follow(self, address: str) -> Outcome | None:
        for _ in range(MOST_HOPS + 1):
            host = self._hosts.of(address)
            if host.failures >= MOST_FAILURES or not self._is_allowed(address, host):
                return None
            outcome = self._ask(address, host)
            if outcome.failure or outcome.status >= 500 or outcome.status == 429:
                wait = retry_after(outcome, self._clock())
                host.failures += 1
                if wait is not None:
                    self._hosts.rest(address, min(wait, self._settings.longest_pause))
                    host.failures = MOST_FAILURES
                return None
            host.failures = 0
            if outcome.status not in REDIRECTS:
                return outcome if outcome.status == 200 else None
            address = resolved(outcome.header("location"), address)
            if not address:
                return None
        return None

    def _is_allowed(self, address: str, host: Host) -> bool:
        if not self._settings.obeys_robots:
            return True
        if host.robots is None:
            told = self._ask(f"{origin(address)}/robots.txt", host, is_robots=True)
            robots = (
                Robots(refusal=told.failure)
                if told.failure
                else Robots.from_answer(told.status, told.body, agent=AGENT)
            )
            self._hosts.hear(address, robots)
            return robots.allows(path_and_query(address))
        return host.robots.allows(path_and_query(address))

    def _ask(self, address: str, host: Host, *, is_robots: bool = False) -> Outcome:
        """One request; waits until the host may be asked, and for its answer."""
        if (wait := host.turn - self._clock()) > 0:
            self._sleep(min(wait, self._settings.longest_pause))
        is_home = origin(address) in self._homes and not is_robots
        job = Job(next(self._numbers), address, has_secrets=is_home)
        self._downloader.ask(job)
        while True:
            outcome = self._downloader.next(1.0)
            if outcome is not None and outcome.number == job.number:
                host.last_asked = self._clock()
                return outcome
