"""Imported: what taking pages in came to, in numbers and in one line."""

from __future__ import annotations

from dataclasses import dataclass, field

from treelace.classes.pages import Gone, NotModified
from treelace.site.intake import Committed
from treelace.site.pipeline import Failed, Fate, KnownAlready, PageOutcome, Read, TooOld, Unchanged


@dataclass(slots=True)
class Imported:
    """What an import did: fetches, new pages, new versions, unchanged fetches, and failures."""

    fetches: int = 0
    new_pages: int = 0
    versions: int = 0
    records: int = 0
    same: int = 0
    known: int = 0
    alerts: int = 0
    late: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, committed: Committed) -> None:
        """Counts what a batch of pages brought."""
        self.records += committed.record_changes
        self.alerts += committed.alerts
        for outcome in committed.outcomes:
            self._add_page(outcome)

    def _add_page(self, outcome: PageOutcome) -> None:
        self.new_pages += any(one.versioned.version.link.number == 1 for one in outcome.read)
        for fate in outcome.fates:
            self._add_fate(fate)

    def _add_fate(self, fate: Fate) -> None:
        if isinstance(fate, NotModified | Gone):
            return  # told by the server, and by the report of the crawl
        self.fetches += 1
        self.versions += isinstance(fate, Read)
        self.same += isinstance(fate, Unchanged)
        self.known += isinstance(fate, KnownAlready)
        where = f"{fate.fetched.url} of {fate.fetched.time.isoformat()}"
        if isinstance(fate, TooOld):
            self.late.append(f"{where}: older than the newest version that is known: left out")
        if isinstance(fate, Failed):
            self.failures.append(f"{where}: {fate.error}")
        if isinstance(fate, Read) and fate.failure is not None:
            self.fetches += 1
            self.failures.append(f"{where}: {fate.failure}")

    def __str__(self) -> str:
        words = [
            _counted(self.versions, "version", " added"),
            _counted(self.new_pages, "new page") if self.new_pages else "",
            _counted(self.records, "change", " of records") if self.records else "",
            _counted(self.alerts, "alert") if self.alerts else "",
            f"{self.same:,} unchanged" if self.same else "",
            f"{self.known:,} known already" if self.known else "",
            f"{len(self.late):,} too old" if self.late else "",
            f"{len(self.failures):,} failed" if self.failures else "",
        ]
        return ", ".join(filter(None, words))


def _counted(count: int, name: str, rest: str = "") -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}{rest}"
