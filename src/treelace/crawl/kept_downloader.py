"""KeptDownloader: a downloader that outlives a crawl, for whoever does many small ones.

Starting Scrapy takes longer than fetching a small site. The process is kept for crawls with the
very same settings, one after the other, and ended where a crawl ends badly: nothing of one crawl
may be under way when the next begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from treelace.crawl.downloader import Downloader, ScrapyDownloader
from treelace.crawl.rendering import downloads
from treelace.crawl.settings import CrawlSettings

Downloads = Callable[[CrawlSettings, Sequence[str]], AbstractContextManager[Downloader]]
"""Opens the downloader of a crawl."""
MOST_CRAWLS = 200
"""Crawls of one process: what Scrapy keeps of hosts does not grow without end."""


class KeptDownloader:
    """Opens downloaders like `downloads`, and keeps the last one. Not for two threads."""

    def __init__(self) -> None:
        self._kept: ScrapyDownloader | None = None
        self._settings: CrawlSettings | None = None
        self._crawls = 0

    @contextmanager
    def __call__(self, settings: CrawlSettings, homes: Sequence[str] = ()) -> Iterator[Downloader]:
        """The downloader of a crawl."""
        if settings.render:
            with downloads(settings, homes) as one:
                yield one
            return
        if self._kept is None or self._settings != settings or self._crawls >= MOST_CRAWLS:
            self.close()
            self._kept, self._settings = ScrapyDownloader(settings).__enter__(), settings
        self._crawls += 1
        is_done = False
        try:
            yield self._kept
            is_done = True
        finally:
            if not is_done:
                self.close()

    def close(self) -> None:
        """Ends the process."""
        if self._kept is not None:
            self._kept.__exit__()
        self._kept, self._settings, self._crawls = None, None, 0
