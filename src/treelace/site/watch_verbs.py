"""Keeping an eye on a site: crawl what is due, tell, wait, again."""

from __future__ import annotations

import random
import threading
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING

from treelace.classes.names import free_name
from treelace.site.alert_verbs import AlertVerbs
from treelace.site.crawl_verbs import CrawlVerbs
from treelace.site.results import RoundFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treelace.crawl.settings import CrawlSettings
    from treelace.monitor.delivery import Delivered
    from treelace.site.round import Crawled

SPREAD = 0.1
"""Share of the pause that it is longer or shorter by chance: many watchers do not knock at once."""


class WatchVerbs(CrawlVerbs, AlertVerbs):
    """Rounds, one after the other."""

    def watch(
        self,
        settings: CrawlSettings | None = None,
        *,
        page: str = "",
        once: bool = False,
        all_pages: bool = False,
        every: float = 3600.0,
        quiet_hours: tuple[int, int] | None = None,
        auto_accept: bool = False,
        log: str | None = None,
        say: Callable[[str], None] = print,
        stop: threading.Event | None = None,
    ) -> Iterator[Crawled | RoundFailed | Delivered]:
        """Crawls what is due and delivers alerts, again and again until `stop` is set; what came of
        each step as it is done. One process at a time. With `page` that page alone is looked at in
        each round; where no rule asks about it, one is kept that tells of any change of its text.

        `every` is the pause in seconds. In `quiet_hours` (from, to, of the day here) nothing is
        fetched. With `once` there is one round of all pages, and what fails is raised.
        """
        settings = settings or self.crawl_settings()
        stop = stop or threading.Event()
        if page:
            from treelace.crawl.urls import normal

            page = normal(page)
            self._ask_about(page)
        with self.store.watcher(), self.journal(log, settings) or nullcontext() as journal:
            while not stop.is_set():
                if once or not is_quiet(quiet_hours, datetime.now().astimezone().hour):
                    try:
                        done = self.crawl(
                            settings,
                            is_due_only=not (all_pages or once),
                            only=[page] if page else (),
                            auto_accept=auto_accept,
                            journal=journal,
                        )
                    except Exception as error:
                        # another process is writing, the network is gone: a watch goes on
                        if once:
                            raise
                        yield RoundFailed(error, every)
                    else:
                        yield done
                try:
                    told = self.deliver(say, allow_private=settings.allow_private, journal=journal)
                except Exception as error:
                    if once:
                        raise
                    yield RoundFailed(error, every)
                else:
                    yield told
                if once:
                    return
                stop.wait(every * random.uniform(1 - SPREAD, 1 + SPREAD))

    def _ask_about(self, page: str) -> None:
        rules = self.rules()
        if not any(rule.looks_at == page for rule in rules):
            taken = {rule.name for rule in rules}
            self.subscribe(free_name(["page"], taken), page=page, select="body")


def is_quiet(hours: tuple[int, int] | None, now: int) -> bool:
    """Whether an hour of the day is one without rounds.

    >>> is_quiet((22, 7), 23), is_quiet((22, 7), 12), is_quiet(None, 12)
    (True, False, False)
    """
    if hours is None:
        return False
    first, last = hours
    return first <= now < last if first <= last else now >= first or now < last
