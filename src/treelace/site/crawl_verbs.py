"""Pages into a site: check, crawl, replay, import."""

from __future__ import annotations

from collections import deque
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from treelace.site.base import SiteBase
from treelace.site.results import Checked, Copied
from treelace.store import settings as site_settings
from treelace.store.private_files import open_private
from treelace.store.sites import is_site_of_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from treelace.crawl.settings import CrawlSettings
    from treelace.crawl.sources import OnTrouble, Trouble
    from treelace.crawl.warc import WarcWriter
    from treelace.site.intake import Imported
    from treelace.site.journal import Journal
    from treelace.site.rebuild import Progress
    from treelace.site.round import Crawled
    from treelace.store import FetchedPage


class CrawlVerbs(SiteBase):
    """What brings pages in."""

    def check(self) -> Checked:
        """Checks wrappers and judge of the settings; `WrapperError` or `UsageError` if unusable."""
        self.configured.check()
        judge = self.judge()
        if judge is not None:
            judge.load()
        return Checked(self.settings.site.url, len(self.store.urls()))

    def crawl(
        self,
        settings: CrawlSettings | None = None,
        *,
        source: str | Iterable[FetchedPage] | None = None,
        auto_accept: bool = False,
        is_due_only: bool = False,
        only: Sequence[str] = (),
        archive: WarcWriter | str | Path | None = None,
        journal: Journal | None = None,
        wait: bool = False,
        stop: Callable[[], str] | None = None,
    ) -> Crawled:
        """Fetches the site, keeps changes, classifies, extracts; with a `source` like `replay`.

        Pages of no class are clustered afterwards; what is big and tight enough is proposed as a
        class, or accepted where `auto_accept`. With `only` these pages are fetched, and no link is
        followed. `archive` is a WARC file that also keeps every answer; `stop` says why fetching
        must end, which is then a `CrawlError`.
        """
        steps = self.crawling(
            settings,
            source=source,
            auto_accept=auto_accept,
            is_due_only=is_due_only,
            only=only,
            archive=archive,
            journal=journal,
            wait=wait,
            stop=stop,
        )
        return deque(steps, maxlen=1).pop()

    def replay(
        self,
        source: str | Iterable[FetchedPage],
        *,
        auto_accept: bool = False,
        journal: Journal | None = None,
        wait: bool = False,
    ) -> Crawled:
        """Like `crawl`, with pages from a WARC file, a folder, another source, or an iterable."""
        return self.crawl(source=source, auto_accept=auto_accept, journal=journal, wait=wait)

    def crawling(
        self,
        settings: CrawlSettings | None = None,
        *,
        source: str | Iterable[FetchedPage] | None = None,
        auto_accept: bool = False,
        is_due_only: bool = False,
        only: Sequence[str] = (),
        archive: WarcWriter | str | Path | None = None,
        journal: Journal | None = None,
        on_trouble: OnTrouble | None = None,
        progress: Progress | None = None,
        wait: bool = False,
        stop: Callable[[], str] | None = None,
    ) -> Iterator[Crawled]:
        """`crawl` or `replay` in steps: what was done after each batch, for progress bars."""
        from treelace.site.round import Round

        settings = settings or self.crawl_settings()
        if isinstance(source, str):
            source = self._pages_from(source, on_trouble or _raise, progress)
        with _opened(archive, settings) as writer:
            fetching = self.asking(wait=wait) if source is None else nullcontext()
            with fetching, self.store.writer(wait=wait):  # in the order of workers
                self.configured.read_files_again()
                before = self.store.alerts.newest()
                this = Round(self, settings, journal=journal, archive=writer, stop=stop)
                if source is not None:
                    yield from this.replay(source, auto_accept=auto_accept)
                elif only:
                    yield from this.fetch_only(only)
                else:
                    yield from this.fetch(auto_accept=auto_accept, is_due_only=is_due_only)
            if journal is not None:
                journal.alerts(self.store.alerts.alerts(after=before))
                journal.round(this.done)
            yield this.done

    def _pages_from(
        self, place: str, on_trouble: OnTrouble, progress: Progress | None
    ) -> Iterator[FetchedPage]:
        from treelace.crawl.sources import count_of, pages_from

        pages = pages_from(place, limits=self.limits, on_trouble=on_trouble)
        return pages if progress is None else progress(pages, total=count_of(place), label=place)

    def import_(self, *places: str, wait: bool = False) -> Imported | Copied:
        """Imports pages of folders, WARC files or other sources; or a site, into an empty one."""
        return deque(self.importing(*places, wait=wait), maxlen=1).pop()

    def importing(
        self,
        *places: str,
        wait: bool = False,
        on_trouble: OnTrouble | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Imported | Copied]:
        """`import_` step by step: what was done so far after each batch."""
        if len(places) == 1 and (
            is_site_of_database(places[0]) or (Path(places[0]) / site_settings.FILE).is_file()
        ):
            from treelace.store.transfer import copy

            with (
                SiteBase(places[0], read_only=True, limits=self.limits) as other,
                self.store.writer(wait=wait),
            ):
                yield Copied(other.place, copy(other.store, self.store), is_import=True)
            return
        pages = (
            page
            for place in places
            for page in self._pages_from(place, on_trouble or _raise, progress)
        )
        yield from self.adding_pages(pages, wait=wait)

    def add_pages(
        self, fetched: Iterable[FetchedPage], *, wait: bool = False, patience: float | None = None
    ) -> Imported:
        """Takes pages in, each change as a version; a bad page is named and ends nothing.

        Pages are worked on by as many threads as there are cores, a batch at a time; one writes.
        The answer does not depend on how many there are. With `patience` no page waits longer than
        that many seconds for its batch to fill: for pages that come slowly. What is written is
        whole whenever the process dies; taking the same pages in again adds nothing twice.
        """
        return deque(self.adding_pages(fetched, wait=wait, patience=patience), maxlen=1).pop()

    def adding_pages(
        self, fetched: Iterable[FetchedPage], *, wait: bool = False, patience: float | None = None
    ) -> Iterator[Imported]:
        """The same, with what was done so far after each batch: for those who show progress."""
        from treelace.site.intake import Imported

        with self.store.writer(wait=wait):
            catalogue = self.page_classes.catalogue()
            done = Imported(failures=tuple(self.configured.take_problems()))
            with closing(self.intake.take(fetched, catalogue, patience=patience)) as batches:
                for committed in batches:
                    done = done.plus(committed)
                    yield done
            if not done.fetches:
                yield done  # there is an answer where no page came, too


@contextmanager
def _opened(
    archive: WarcWriter | str | Path | None, settings: CrawlSettings
) -> Iterator[WarcWriter | None]:
    """The archive, ready to be written; a file that is there already is not written over."""
    from treelace.crawl.warc import WarcWriter

    if isinstance(archive, (str, Path)):
        file = open_private(Path(archive), "xb")  # the writer closes it
        with WarcWriter(file, user_agent=settings.user_agent) as writer:
            yield writer
    else:
        with nullcontext(archive) as given:
            yield given


def _raise(trouble: Trouble) -> None:
    raise trouble.error
