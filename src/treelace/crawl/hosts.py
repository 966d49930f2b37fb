"""Hosts: what a crawl knows of each host, and when it may ask it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from treelace.crawl.urls import origin

if TYPE_CHECKING:
    from collections.abc import Iterable

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

    def is_too_early(self, now: float) -> bool:
        """Whether its robots.txt asks for more time between two requests."""
        return self.next_turn is not None and now < self.next_turn


class Hosts:
    """All hosts of a crawl."""

    def __init__(self) -> None:
        self._hosts: dict[str, Host] = {}

    def of(self, url: str) -> Host:
        """The host of an address."""
        return self._hosts.setdefault(origin(url), Host())

    def resting(self, now: float, under_way: Iterable[str]) -> list[str]:
        """Hosts not to be asked now: one with a delay gets one request `under_way` at a time."""
        busy = {origin(url) for url in under_way}
        return [
            name
            for name, host in self._hosts.items()
            if host.not_before > now
            or host.is_asking
            or host.is_too_early(now)
            or (host.next_turn is not None and name in busy)
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
