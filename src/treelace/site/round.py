"""A round: the pages of a site come in and are sorted into classes; afterwards classes are proposed
for those that are of none.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from treelace.crawl.scope import Scope
from treelace.crawl.visiting import Crawled, look_again, replay, visit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from treelace.classes.model import Assigned
    from treelace.crawl.crawler import Report
    from treelace.crawl.journal import Journal
    from treelace.crawl.settings import CrawlSettings
    from treelace.crawl.sorting import Proposal
    from treelace.crawl.warc import WarcWriter
    from treelace.site.intake import Imported
    from treelace.site.site import Site
    from treelace.store import FetchedPage
    from treelace.store.ingest import Prepared
    from treelace.tree import Tree

PATIENCE = 2.0
"""Seconds that a page which was fetched waits for others, until they are written together."""


class Round:
    """One crawl of a site. Whoever runs it holds the site's writer lock."""

    def __init__(self, site: Site, settings: CrawlSettings, journal: Journal | None) -> None:
        said = site.settings.crawl
        self._site = site
        self._settings = settings
        self._scope = Scope(
            starts=(site.settings.site.url,),
            hosts=tuple(said.hosts),
            include=tuple(said.include),
            exclude=tuple(said.exclude),
        )
        self._journal = journal
        self._sorter = site.sorter()

    def replay(self, source: Iterable[FetchedPage], *, auto_accept: bool) -> Crawled:
        """Takes the pages of a source as if they had been fetched."""
        self._fill_in_what_is_left()
        report, stored = replay(source, partial(self._add, patience=None))
        return Crawled(
            report,
            stored,
            self._proposals(auto_accept=auto_accept, looks_again=False),
            self._sorter.drift,
        )

    def fetch(
        self,
        *,
        auto_accept: bool,
        is_due_only: bool,
        archive: WarcWriter | None,
        progress: Callable[[Report], None] | None,
    ) -> Crawled:
        """Fetches the pages of the site."""
        self._fill_in_what_is_left()
        report, stored = visit(
            self._site.store,
            self._add,
            self._scope,
            self._settings,
            is_due_only=is_due_only,
            archive=archive,
            on_gone=self._site.intake.page_is_gone,
            on_event=None if self._journal is None else self._journal.crawled,
            progress=progress,
        )
        return Crawled(
            report,
            stored,
            self._proposals(auto_accept=auto_accept, looks_again=True),
            self._sorter.drift,
        )

    def _fill_in_what_is_left(self) -> None:
        """Does what a round that was killed has left."""
        for name in self._sorter.left("fill"):
            self._sorter.fill_in(name)

    def _add(
        self,
        pages: Iterable[FetchedPage],
        on_safe: Callable[[list[Prepared]], None],
        patience: float | None = PATIENCE,
    ) -> Imported:
        def on_batch(_: Imported, prepared: list[Prepared]) -> None:
            self._sorter.note(prepared)
            on_safe(prepared)
            if self._journal is not None:
                self._journal.stored(prepared)

        return self._site.intake.take(
            pages, assign=self._assign, on_batch=on_batch, patience=patience
        )

    def _assign(self, page: FetchedPage, tree: Tree, class_id: int | None) -> Assigned | None:
        """The class of a page: what the settings say of its address goes before what it looks
        like.
        """
        configured = self._site.configured
        if configured.section_for(page.url) is not None:
            return configured.assign(page, tree, None)
        return self._sorter.assign(page, tree, class_id) or configured.assign(page, tree, class_id)

    def _proposals(self, *, auto_accept: bool, looks_again: bool) -> list[Proposal]:
        """Proposes classes, finds the noise in their pages, and takes all that wait into use where
        `auto_accept`; what is new, or newly in use.
        """
        sorter, site = self._sorter, self._site
        fresh = {one.name: one for one in sorter.propose()}
        unseen = [fresh.get(name) or sorter.proposal(name) for name in sorter.left("look")]
        if looks_again:
            look_again(site.store, self._add, self._scope, self._settings, sorter, unseen)
        for proposal in unseen:
            sorter.quieten(proposal.name)
        waiting = (
            [one.name for one in site.classes.all() if one.state == "proposed"]
            if auto_accept
            else []
        )
        for name in waiting:
            sorter.accept(name)
            sorter.fill_in(name)
        proposals = [
            fresh.get(name) or sorter.proposal(name) for name in dict.fromkeys([*fresh, *waiting])
        ]
        with site.store.writing() as transaction:
            transaction.make_joined_views()
        return proposals
