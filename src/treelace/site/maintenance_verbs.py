"""Looking after a site: verify, gc, forget, export."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from treelace.errors import UsageError
from treelace.site.base import SiteBase
from treelace.site.results import Collected, Copied, Forgotten
from treelace.store import Store
from treelace.store.settings import RetentionSection

if TYPE_CHECKING:
    from treelace.store.verify import Verified


class MaintenanceVerbs(SiteBase):
    """What keeps a store whole and small."""

    def verify(self) -> Verified:
        """Checks every row, replays every chain of versions and checks every digest."""
        from treelace.store.verify import verify

        return verify(self.store)

    def gc(
        self,
        *,
        keep_versions: int | None = None,
        keep_days: int | None = None,
        apply: bool = False,
        now: datetime | None = None,
        wait: bool = False,
    ) -> Collected:
        """Old versions that these rules or `[retention]` let go; `apply` removes them."""
        from treelace.store import retention

        is_given = keep_versions is not None or keep_days is not None
        given = RetentionSection(keep_versions=keep_versions, keep_days=keep_days)
        rules = given if is_given else self.settings.retention
        if rules.keep_versions is None and rules.keep_days is None:
            return Collected((), is_applied=apply, has_rules=False)
        moment = now or datetime.now(UTC)
        if not apply:
            planned = tuple(retention.plan(self.store, rules, moment))
            return Collected(planned, is_applied=False, has_rules=True)
        with self.store.writer(wait=wait):
            planned = tuple(retention.plan(self.store, rules, moment))
            retention.apply(self.store, planned)
        return Collected(planned, is_applied=True, has_rules=True)

    def forget(self, url: str, *, wait: bool = False) -> Forgotten:
        """Removes a page for good, with all that records, wrappers, classes and feeds had of it."""
        from treelace.monitor.delivery import write_feeds
        from treelace.store.forgetting import forget

        with self.store.writer(wait=wait):
            count = forget(self.store, url)
            write_feeds(self.store.alerts, self.folder)
        return Forgotten(url, count)

    def export(self, place: str) -> Copied:
        """Copies the whole store into a new SQLite file or an empty PostgreSQL database."""
        from treelace.store.transfer import copy

        if not place.startswith("postgres") and Path(place).exists():
            raise UsageError(f"{place}: there is such a file already")
        with Store.create(place, limits=self.limits) as target:
            return Copied(place, copy(self.store, target))
