"""Imported: what taking pages in came to, in numbers and in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treelace.classes.pages import Gone, NotModified
from treelace.site.intake import Committed
from treelace.site.pipeline import Failed, Fate, KnownAlready, Read, TooOld, Unchanged


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: fetches, new pages, new versions, unchanged fetches, and failures."""

    fetches: int = 0
    new_pages: int = 0
    versions: int = 0
    records: int = 0
    same: int = 0
    known: int = 0
    alerts: int = 0
    late: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

    def plus(self, committed: Committed) -> Imported:
        """The same with what a batch of pages brought."""
        fates = [
            fate
            for outcome in committed.outcomes
            for fate in outcome.fates
            if not isinstance(fate, NotModified | Gone)  # the report of the crawl tells of those
        ]
        firsts = (
            any(one.versioned.version.link.number == 1 for one in outcome.read)
            for outcome in committed.outcomes
        )
        return Imported(
            fetches=self.fetches + len(fates),
            new_pages=self.new_pages + sum(firsts),
            versions=self.versions + sum(isinstance(fate, Read) for fate in fates),
            records=self.records + committed.record_changes,
            same=self.same + sum(isinstance(fate, Unchanged) for fate in fates),
            known=self.known + sum(isinstance(fate, KnownAlready) for fate in fates),
            alerts=self.alerts + committed.alerts,
            late=(*self.late, *_late(fates)),
            failures=(*self.failures, *_failures(fates)),
        )

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


def _late(fates: Sequence[Fate]) -> Iterator[str]:
    for fate in fates:
        if isinstance(fate, TooOld):
            yield f"{_where(fate)}: older than the newest version that is known: left out"


def _failures(fates: Sequence[Fate]) -> Iterator[str]:
    for fate in fates:
        if isinstance(fate, Failed):
            yield f"{_where(fate)}: {fate.error}"
        elif isinstance(fate, Read) and fate.failure is not None:
            yield f"{_where(fate)}: {fate.failure}"


def _where(fate: Fate) -> str:
    return f"{fate.fetched.url} of {fate.fetched.time.isoformat()}"


def _counted(count: int, name: str, rest: str = "") -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}{rest}"
