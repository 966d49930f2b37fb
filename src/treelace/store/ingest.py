"""Ingest: from fetched pages to versions, before anything is written. Pure work, one page a call,
fit for threads.

For each page: is it the same bytes as last time? Then it was only seen again. Else it is parsed,
matched with the last version so that its nodes keep their identities, its delta counted, its
records extracted, and it is packed against the version before.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from treelace.diff import Delta, diff
from treelace.errors import LimitError, ParseError, WrapperError
from treelace.store import body as bodies
from treelace.store import chain, times
from treelace.store.body import Body
from treelace.store.plain_tables import PlainTable, plain_tables
from treelace.store.rates import Rates
from treelace.store.versions import NewVersion, PageUpdate, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treelace.classes.model import Assigned
    from treelace.classes.pages import FetchedPage
    from treelace.limits import Limits
    from treelace.store.chain import ChainHead
    from treelace.store.pages import PageState
    from treelace.tree import Tree


Assign: TypeAlias = "Callable[[FetchedPage, Tree, int | None], Assigned | None]"
"""From a page, its tree and the class it had (None: it has none) to the class it has."""


@dataclass(frozen=True, slots=True)
class PreparedVersion(NewVersion):
    """A version that is ready to be stored, with what was found in it; `delta` is None for a first
    version.
    """

    body: Body
    delta: Delta | None
    shown: tuple[PlainTable, ...] | None
    fetched: FetchedPage


@dataclass(slots=True)
class Prepared:
    """What came of the fetches of one page."""

    state: PageState
    versions: list[PreparedVersion] = field(default_factory=list)
    rates: Rates | None = None
    is_seen: bool = False
    same: int = 0
    known: int = 0
    late: list[FetchedPage] = field(default_factory=list)
    failures: list[tuple[FetchedPage, Exception]] = field(default_factory=list)
    assigned: Assigned | None = None
    drift: str = ""
    """Why the page is not what the wrapper of its class knows, where it is not."""

    @property
    def update(self) -> PageUpdate:
        """What the store writes of it."""
        return PageUpdate(self.state, self.versions, self.rates)


class Memory(Protocol):
    """What ingest asks the store for, and only when a page changed."""

    def head(self, page_id: int) -> ChainHead:
        """The newest version, unpacked."""

    def rates(self, page_id: int) -> Rates:
        """The counts of a page."""

    def is_known(self, page_id: int, time: int, source: bytes) -> bool:
        """Whether the page had these bytes at this time."""

    def dictionary_for(self, class_id: int | None) -> tuple[int, bytes] | None:
        """The newest dictionary of a class."""


def prepare(
    state: PageState,
    fetched: Sequence[FetchedPage],
    memory: Memory,
    *,
    assign: Assign | None = None,
    limits: Limits,
) -> Prepared:
    """The versions that these fetches of one page make, in the order they are given."""
    made = Prepared(state)
    head: ChainHead | None = None
    last: Body | None = None
    for page in fetched:
        time, source = times.to_number(page.time), page.digest
        state = made.state
        if time <= state.last_seen and state.newest:
            in_hand = any(
                version.time == time and version.source == source for version in made.versions
            )
            if in_hand or (state.id is not None and memory.is_known(state.id, time, source)):
                made.known += 1
                continue
            if time < state.last_seen:
                made.late.append(page)
                continue
        made.is_seen = True
        if state.newest and source == state.source:
            made.same += 1
            made.state = replace(state, last_seen=time, seen=state.seen + 1)
            continue
        try:
            tree = page.tree(limits=limits)
            if head is None and state.id is not None:
                head = memory.head(state.id)
                made.rates = memory.rates(state.id)
            version, head, last = _version(
                page, tree, time, source, head, last, made, memory, limits
            )
        except (ParseError, LimitError, chain.DamagedVersionError) as error:
            made.failures.append((page, error))
            continue
        assigned = None if assign is None else assign(page, tree, state.class_id)
        if assigned is not None:
            made.assigned, made.drift = assigned, assigned.drift
            state = replace(state, class_id=assigned.class_id)
            version = replace(version, shown=_shown(assigned, page, version.body, made))
        made.versions.append(version)
        made.state = replace(
            state,
            newest=version.link.number,
            first_seen=state.first_seen if state.newest else time,
            last_seen=time,
            source=source,
            seen=state.seen + 1,
        )
    if made.rates is not None and last is not None:
        made.rates.keep(last)
    return made


def _shown(
    assigned: Assigned, page: FetchedPage, body: Body, made: Prepared
) -> tuple[PlainTable, ...] | None:
    """What the wrapper of the class finds. A wrapper that fails costs the page its records, not its
    version.
    """
    if assigned.wrapper is None:
        return None
    try:
        return plain_tables(assigned.wrapper.apply(body.tree, url=page.url), body)
    except Exception as error:  # noqa: BLE001 (a wrapper may be anyone's object)
        made.drift = (
            str(error) if isinstance(error, WrapperError) and assigned.class_id is not None else ""
        )
        made.failures.append(
            (page, WrapperError(f"the wrapper of {assigned.name} failed: {error}"))
        )
        return None


def _version(
    page: FetchedPage,
    tree: Tree,
    time: int,
    source: bytes,
    head: ChainHead | None,
    last: Body | None,
    made: Prepared,
    memory: Memory,
    limits: Limits,
) -> tuple[PreparedVersion, ChainHead, Body]:
    delta = None
    if head is None:
        body = Body.first(tree)
    else:
        old = bodies.read(head.data, limits=limits) if last is None else last
        delta = diff(old.tree, tree, xids=old.xids, limits=limits)
        body = Body(tree, delta.new_xids(tree))
        made.rates = made.rates or Rates()
        made.rates.add(delta, old, body)
    link, new_head = chain.extend(
        head, bodies.write(body, limits=limits), memory.dictionary_for(made.state.class_id)
    )
    changes = None if delta is None else summary(delta)
    return (
        PreparedVersion(
            time,
            page.status,
            link,
            bytes.fromhex(tree.digest),
            source,
            changes,
            body,
            delta,
            None,
            page,
        ),
        new_head,
        body,
    )
