"""A site at a glance: what there is, what was done last, what is next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from treelace.site.listings import ClassList, Listing, local_time
from treelace.store.frontier import Event
from treelace.store.pages import Page


@dataclass(frozen=True, slots=True)
class Glance:
    """A site at a glance."""

    url: str
    folder: str
    store: str
    pages: int
    classes: ClassList
    records: Mapping[str, int]
    """How many records each kind has today."""
    alerts: int
    """Open ones."""
    rules: int
    last_fetch: datetime | None
    next_due: datetime | None
    waiting: int
    """Addresses that are known and not fetched yet."""
    failed: int
    """Addresses that could not be fetched."""
    drift: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Pages that are not what their class was, with the reasons, by class."""

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count:,}" for name, count in self.records.items())
        fetched = (
            f"fetched  {local_time(self.last_fetch) or 'never'}; next due:"
            f" {local_time(self.next_due) or 'nothing'}; {self.waiting:,} waiting,"
            f" {self.failed:,} failed"
        )
        return "\n".join(
            [
                f"{self.url} in {self.folder}",
                f"pages    {self.pages:,}, {self.classes.unclassified:,} of no class",
                f"classes  {', '.join(f'{it.name} ({it.state})' for it in self.classes) or 'none'}",
                f"records  {kinds or 'none'}",
                *(f"drifted  {name}: {len(them):,} pages" for name, them in self.drift.items()),
                f"alerts   {self.alerts:,} open, {self.rules:,} rules",
                fetched,
            ]
        )


@dataclass(frozen=True, slots=True, repr=False)
class FetchLog(Listing[tuple[int, Event]]):
    """Lines of the crawl's log, newest first, each with its number."""

    heads: ClassVar[tuple[str, ...]] = ("number", "time", "event", "page", "status", "ms", "note")

    def row(
        self, item: tuple[int, Event], show: Callable[[datetime | None], str]
    ) -> tuple[object, ...]:
        """A line."""
        number, one = item
        when = show(one.time)
        return number, when, one.event, one.url, one.status, one.milliseconds, one.note


@dataclass(frozen=True, slots=True)
class SomePages:
    """Some pages of a site, and how many there are."""

    pages: tuple[Page, ...]
    total: int
    offset: int
