"""Looking after a site: verify, gc, forget, export."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from treelace.errors import UsageError
from treelace.site.base import SiteBase, write_new_settings
from treelace.site.results import Collected, Copied, Forgotten
from treelace.store import Store
from treelace.store import settings as site_settings
from treelace.store.database import is_postgresql
from treelace.store.settings import RetentionSection
from treelace.store.sites import Sites, is_site_of_database, split_place
from treelace.store.states import SiteState

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
        """Copies the whole store: into a new SQLite file or an empty PostgreSQL database; with the
        settings, into a new folder (a name that ends with a slash) or as a site of a database
        (`URL#name`).
        """
        from treelace.store.transfer import copy

        if is_site_of_database(place) and "#" in place:
            return self._export_to_database(*split_place(place))
        if place.endswith(("/", os.sep)):
            return self._export_to_folder(Path(place))
        if not is_postgresql(place) and Path(place).exists():
            raise UsageError(f"{place}: there is such a file already")
        with Store.create(place, limits=self.limits) as target:
            return Copied(target.place, copy(self.store, target))

    def _export_to_folder(self, folder: Path) -> Copied:
        from treelace.store.transfer import copy

        if (folder / site_settings.FILE).exists():
            raise UsageError(f"{folder}: this is a site already")
        text = site_settings.with_store(self.settings_text(), site_settings.DEFAULT_STORE)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / site_settings.DEFAULT_STORE).exists():
            raise UsageError(
                f"{folder / site_settings.DEFAULT_STORE}: there is such a file already"
            )
        with Store.create(folder / site_settings.DEFAULT_STORE, limits=self.limits) as target:
            rows = copy(self.store, target)
        write_new_settings(folder, text)
        return Copied(str(folder), rows)

    def _export_to_database(self, address: str, name: str) -> Copied:
        from treelace.store.transfer import copy

        with Sites(address) as sites:
            sites.add(name, self.settings_text(), state=SiteState.PAUSED)
            try:
                with SiteBase(f"{address}#{name}", limits=self.limits) as target:
                    rows = copy(self.store, target.store)
                    shown = target.place
            except BaseException:
                sites.remove(name)  # half a site is none
                raise
            sites.set_state(name, SiteState.ACTIVE)
        return Copied(shown, rows)
