"""Worker: serves the sites of a database that are due, one after the other; start as many as you
like.
"""

from __future__ import annotations

import random
import threading
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from treelace.crawl.kept_downloader import KeptDownloader
from treelace.errors import StoreError, TreelaceError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.site.site import Site
from treelace.site.watch_verbs import SPREAD
from treelace.store.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treelace.monitor.delivery import Delivered
    from treelace.site.round import Crawled
    from treelace.store.sites import KeptSite

BEAT = 2.0
"""Seconds between two signs of life."""
LEAST_PAUSE = 30.0
"""Seconds until alerts are sent that did not arrive, at least."""
LONGEST_NAP = 5.0
"""Seconds between two looks for work."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a worker did for a site; or what it could not do."""

    name: str
    crawled: Crawled | None
    delivered: Delivered | None
    error: str

    def __str__(self) -> str:
        done = [str(part) for part in (self.crawled, self.delivered) if part is not None]
        return f"{self.name}: {'; '.join([*done, *([self.error] if self.error else [])])}"


class Worker:
    """One of many that serve the sites of a database."""

    def __init__(
        self,
        place: str,
        *,
        name: str = "",
        auto_accept: bool = False,
        allow_private: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        say: Callable[[str], None] = print,
    ) -> None:
        self._work = Work(place, name=name)
        self._auto_accept = auto_accept
        self._allow_private = allow_private
        self._limits = limits
        self._say = say
        self._downloads = KeptDownloader()
        self._stop = threading.Event()
        self._why = ""
        """Why the round under way must end."""

    def run(self, *, once: bool = False, stop: threading.Event | None = None) -> Iterator[Served]:
        """Serves what is due until `stop` is set, or, with `once`, until nothing is due; what it
        did for each site as it is done.
        """
        self._stop = stop or self._stop
        with self._work, closing(self._downloads):
            while not self._stop.is_set():
                try:
                    known, left = self._look()
                    if known is not None:
                        yield self._serve(known)
                        continue
                except StoreError as error:  # the database is away: it comes back
                    if once:
                        raise
                    self._say(str(error))
                    left = LONGEST_NAP
                if once and (left is None or left > 0):
                    return
                nap = LONGEST_NAP if left is None else min(LONGEST_NAP, max(left, 1.0))
                self._stop.wait(nap * random.uniform(1 - SPREAD, 1 + SPREAD))

    def _look(self) -> tuple[KeptSite | None, float | None]:
        """The next site; or, where there is none, the seconds until one is due."""
        if self._work.beat(None):
            self._work.begin()
        known = self._work.next()
        return known, None if known is not None else self._work.seconds_to_next()

    def _serve(self, known: KeptSite) -> Served:
        crawled: Crawled | None = None
        delivered: Delivered | None = None
        error, page_due, due_in = "", known.page_due, known.every
        with self._beating(known):
            try:
                with Site(f"{self._work.place}#{known.name}", limits=self._limits) as site:
                    try:
                        crawled = self._crawl(site)
                        error = _problem(crawled)
                    finally:  # what was noticed before is told all the same
                        delivered = site.deliver(self._say, allow_private=self._allow_private)
                        page_due = site.store.next_due()
                        due_in = self._pause(site, known)
            except Exception as failure:  # noqa: BLE001 (one bad site ends no worker)
                is_named = isinstance(failure, TreelaceError)
                error = str(failure) if is_named else f"{type(failure).__name__}: {failure}"
        if self._why_not():  # another one goes on with it
            self._work.done(known, due_in=0.0, page_due=page_due)
        else:
            self._work.done(known, error=error, due_in=due_in, page_due=page_due)
        return Served(known.name, crawled, delivered, error)

    def _crawl(self, site: Site) -> Crawled:
        site.host_rights, site.downloads = self._work.rights, self._downloads
        settings = site.crawl_settings(allow_private=self._allow_private, bytes=site.limits.bytes)
        with site.journal(settings=settings) or nullcontext() as journal:
            return site.crawl(
                settings,
                is_due_only=True,
                auto_accept=self._auto_accept,
                journal=journal,
                stop=self._why_not,
            )

    def _pause(self, site: Site, known: KeptSite) -> float:
        """Seconds to the next round: sooner where an alert waits to be sent once more."""
        pause = known.every * random.uniform(1 - SPREAD, 1 + SPREAD)
        again = site.store.alerts.next_due()
        if again is None:
            return pause
        return min(pause, max(LEAST_PAUSE, (again - datetime.now(UTC)).total_seconds()))

    def _why_not(self) -> str:
        return self._why or ("the worker was told to end" if self._stop.is_set() else "")

    @contextmanager
    def _beating(self, known: KeptSite) -> Iterator[None]:
        """Signs of life while a site is served, and a look whether it still is to be."""
        self._why = ""
        is_over = threading.Event()

        def beat() -> None:
            while not is_over.wait(BEAT):
                try:
                    self._why = self._work.beat(known.id)
                except TreelaceError as error:
                    self._why = str(error)

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


def _problem(done: Crawled) -> str:
    """Why a round brought nothing at all; empty where it did."""
    came = done.report.outcomes["fetched"] + done.report.outcomes["unchanged"]
    return next(iter(done.report.problems), "") if not came else ""
