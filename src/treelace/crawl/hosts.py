"""Hosts: what a crawl knows of each host, and when it may ask it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from treelace.crawl.urls import origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from treelace.crawl.ipc import Outcome
    from treelace.crawl.robots import Robots
    from treelace.store.frontier import Address

LONGEST_WAIT = 30 * 86_400.0
"""Seconds: who asks us to come back later than that is asked again then."""


@dataclass(slots=True)
class Host:
    """One host, by scheme, name and port; times are seconds since 1970."""

    robots: Robots | None = None
    not_before: float = 0.0
    last_asked: float = 0.0
    failures: int = 0
    """In a row."""
    is_asking: bool = False
    """Whether its robots.txt is under way."""
    held: list[Address] = field(default_factory=list)
    """What waits for its robots.txt."""
    robots_tries: int = 0

    @property
    def next_turn(self) -> float | None:
        """When its robots.txt lets it be asked again; None where it asks for no delay."""
        return (
            self.last_asked + self.robots.delay
            if self.robots is not None and self.robots.delay
            else None
        )

    @property
    def turn(self) -> float:
        """When it may be asked again."""
        return max(self.not_before, self.next_turn or 0.0)


class Past(Protocol):
    """What is known of hosts from before this crawl, and what it leaves to the next."""

    def wait(self, host: str, delay: float) -> float:
        """Seconds until a host may be asked, if two requests are `delay` apart at least."""

    def set_delay(self, host: str, seconds: float) -> None:
        """Says which pause a host asks for."""

    def set_rest(self, host: str, seconds: float) -> None:
        """Says that a host wants to be left alone for so long."""

    def asked(self) -> None:
        """Says that the hosts of this crawl were asked just now."""


class NoPast:
    """Nothing is known from before, and nothing is left."""

    def wait(self, host: str, delay: float) -> float:
        """It may be asked at once."""
        del host, delay
        return 0.0

    def set_delay(self, host: str, seconds: float) -> None:
        """Forgets it."""

    def set_rest(self, host: str, seconds: float) -> None:
        """Forgets it."""

    def asked(self) -> None:
        """Forgets it."""


class Hosts:
    """All hosts of a crawl that leaves `delay` seconds between two requests."""

    def __init__(self, past: Past, delay: float, clock: Callable[[], float]) -> None:
        self._hosts: dict[str, Host] = {}
        self._past = past
        self._delay = delay
        self._clock = clock

    def of(self, url: str) -> Host:
        """The host of an address."""
        name = origin(url)
        if name not in self._hosts:
            wait = self._past.wait(_plain(name), self._delay)
            self._hosts[name] = Host(not_before=self._clock() + wait if wait else 0.0)
        return self._hosts[name]

    def meet(self, urls: Iterable[str]) -> None:
        """Learns from the past of these hosts before they are asked."""
        for url in urls:
            self.of(url)

    def leave(self) -> None:
        """Tells those who come after that the hosts were asked just now."""
        self._past.asked()

    def hear(self, url: str, robots: Robots) -> None:
        """Keeps what the robots.txt of a host says."""
        self.of(url).robots = robots
        if robots.delay:
            self._past.set_delay(_plain(url), robots.delay)

    def rest(self, url: str, seconds: float) -> None:
        """Leaves a host alone for so long: it asked for it."""
        host = self.of(url)
        host.not_before = max(host.not_before, self._clock() + seconds)
        self._past.set_rest(_plain(url), seconds)

    def resting(self, now: float, under_way: Iterable[str]) -> list[str]:
        """Hosts not to be asked now: one with a delay gets one request `under_way` at a time."""
        busy = {origin(url) for url in under_way}
        return [
            name
            for name, host in self._hosts.items()
            if host.turn > now or host.is_asking or (host.next_turn is not None and name in busy)
        ]

    def next_moment(self, now: float) -> float:
        """When the first of those that rest may be asked again; 0 where none does."""
        moments = [
            moment
            for host in self._hosts.values()
            for moment in (host.not_before, host.next_turn)
            if moment is not None
        ]
        return min((moment for moment in moments if moment > now), default=0.0)


def _plain(url: str) -> str:
    """The name of a host, whatever its port: one machine, one set of manners."""
    return urlsplit(url).hostname or ""


def retry_after(outcome: Outcome, now: float) -> float | None:
    """Seconds the server asks us to wait (RFC 9110, section 10.2.3): a number, or a date."""
    value = outcome.header("retry-after").strip()
    if outcome.status not in (429, 503) or not value:
        return None
    try:
        wait = (
            float(value)
            if value.isascii() and value.isdigit()
            else parsedate_to_datetime(value).timestamp() - now
        )
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, wait), LONGEST_WAIT)
