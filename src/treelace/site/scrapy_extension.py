"""KeepPages: pages that your own Scrapy spiders fetch go into a site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from treelace.classes.pages import Fetched
from treelace.site.site import Site
from treelace.store import settings as site_settings
from treelace.store import times


class KeepPages:
    """A Scrapy extension: every page your spiders fetch goes into a site, as in a crawl.

        EXTENSIONS = {"treelace.site.KeepPages": 500}

    The site is the current folder, or what `TREELACE_SITE` names. Pages are stored when the spider
    is done, and whenever a hundred have come. `TREELACE_AUTO_ACCEPT = True` takes proposed classes
    into use.
    """

    def __init__(self, folder: str, *, auto_accept: bool = False) -> None:
        self._folder = folder
        self._auto_accept = auto_accept
        self._waiting: list[Fetched] = []

    @classmethod
    def from_crawler(cls, crawler: Any) -> KeepPages:
        """What Scrapy calls."""
        from scrapy import signals

        folder = crawler.settings.get("TREELACE_SITE") or "."
        site_settings.read(
            Path(folder)
        )  # a folder that is no site is said before anything is fetched
        made = cls(folder, auto_accept=crawler.settings.getbool("TREELACE_AUTO_ACCEPT"))
        crawler.signals.connect(made.came, signal=signals.response_received)
        crawler.signals.connect(made.store, signal=signals.spider_closed)
        return made

    def came(self, response: Any) -> None:
        """A response of the spider."""
        from treelace.crawl.settings import is_page_type

        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
        )
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        if (
            200 <= response.status < 300
            and is_page_type(kind)
            and not response.url.endswith("/robots.txt")
        ):
            self._waiting.append(
                Fetched(
                    response.url,
                    times.from_number(times.now()),
                    response.status,
                    response.body,
                    kind,
                    headers,
                )
            )
        if len(self._waiting) >= 100:
            self.store()

    def store(self) -> None:
        """Stores what has come."""
        pages, self._waiting = self._waiting, []
        if pages:
            with Site(self._folder) as site:
                site.crawl(source=pages, auto_accept=self._auto_accept, wait=True)
