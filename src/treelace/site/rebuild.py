"""Rebuilds records from every version in the store, in the order of their times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from treelace.classes.catalogue import KnownClass
from treelace.classes.drift import read_page
from treelace.classes.empty_lists import emptied
from treelace.errors import WrapperError
from treelace.extract import Table
from treelace.store import Store, keys, times
from treelace.store.page_version import PageVersion
from treelace.store.plain_tables import plain_tables, rows_of
from treelace.store.record_kinds import RecordKind, table_number
from treelace.store.transaction import Transaction
from treelace.tree import Tree
from treelace.wrappers import PageReader


class Progress(Protocol):
    """Shows how far a long work is: hands the things on, one by one."""

    def __call__(self, items: Iterable[Any], /, *, total: int | None, label: str) -> Iterator[Any]:
        """The things; `total` is None where it is not known."""


def rebuild(
    transaction: Transaction,
    store: Store,
    known: KnownClass,
    members: Sequence[str],
    *,
    earlier: Sequence[KnownClass] = (),
    only: str | None = None,
    progress: Progress | None = None,
) -> int:
    """Stores the records of these pages' versions, or `only` one kind's; how many changed. What the
    class does not read any more is read as it was `earlier`.

    Not promised: what `treelace gc` has removed is not built again.
    """
    count = 0
    moments = sorted(
        (version.time, url, version.number) for url in members for version in store.versions(url)
    )
    streams = {url: store.bodies(url) for url in members}
    pages = {url: store.page(url).id for url in members}
    recording = transaction.recording()
    shown = moments if progress is None else progress(moments, total=len(moments), label=known.name)
    before: dict[str, Tree] = {}
    for time, url, number in shown:
        found, body = next(streams[url])
        assert found == number
        old, before[url] = before.get(url), body.tree
        try:
            tables = read_with([known, *earlier], body.tree, url)
        except WrapperError:
            # as when it came in: a version that the wrapper cannot read says nothing of the
            # records, but for a list that says it is empty
            empty = None if old is None else emptied(known, old, body.tree, url)
            if empty is None or not empty.says_so:
                continue
            tables = empty.tables
        if tables is None:
            return 0
        place = PageVersion(
            pages[url],
            url,
            number,
            times.to_number(time),
            known.id,
            known.name,
            known.key,
            known.inner_keys,
        )
        count += len(recording.page(plain_tables(tables, body), place, only=only))
    recording.flush()
    return count


def read_with(classes: Sequence[KnownClass], tree: Tree, url: str) -> list[Table] | None:
    """The tables of a version by the first of a class's wrappers, the newest first, that reads it;
    the newest one's `WrapperError` where none does.
    """
    failure: WrapperError | None = None
    for known in classes:
        try:
            return read_page(known, tree, url)
        except WrapperError as error:
            failure = failure or error
    assert failure is not None, "a class has a wrapper"
    raise failure


def choose_key(
    store: Store, kind: RecordKind, reader: PageReader, members: Sequence[str]
) -> tuple[str, ...]:
    """The key columns that the versions of the page with most records speak for."""
    most = max(members, key=lambda url: store.page(url).newest)
    number = table_number(kind.name, kind.page_class or kind.name)
    rows = []
    for _, body in store.bodies(most):
        tables = reader.apply(body.tree, url=most)
        if len(tables) >= number:
            rows.append(rows_of(tables[number - 1]))
    return keys.choose(kind.columns, rows)
