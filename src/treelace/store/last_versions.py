"""The newest versions of some pages at one moment, for work on the next ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from treelace.errors import DamagedError
from treelace.limits import Limits
from treelace.store import chain
from treelace.store import rates as counts
from treelace.store.chain import ChainHead, Link
from treelace.store.rates import Rates


@dataclass(frozen=True, slots=True)
class LastVersions:
    """What makes the next versions of pages: read at once, unpacked on demand, thread-safe."""

    urls: Mapping[int, str]
    links: Mapping[int, list[Link]]
    packed_rates: Mapping[int, bytes]
    trained: Mapping[int | None, tuple[int, bytes]]
    dictionary: Callable[[int], bytes]
    known: Callable[[int, int, bytes], bool]
    limits: Limits

    def head(self, page_id: int) -> ChainHead:
        """The newest version of a page, unpacked."""
        links = self.links.get(page_id, [])
        if not links:
            raise chain.damaged(self.urls[page_id], 1, "no version of its chain is whole")
        try:
            return chain.follow(links, self.dictionary, limits=self.limits)
        except DamagedError as error:
            raise chain.damaged(self.urls[page_id], links[-1].number, error) from error

    def rates(self, page_id: int) -> Rates:
        """How often the nodes of a page changed."""
        data = self.packed_rates.get(page_id)
        return counts.Rates() if data is None else counts.read(data, limits=self.limits)

    def is_known(self, page_id: int, time: int, source: bytes) -> bool:
        """Whether the page had these bytes at this time."""
        return self.known(page_id, time, source)

    def dictionary_for(self, class_id: int | None) -> tuple[int, bytes] | None:
        """The newest dictionary of a class, with its number."""
        return self.trained.get(class_id)
