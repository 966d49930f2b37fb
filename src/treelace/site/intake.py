"""Intake, the last stage: a batch becomes versions, records and alerts in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from treelace.classes.catalogue import Catalogue
from treelace.classes.pages import Arrival, Gone, NotModified
from treelace.crawl.schedule import next_look
from treelace.crawl.urls import normal
from treelace.errors import UsageError
from treelace.monitor.alerting import Alerter
from treelace.monitor.noise import MAX_EARLIER_VERSIONS
from treelace.site.batches import Batches
from treelace.site.emptied_lists import doubt_empty_lists
from treelace.site.pipeline import (
    Failed,
    Fate,
    KnownAlready,
    PageOutcome,
    Read,
    TooOld,
    Unchanged,
    is_of_page,
    set_aside,
)
from treelace.store import Store, times
from treelace.store.body import Body
from treelace.store.dictionaries import PAGES_TO_LEARN_FROM
from treelace.store.page_version import PageVersion
from treelace.store.record_kinds import kind_name
from treelace.store.recording import Recording
from treelace.store.records import Change
from treelace.store.settings import NoiseSection
from treelace.store.transaction import Transaction
from treelace.store.versions import PageUpdate


@dataclass(frozen=True, slots=True)
class Committed:
    """A stored batch: the outcome of each page, changed records, and the alerts opened."""

    outcomes: tuple[PageOutcome, ...] = ()
    record_changes: int = 0
    alerts: int = 0
    new_keys: Mapping[str, int] = field(default_factory=dict)
    """How many records of a kind were recognised under other keys than they had."""

    @property
    def urls(self) -> list[str]:
        """The pages that are safe."""
        return [outcome.state.url for outcome in self.outcomes]

    def record_links(self) -> list[str]:
        """Where the records of these pages lead to: the pages of the records themselves."""
        found: dict[str, None] = {}
        for outcome in self.outcomes:
            for read in outcome.read:
                for link in (link for table in read.tables or () for link in table.links()):
                    try:
                        found[normal(link, base=outcome.state.url)] = None
                    except UsageError:
                        continue  # a link that leads to no page
        return list(found)


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


class Intake:
    """Takes pages into a store: followed by so many threads, and written by one."""

    def __init__(self, store: Store, *, workers: int, noise: Sequence[NoiseSection] = ()) -> None:
        self._store = store
        self._noise = noise
        self._workers = workers

    def take(
        self,
        arrivals: Iterable[Arrival | None],
        catalogue: Catalogue,
        *,
        patience: float | None = None,
    ) -> Generator[Committed, None, None]:
        """Each batch when it is safe; the last one has the alerts that are decided at the end.

        Who asks holds the right to write.
        """
        alerter = Alerter(self._store, noise=self._noise)
        fresh: Counter[int | None] = Counter()
        batches = Batches(self._store, catalogue, workers=self._workers, patience=patience)
        with closing(batches):
            for outcomes in batches.of(arrivals):
                yield from self._write(doubt_empty_lists(outcomes), alerter, fresh)
        alerter.settle()
        yield Committed(alerts=alerter.opened)

    def _write(
        self, outcomes: Sequence[PageOutcome], alerter: Alerter, fresh: Counter[int | None]
    ) -> Iterator[Committed]:
        """Writes a batch in one transaction. One that fails is cut in halves until the page is
        found that cannot be stored: it is set aside, and the others are stored.
        """
        counted = alerter.counts()
        try:
            with self._store.writing() as transaction:
                committed = _commit(outcomes, self._store, alerter, transaction)
                self._train(outcomes, fresh, transaction)
            written = [committed]
        except Exception as error:
            if not is_of_page(error):
                raise
            alerter.count_from(counted)
            if len(outcomes) > 1:
                half = len(outcomes) // 2
                written = [
                    one
                    for part in (outcomes[:half], outcomes[half:])
                    for one in self._write(part, alerter, fresh)
                ]
            else:
                fetches = [fate.fetched for fate in outcomes[0].fates]
                written = [Committed((set_aside(outcomes[0].state.url, fetches, error),))]
        yield from written

    def _train(
        self, outcomes: Sequence[PageOutcome], fresh: Counter[int | None], transaction: Transaction
    ) -> None:
        """Learns a dictionary for a class that has none, once enough of its pages have come in."""
        came = Counter(one.state.class_id for one in outcomes if one.state.id is None and one.read)
        for class_id, count in came.items():
            before, fresh[class_id] = fresh[class_id], fresh[class_id] + count
            is_enough = before // PAGES_TO_LEARN_FROM < fresh[class_id] // PAGES_TO_LEARN_FROM
            if is_enough and self._store.dictionaries.newest(class_id) is None:
                transaction.train(class_id)


def _commit(
    outcomes: Sequence[PageOutcome], store: Store, alerter: Alerter, transaction: Transaction
) -> Committed:
    """Writes what came of a batch."""
    updates = [_planned(update) for one in outcomes if (update := one.update) is not None]
    numbers = transaction.add(updates)
    recording = transaction.recording()
    changes = _store_records(outcomes, numbers, store, alerter, transaction, recording)
    _end_records(outcomes, alerter, transaction)
    _notice_drift(outcomes, alerter, transaction)
    return Committed(tuple(outcomes), changes, new_keys=dict(recording.new_keys))


def _planned(update: PageUpdate) -> PageUpdate:
    """The update of a page with the time when it is due again."""
    state = update.state
    due = next_look(state.first_seen, state.last_seen, state.newest)
    return replace(update, state=replace(state, due=due))


def _store_records(
    outcomes: Sequence[PageOutcome],
    numbers: dict[str, int],
    store: Store,
    alerter: Alerter,
    transaction: Transaction,
    recording: Recording,
) -> int:
    """Stores what the versions show, in the order of their times, and asks the rules about it."""
    found = [
        (read, outcome)
        for outcome in outcomes
        for read in outcome.read
        if read.tables is not None or alerter.has_rules
    ]
    found.sort(key=lambda pair: pair[0].versioned.version.time)
    places = [_place(read, numbers[outcome.state.url]) for read, outcome in found]
    fresh = {
        numbers[outcome.state.url]
        for _, outcome in found
        if outcome.read[0].versioned.version.link.number == 1
    }
    shown = [(read.tables or (), place) for (read, _), place in zip(found, places, strict=True)]
    recording.look_ahead(shown, new=fresh)
    changed = [
        [] if read.tables is None else recording.page(read.tables, place)
        for (read, _), place in zip(found, places, strict=True)
    ]
    for (read, _), place in zip(found, places, strict=True):
        if read.tables is not None:
            recording.end_other_classes(place)
    if not alerter.has_rules:
        recording.flush()
        return sum(map(len, changed))
    recording.flush()  # rules look at what a record was
    _count_changes(outcomes, found, changed, store, alerter)
    for (read, outcome), place, changes in zip(found, places, changed, strict=True):
        alerter.version(
            transaction,
            page_id=place.page_id,
            url=place.url,
            number=place.version,
            time=times.from_number(place.time),
            changes=changes,
            earlier=EarlierVersions(store, outcome, place.version),
            new=read.versioned.newest.body,
            rates=outcome.rates,
        )
    return sum(map(len, changed))


def _count_changes(
    outcomes: Sequence[PageOutcome],
    found: Sequence[tuple[Read, PageOutcome]],
    changed: Sequence[Sequence[Change]],
    store: Store,
    alerter: Alerter,
) -> None:
    """Counts which columns of the records of pages that were seen again changed: those that do so
    in nearly all of them are noise. The rules are asked after the whole batch is counted.
    """
    counts = alerter.column_changes
    for (read, _), changes in zip(found, changed, strict=True):
        known = read.versioned.classified.page_class
        if known is None or read.versioned.version.link.number == 1:
            continue
        for number, table in enumerate(read.tables or (), 1):
            kind = kind_name(known.name, number)
            pairs = [
                (change.old, change.new)
                for change in changes
                if change.kind == kind and change.old and change.new
            ]
            counts.add(kind, len(table.rows), pairs)
    same = Counter(
        outcome.state.class_id
        for outcome in outcomes
        for fate in outcome.fates
        if isinstance(fate, Unchanged | NotModified)
    )
    for one in store.classes.all() if same else ():
        counts.add(kind_name(one.name, 1), same[one.id], ())


def _place(read: Read, page_id: int) -> PageVersion:
    new, known = read.versioned.version, read.versioned.classified.page_class
    url = read.fetched.url
    if known is None:
        return PageVersion(page_id, url, new.link.number, new.time)
    return PageVersion(
        page_id, url, new.link.number, new.time, known.id, known.name, known.key, known.inner_keys
    )


@dataclass(frozen=True, slots=True)
class EarlierVersions:
    """The versions before one that is being stored, newest first, read only on demand."""

    store: Store
    outcome: PageOutcome
    number: int

    def __iter__(self) -> Iterator[Body]:
        new = {one.versioned.version.link.number: one.versioned for one in self.outcome.read}
        stored = min(new, default=self.number) - 1
        yield from (new[earlier].newest.body for earlier in range(self.number - 1, stored, -1))
        if stored > 0:
            url = self.outcome.state.url
            yield self.store.body(url, stored)
            yield from reversed(
                [
                    body
                    for _, body in self.store.bodies(url, stored - MAX_EARLIER_VERSIONS, stored - 1)
                ]
            )


def _end_records(
    outcomes: Sequence[PageOutcome], alerter: Alerter, transaction: Transaction
) -> None:
    """Ends what only pages showed that are not there any more."""
    for outcome in outcomes:
        state = outcome.state
        for fate in outcome.fates:
            if not isinstance(fate, Gone) or state.id is None:
                continue
            time = times.to_number(fate.fetched.time)
            recording = transaction.recording()
            changes = recording.page_is_gone(PageVersion(state.id, state.url, 0, time))
            recording.flush()
            alerter.page_is_gone(
                transaction,
                page_id=state.id,
                number=state.newest,
                time=fate.fetched.time,
                changes=changes,
            )


def _notice_drift(
    outcomes: Sequence[PageOutcome], alerter: Alerter, transaction: Transaction
) -> None:
    """Asks the rules about drifted classes, in the transaction of the versions that show it."""
    for name, reads in drifted(outcomes).items():
        first = min(read.versioned.version.time for read in reads.values())
        reasons = {url: read.drift for url, read in reads.items()}
        alerter.class_drift(transaction, name, reasons, times.from_number(first))


def drifted(outcomes: Iterable[PageOutcome]) -> dict[str, dict[str, Read]]:
    """The pages whose newest version is not what its class was, by their classes' names."""
    found: dict[str, dict[str, Read]] = {}
    for outcome in outcomes:
        newest = outcome.read[-1:]
        known = newest[0].versioned.classified.page_class if newest else None
        if known is not None and newest[0].drift:
            found.setdefault(known.name, {})[outcome.state.url] = newest[0]
    return found
