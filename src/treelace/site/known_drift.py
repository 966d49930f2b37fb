"""Which pages were not what their class was when they were last looked at: kept from round to
round, until they are read again or the class is repaired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from treelace.site.pipeline import PageOutcome
    from treelace.store import Store

NOTE = "drift"
MOST_PAGES = 200
"""Pages of a class that are kept by name."""


def note_drift(store: Store, outcomes: Iterable[PageOutcome]) -> None:
    """Remembers the pages of a batch that drifted, and forgets those that are read again."""
    known = before = _read(store)
    for outcome in outcomes:
        newest = outcome.read[-1:]
        page_class = newest[0].versioned.classified.page_class if newest else None
        if page_class is None:
            continue
        url, number = outcome.state.url, str(page_class.id)
        pages = known.get(number, {})
        if newest[0].drift and (len(pages) < MOST_PAGES or url in pages):
            known = {**known, number: {**pages, url: newest[0].drift}}
        elif not newest[0].drift and url in pages:
            known = {**known, number: {it: why for it, why in pages.items() if it != url}}
    if known != before:
        _write(store, known)


def drift_of(store: Store) -> dict[int, Mapping[str, str]]:
    """The pages of each class that drifted, with the reasons, by the number of the class."""
    return {int(number): pages for number, pages in _read(store).items() if pages}


def forget_drift(store: Store, class_id: int) -> None:
    """The class is read in another way from now on."""
    known = _read(store)
    if str(class_id) in known:
        _write(store, {it: pages for it, pages in known.items() if it != str(class_id)})


def _read(store: Store) -> dict[str, dict[str, str]]:
    said = store.notes.get(NOTE)
    return msgspec.json.decode(said, type=dict[str, dict[str, str]]) if said else {}


def _write(store: Store, known: Mapping[str, Mapping[str, str]]) -> None:
    store.notes.set(NOTE, msgspec.json.encode(known).decode())
