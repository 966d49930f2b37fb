"""One page's way from what was fetched to what is stored: each stage a function, each step a value.

    Fetched → Parsed → Classified → Versioned → Read → Committed

`Fetched`, `Parsed` and `Classified` are values of `classes`; here are the other two, and the way
itself. Everything up to `Read` is pure, given the catalogue of classes and the last version of the
page, and runs on threads (`batches`). `Committed` is one transaction a batch (`intake`).

Import, replay, crawl and watch differ only in where pages come from. Bytes equal to those of the
last version leave as `Unchanged` before they are parsed; a crawler has parsed them for their links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from treelace.classes.catalogue import Catalogue, Classified
from treelace.classes.drift import RefusedRecordsError, read_on, read_page
from treelace.classes.empty_lists import emptied, is_still_empty
from treelace.classes.pages import Arrival, Fetched, Gone, NotModified, Parsed
from treelace.diff import Delta, diff
from treelace.errors import LimitError, ParseError, StoreError, TreelaceError, WrapperError
from treelace.limits import Limits
from treelace.store import body as bodies
from treelace.store import chain, times
from treelace.store.body import Body
from treelace.store.chain import ChainHead
from treelace.store.database import RefusedValueError
from treelace.store.last_versions import LastVersions
from treelace.store.pages import PageState
from treelace.store.plain_tables import PlainTable, plain_tables
from treelace.store.rates import Rates
from treelace.store.versions import NewVersion, PageUpdate, summary


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest version of a page, as the next one needs it: its tree with the identities of its
    nodes, and the end of the chain of versions.
    """

    head: ChainHead = field(repr=False)
    body: Body = field(repr=False)


@dataclass(frozen=True, slots=True)
class Versioned:
    """A page as the next version in its chain: its nodes have the identities they had before."""

    classified: Classified
    version: NewVersion
    newest: Newest
    delta: Delta | None = field(default=None, repr=False)
    """What changed; None for a first version."""


@dataclass(frozen=True, slots=True)
class Read:
    """A version with the tables that the wrapper of its class reads; None where nothing reads it.
    `drift` says why the page is not what its class was, `failure` what went wrong with the wrapper.
    """

    versioned: Versioned
    tables: tuple[PlainTable, ...] | None = None
    drift: str = ""
    failure: WrapperError | None = None
    refused: int = 0
    """How many records were read and not kept, because the checks of the wrapper refuse them."""
    is_read_on: bool = False
    """Whether the page is of another design, and the wrapper still reads it."""
    is_emptied: bool = False
    """Whether the page is a list that had rows and has none now."""
    says_so: bool = False
    """Whether an emptied list says in words that there is nothing."""

    @property
    def fetched(self) -> Fetched:
        """The page as it came."""
        return self.versioned.classified.page.fetched


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The page was seen, and was as before."""

    fetched: Fetched


@dataclass(frozen=True, slots=True)
class KnownAlready:
    """The same fetch was taken in before."""

    fetched: Fetched


@dataclass(frozen=True, slots=True)
class TooOld:
    """The fetch is older than the newest version, so it has no place in the chain."""

    fetched: Fetched


@dataclass(frozen=True, slots=True)
class Failed:
    """The page cannot be made a version, and why."""

    fetched: Fetched
    error: Exception


Fate: TypeAlias = Read | Unchanged | KnownAlready | TooOld | Failed | NotModified | Gone


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The outcome of one page's fetches: a fate each, its state, and changes of its nodes."""

    state: PageState
    fates: tuple[Fate, ...]
    rates: Rates | None = None

    @property
    def read(self) -> list[Read]:
        """Its new versions."""
        return [fate for fate in self.fates if isinstance(fate, Read)]

    @property
    def update(self) -> PageUpdate | None:
        """What the store writes of it; None where it was not seen anew."""
        if not any(isinstance(fate, Read | Unchanged | NotModified) for fate in self.fates):
            return None
        return PageUpdate(self.state, [one.versioned.version for one in self.read], self.rates)


# the stages


def parse(fetched: Fetched, limits: Limits) -> Parsed:
    """The page as a tree; `ParseError` or `LimitError` where it cannot be one."""
    return Parsed(fetched, fetched.tree(limits=limits))


def classify(page: Parsed, catalogue: Catalogue, had: int | None) -> Classified:
    """The page with its class, by its address and its looks; `had` is the class it was in."""
    return catalogue.classify(page, had)


def version(page: Classified, old: Newest | None, last: LastVersions, limits: Limits) -> Versioned:
    """The page matched with its newest version, and packed against it."""
    fetched, tree = page.page.fetched, page.page.tree
    delta = None if old is None else diff(old.body.tree, tree, xids=old.body.xids, limits=limits)
    body = Body.first(tree) if delta is None else Body(tree, delta.new_xids(tree))
    dictionary = last.dictionary_for(None if page.page_class is None else page.page_class.id)
    packed = bodies.write(body, limits=limits)
    link, head = chain.extend(None if old is None else old.head, packed, dictionary)
    new = NewVersion(
        times.to_number(fetched.time),
        fetched.status,
        link,
        bytes.fromhex(tree.digest),
        fetched.digest,
        None if delta is None else summary(delta),
    )
    return Versioned(page, new, Newest(head, body), delta)


def read(page: Versioned, old: Newest | None = None) -> Read:
    """The version with its tables; if the wrapper fails, without records. A page of another design
    than its class is read where the wrapper finds what it found on the `old` version.
    """
    classified = page.classified
    known, fetched = classified.page_class, classified.page.fetched
    if known is None or not classified.is_read:
        if known is None or old is None or not classified.drift:
            return Read(page, drift=classified.drift)
        tables = read_on(known, old.body.tree, page.newest.body.tree, fetched.url)
        if tables is None:
            return read_empty(page, old) or Read(page, drift=classified.drift)
        return Read(page, plain_tables(tables, page.newest.body), is_read_on=True)
    try:
        tables = read_page(known, page.newest.body.tree, fetched.url)
        found = None if tables is None else plain_tables(tables, page.newest.body)
        return Read(page, found, classified.drift)
    except Exception as error:  # noqa: BLE001 (a wrapper may be anyone's object)
        empty = read_empty(page, old) if isinstance(error, RefusedRecordsError) else None
        if empty is not None:
            return empty
        failure = WrapperError(f"the wrapper of {known.name} failed: {error}")
        drift = str(error) if isinstance(error, WrapperError) else ""
        refused = error.records if isinstance(error, RefusedRecordsError) else 0
        return Read(page, drift=drift, failure=failure, refused=refused)


def read_empty(page: Versioned, old: Newest | None) -> Read | None:
    """The version as a list without rows, where it is the old one without them; where that had none
    either, nothing is new. None where the page is something else.
    """
    known = page.classified.page_class
    if known is None or old is None or page.classified.page.tree.format != "html":
        return None
    trees, url = (old.body.tree, page.newest.body.tree), page.classified.page.fetched.url
    empty = emptied(known, *trees, url)
    if empty is not None:
        tables = plain_tables(empty.tables, page.newest.body)
        return Read(page, tables, is_emptied=True, says_so=empty.says_so)
    return Read(page) if is_still_empty(known, *trees, url) else None


# the way


def follow(
    state: PageState,
    arrivals: Sequence[Arrival],
    last: LastVersions,
    catalogue: Catalogue,
    limits: Limits,
) -> PageOutcome:
    """The way of one page, as often as it was fetched, in the order that is given."""
    fates: list[Fate] = []
    newest: Newest | None = None
    rates: Rates | None = None
    for arrival in arrivals:
        fate = leave_early(arrival, state, fates, last)
        if fate is None and isinstance(arrival, Fetched | Parsed):
            try:
                page = parse(arrival, limits) if isinstance(arrival, Fetched) else arrival
                classified = classify(page, catalogue, state.class_id)
                old = newest or newest_version(state, last, limits)
                versioned = version(classified, old, last, limits)
            except (ParseError, LimitError, chain.DamagedVersionError) as error:
                fates.append(Failed(fetched_of(arrival), error))
                continue
            fate, newest = read(versioned, old), versioned.newest
            if old is not None and versioned.delta is not None:
                rates = rates or (Rates() if state.id is None else last.rates(state.id))
                rates.add(versioned.delta, old.body, newest.body)
        if fate is not None:
            fates.append(fate)
            state = state_after(state, fate)
    if rates is not None and newest is not None:
        rates.keep(newest.body)
    return PageOutcome(state, tuple(fates), rates)


def is_of_page(error: Exception) -> bool:
    """Whether an error may be the fault of one page: not where the store is out of reach."""
    return not isinstance(error, StoreError) or isinstance(
        error, RefusedValueError | chain.DamagedVersionError
    )


def set_aside(url: str, fetches: Iterable[Fetched], error: Exception) -> PageOutcome:
    """The outcome of a page that cannot be followed or stored: nothing of it is kept, and why."""
    if not isinstance(error, TreelaceError):
        said = " ".join(str(error).split())
        reason = f"{type(error).__name__}: {said}" if said else type(error).__name__
        error = StoreError(f"set aside, nothing of it was stored ({reason})")
    return PageOutcome(PageState(url), tuple(Failed(fetched, error) for fetched in fetches))


def leave_early(
    arrival: Arrival, state: PageState, fates: Sequence[Fate], last: LastVersions
) -> Fate | None:
    """The fate of a fetch that brings nothing new, before parsing; None if it must be parsed."""
    fetched = fetched_of(arrival)
    time, source = times.to_number(fetched.time), fetched.digest
    if isinstance(arrival, NotModified | Gone):
        return TooOld(fetched) if state.newest and time < state.last_seen else arrival
    if state.newest and time <= state.last_seen:
        if _is_known(time, source, state, fates, last):
            return KnownAlready(fetched)
        if time < state.last_seen:
            return TooOld(fetched)
    return Unchanged(fetched) if state.newest and source == state.source else None


def newest_version(state: PageState, last: LastVersions, limits: Limits) -> Newest | None:
    """The newest version of a page in the store, unpacked."""
    if state.id is None:
        return None
    head = last.head(state.id)
    return Newest(head, bodies.read(head.data, limits=limits))


def state_after(state: PageState, fate: Fate) -> PageState:
    """What the store knows of a page after one of its fetches."""
    time = times.to_number(fate.fetched.time)
    if isinstance(fate, Unchanged | NotModified):
        return replace(state, last_seen=time, seen=state.seen + 1)
    if not isinstance(fate, Read):
        return state
    new, known = fate.versioned.version, fate.versioned.classified.page_class
    return replace(
        state,
        class_id=state.class_id if known is None else known.id,
        newest=new.link.number,
        first_seen=state.first_seen if state.newest else time,
        last_seen=time,
        source=new.source,
        seen=state.seen + 1,
    )


def fetched_of(arrival: Arrival) -> Fetched:
    """The fetch that an arrival tells of."""
    return arrival if isinstance(arrival, Fetched) else arrival.fetched


def _is_known(
    time: int, source: bytes, state: PageState, fates: Sequence[Fate], last: LastVersions
) -> bool:
    here = [fate.versioned.version for fate in fates if isinstance(fate, Read)]
    if any(new.time == time and new.source == source for new in here):
        return True
    return state.id is not None and last.is_known(state.id, time, source)
