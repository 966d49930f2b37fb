"""Intake: fetched pages become versions, records and alerts, a batch in one transaction."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from treelace.classes.model import Assigned
from treelace.monitor.alerting import Alerter
from treelace.monitor.noise import WINDOW
from treelace.store import times
from treelace.store.batches import Batches
from treelace.store.dictionaries import PAGES_TO_LEARN_FROM
from treelace.store.recording import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from treelace.site.configured import ConfiguredClasses
    from treelace.store import FetchedPage, Store
    from treelace.store.body import Body
    from treelace.store.ingest import Assign, Prepared, PreparedVersion
    from treelace.store.transaction import Transaction


@dataclass(slots=True)
class Imported:
    """What an import did: fetches looked at, pages new, versions added, fetches that brought
    nothing new, and what failed.
    """

    fetches: int = 0
    new_pages: int = 0
    versions: int = 0
    records: int = 0
    same: int = 0
    known: int = 0
    alerts: int = 0
    late: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, made: Prepared) -> None:
        """Counts what came of the fetches of one page."""
        self.fetches += (
            len(made.versions) + made.same + made.known + len(made.late) + len(made.failures)
        )
        self.new_pages += bool(made.versions) and made.versions[0].link.number == 1
        self.versions += len(made.versions)
        self.same += made.same
        self.known += made.known
        self.late += [
            f"{page.url} of {page.time.isoformat()}: older than the newest version that is known:"
            " left out"
            for page in made.late
        ]
        self.failures += [
            f"{page.url} of {page.time.isoformat()}: {error}" for page, error in made.failures
        ]

    def __str__(self) -> str:
        words = [f"{self.versions:,} version{'s' if self.versions != 1 else ''} added"]
        words += (
            [f"{self.new_pages:,} new page{'s' if self.new_pages != 1 else ''}"]
            if self.new_pages
            else []
        )
        words += (
            [f"{self.records:,} change{'s' if self.records != 1 else ''} of records"]
            if self.records
            else []
        )
        words += [f"{self.alerts:,} alert{'s' if self.alerts != 1 else ''}"] if self.alerts else []
        words += [
            f"{count:,} {word}"
            for count, word in ((self.same, "unchanged"), (self.known, "known already"))
            if count
        ]
        words += [f"{len(self.late):,} too old"] if self.late else []
        words += [f"{len(self.failures):,} failed"] if self.failures else []
        return ", ".join(words)


class Intake:
    """Takes pages into a store, prepared by so many threads and written by one."""

    def __init__(self, store: Store, configured: ConfiguredClasses, *, workers: int) -> None:
        self._store = store
        self._configured = configured
        self._workers = workers

    def take(
        self,
        fetched: Iterable[FetchedPage],
        *,
        assign: Assign | None = None,
        wait: bool = False,
        patience: float | None = None,
        on_batch: Callable[[Imported, list[Prepared]], None] | None = None,
    ) -> Imported:
        """What `Site.add_pages` does. `assign` says which class a page is of, and what extracts its
        records; without it the settings do.
        """
        self._configured.enter()
        done = Imported(failures=self._configured.take_problems())
        alerter = Alerter(self._store)
        fresh: Counter[int | None] = Counter()
        with self._store.writer(wait=wait), closing(self._batches(assign, patience)) as batches:
            for prepared in batches.of(fetched):
                with self._store.writing() as transaction:
                    numbers = transaction.add(made.update for made in prepared if made.is_seen)
                    done.records += self._store_records(prepared, numbers, alerter, transaction)
                    _notice_drift(prepared, alerter, transaction)
                    self._train(prepared, fresh, transaction)
                for made in prepared:
                    done.add(made)
                if on_batch is not None:
                    on_batch(done, prepared)
            alerter.settle()
            done.alerts = alerter.opened
        return done

    def _batches(self, assign: Assign | None, patience: float | None) -> Batches:
        return Batches(
            self._store, assign or self._configured.assign, workers=self._workers, patience=patience
        )

    def page_is_gone(self, page: FetchedPage) -> None:
        """The page shows nothing any more: what only it showed ends."""
        state = self._store.states([page.url]).get(page.url)
        if state is not None and state.id is not None:
            time = times.to_number(page.time)
            alerter = Alerter(self._store)
            with self._store.writing() as transaction:
                recording = transaction.recording()
                changes = recording.page_is_gone(PageVersion(state.id, page.url, 0, time))
                recording.flush()
                alerter.page_is_gone(
                    transaction,
                    page_id=state.id,
                    number=state.newest,
                    time=page.time,
                    changes=changes,
                )

    def _train(
        self, prepared: list[Prepared], fresh: Counter[int | None], transaction: Transaction
    ) -> None:
        """Learns a dictionary for a class that has none, once enough of its pages have come in."""
        came = Counter(
            made.state.class_id for made in prepared if made.state.id is None and made.versions
        )
        for class_id, count in came.items():
            before, fresh[class_id] = fresh[class_id], fresh[class_id] + count
            if (
                before // PAGES_TO_LEARN_FROM < fresh[class_id] // PAGES_TO_LEARN_FROM
                and self._store.dictionaries.newest(class_id) is None
            ):
                transaction.train(class_id)

    def _store_records(
        self,
        prepared: list[Prepared],
        numbers: dict[str, int],
        alerter: Alerter,
        transaction: Transaction,
    ) -> int:
        """Stores what the versions show, in the order of their times, and asks the rules about it;
        how many records came, changed or went.
        """
        found = [
            (version, made)
            for made in prepared
            for version in made.versions
            if version.shown is not None or alerter.has_rules
        ]
        found.sort(key=lambda pair: pair[0].time)
        places = [_place(version, made, numbers[made.state.url]) for version, made in found]
        recording = transaction.recording()
        fresh = {numbers[made.state.url] for _, made in found if made.versions[0].link.number == 1}
        recording.look_ahead(
            [
                (version.shown or (), place)
                for (version, _), place in zip(found, places, strict=True)
            ],
            new=fresh,
        )
        count = 0
        for (version, made), place in zip(found, places, strict=True):
            changes = [] if version.shown is None else recording.page(version.shown, place)
            count += len(changes)
            if not alerter.has_rules:
                continue
            recording.flush()  # rules look at what a record was
            alerter.version(
                transaction,
                page_id=place.page_id,
                url=place.url,
                number=place.version,
                time=times.from_number(place.time),
                changes=changes,
                earlier=partial(self._earlier, version.link.number, made),
                new=version.body,
                rates=made.rates,
            )
        recording.flush()
        return count

    def _earlier(self, number: int, made: Prepared) -> Iterator[Body]:
        """The last versions before one that is being stored, the newest first."""
        here = {version.link.number: version.body for version in made.versions}
        stored = min(here, default=number) - 1
        yield from (here[earlier] for earlier in range(number - 1, stored, -1))
        if stored > 0:
            yield self._store.body(made.state.url, stored)
            yield from reversed(
                [
                    body
                    for _, body in self._store.bodies(made.state.url, stored - WINDOW, stored - 1)
                ]
            )


def _place(version: PreparedVersion, made: Prepared, page_id: int) -> PageVersion:
    assigned = made.assigned or Assigned(None, "", None)
    return PageVersion(
        page_id,
        made.state.url,
        version.link.number,
        version.time,
        assigned.class_id,
        assigned.name,
        assigned.key,
    )


def _notice_drift(prepared: list[Prepared], alerter: Alerter, transaction: Transaction) -> None:
    """Asks the rules about classes whose pages are not what they were, in the transaction of the
    versions that show it.
    """
    drifted: dict[str, dict[str, Prepared]] = {}
    for made in prepared:
        if made.drift and made.assigned is not None and made.versions:
            drifted.setdefault(made.assigned.name, {})[made.state.url] = made
    for name, pages in drifted.items():
        first = min(made.versions[-1].time for made in pages.values())
        alerter.class_drift(
            transaction,
            name,
            {url: made.drift for url, made in pages.items()},
            times.from_number(first),
        )
