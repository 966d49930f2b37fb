"""Looking at a site without loading all of it: status, rows, fetches, pictures of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.errors import UsageError
from treelace.site.class_verbs import ClassVerbs
from treelace.site.glance import FetchLog, Glance, SomePages
from treelace.site.listings import AlertList
from treelace.store.record_query import Condition, RecordQuery
from treelace.store.states import AddressState, AlertState, SubscriptionState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from treelace.store.record_query import RecordRows
    from treelace.store.settings_meaning import SettingLine
    from treelace.store.sizes import Sizes


class GlanceVerbs(ClassVerbs):
    """What a person looks at; each verb asks the database for as much as is shown."""

    def status(self) -> Glance:
        """The site at a glance."""
        counts = self.store.frontier.counts()
        return Glance(
            url=self.settings.site.url,
            folder=self.place,
            store=self.store.place,
            pages=self.store.page_count(),
            classes=self.classes(),
            records=self.store.records.counts(),
            alerts=self.store.alerts.counts().get(AlertState.OPEN, 0),
            rules=sum(
                one.state is not SubscriptionState.REMOVED
                for one in self.store.alerts.subscriptions()
            ),
            last_fetch=self.store.frontier.last_time(),
            next_due=self.store.next_due(),
            waiting=counts.get(AddressState.WAITING, 0),
            failed=counts.get(AddressState.FAILED, 0),
            drift=self._drift(),
        )

    def _drift(self) -> dict[str, Mapping[str, str]]:
        from treelace.site.known_drift import drift_of

        names = {one.id: one.name for one in self.store.classes.all()}
        found = drift_of(self.store).items()
        return {names[number]: pages for number, pages in found if number in names}

    def explained_settings(self) -> list[SettingLine]:
        """Every setting of the site, with what it means; secrets are not shown."""
        from treelace.store.settings_meaning import explained

        return explained(self.settings)

    def record_counts(self) -> dict[str, int]:
        """How many records each kind has today."""
        return self.store.records.counts()

    def sizes(self) -> Sizes:
        """How much the store holds."""
        return self.store.sizes()

    def rows(
        self,
        name: str,
        *,
        at: datetime | None = None,
        since: datetime | None = None,
        search: str = "",
        where: Sequence[str] = (),
        sort: str = "",
        descending: bool = False,
        offset: int = 0,
        limit: int = 50,
        after: int = 0,
        seconds: float | None = None,
    ) -> RecordRows:
        """Some records of a kind, of today or as of a time, found, sorted and cut by the database:
        those that hold the text `search` and meet every condition of `where` (`price >= 20`,
        `title ~ tea`, `stock =`), by the column `sort`. With `seconds`, a search that takes longer
        is cut and says so; it goes on with `after`.
        """
        query = RecordQuery(
            at=at,
            since=since,
            search=search,
            where=tuple(map(Condition.read, where)),
            sort=sort,
            descending=descending,
            offset=offset,
            limit=limit,
            after=after,
            seconds=seconds,
        )
        return self.store.records.rows(name, query)

    def some_pages(
        self, *, like: str = "", page_class: str | None = None, offset: int = 0, limit: int = 50
    ) -> SomePages:
        """Some pages, by their addresses: with a part of the address, of a class (`""`: none)."""
        found, total = self.store.some_pages(
            like=like, page_class=page_class, offset=offset, limit=limit
        )
        return SomePages(tuple(found), total, offset)

    def fetches(
        self, *, failed: bool = False, limit: int = 100, before: int | None = None
    ) -> FetchLog:
        """The log of fetches, newest first; only what went wrong where `failed`."""
        found = self.store.frontier.newest_events(limit, failed=failed, before=before)
        return FetchLog(tuple(found))

    def newest_alerts(
        self, state: str = "open", *, limit: int = 100, before: int | None = None
    ) -> AlertList:
        """The newest alerts, newest first: `open`, `acknowledged` or `suppressed` ones."""
        wanted = [AlertState(state)]
        return AlertList(tuple(self.store.alerts.newest_alerts(wanted, limit, before=before)))

    def picture(
        self,
        url: str,
        version: int | None = None,
        *,
        mark: int | None = None,
        is_numbered: bool = False,
    ) -> str:
        """A version of a page as HTML that runs nothing and asks for nothing, with the style sheets
        and images that were kept; the node with the XID `mark` is marked in it, and elements say
        their numbers where it `is_numbered`.
        """
        from treelace.site.looks import kept_looks
        from treelace.tree.harmless_html import MARK_ID, NODE, element_numbers, harmless_html

        body = self.store.body(url, version)
        xids = body.xids.of.tolist()
        marks = {}
        if mark is not None and mark in xids:
            marks[xids.index(mark)] = f' id="{MARK_ID}" data-treelace-mark=""'
        for index in element_numbers(body.tree) if is_numbered else ():
            marks[index] = marks.get(index, "") + f' {NODE}="{index}"'
        return harmless_html(body.tree, marks, kept_looks(self.store, url, body.tree))

    def selector_of(self, url: str, node: int, version: int | None = None) -> str:
        """A selector that finds one element of a version of a page, by its number in it, as a rule
        takes it.
        """
        tree = self.store.body(url, version).tree
        found = tree[node].css if 0 <= node < len(tree) else None
        if found is None:
            raise UsageError("there is no such element on this page")
        return found
