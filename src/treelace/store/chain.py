"""Chains: versions of a page that lean on the one before, so that what did not change is kept once.

A version is packed against the version before it (`base`), and every so often whole. A chain ends
where reading it would take long: after `MAX_CHAIN_STEPS` steps or `MAX_CHAIN_BYTES` bytes unpacked,
or where the version before is no help (a redesign).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from treelace.diff import Delta, diff
from treelace.errors import StoreError
from treelace.limits import Limits
from treelace.matching import Matching
from treelace.store import body as bodies
from treelace.store.body import Body

MAX_CHAIN_STEPS = 128
MAX_CHAIN_BYTES = 8 * 2**20


class DamagedVersionError(StoreError):
    """One version cannot be read; the others can."""


def damaged(url: str, number: int, error: object) -> DamagedVersionError:
    """Says which version it is."""
    return DamagedVersionError(f"{url}@{number}: this version is damaged: {error}")


@dataclass(frozen=True, slots=True)
class Link:
    """One version as it is stored; `base` is the number of the version it leans on."""

    number: int
    base: int | None
    dictionary_id: int | None
    data: bytes


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The newest version of a page, unpacked, and how far its chain reaches back."""

    number: int
    data: bytes
    steps: int
    chain_bytes: int


def follow(
    links: Sequence[Link], dictionary: Callable[[int], bytes], *, limits: Limits
) -> ChainHead:
    """Unpacks a chain, a whole version and the deltas after it, and answers the last version."""
    size = 0
    for _, data in unfold(links, dictionary, limits=limits):
        size += len(data)
    return ChainHead(links[-1].number, data, len(links) - 1, size)


def unfold(
    links: Sequence[Link],
    dictionary: Callable[[int], bytes],
    *,
    limits: Limits,
    before: bytes = b"",
) -> Iterator[tuple[int, bytes]]:
    """Every version of these links, unpacked in order; the first is whole or builds on `before`."""
    data = before
    for link in links:
        if link.base is not None:
            data = bodies.unpack(link.data, data, limits=limits)
        elif link.dictionary_id is not None:
            data = bodies.unpack(
                link.data, dictionary(link.dictionary_id), is_trained=True, limits=limits
            )
        else:
            data = bodies.unpack(link.data, limits=limits)
        yield link.number, data


def extend(
    head: ChainHead | None, data: bytes, dictionary: tuple[int, bytes] | None
) -> tuple[Link, ChainHead]:
    """The next version of a chain, as it is stored; `dictionary` is the newest of the class."""
    number = 1 if head is None else head.number + 1
    if (
        head is not None
        and head.steps < MAX_CHAIN_STEPS
        and head.chain_bytes + len(data) <= MAX_CHAIN_BYTES
    ):
        packed = bodies.pack(data, head.data)
        # half of the page is new: leaning on the old one saves little and costs every reader
        if len(packed) < len(data) // 16 or len(packed) < len(bodies.pack(data)) // 2:
            return Link(number, head.number, None, packed), ChainHead(
                number, data, head.steps + 1, head.chain_bytes + len(data)
            )
    if dictionary is None:
        return Link(number, None, None, bodies.pack(data)), ChainHead(number, data, 0, len(data))
    return Link(
        number, None, dictionary[0], bodies.pack(data, dictionary[1], is_trained=True)
    ), ChainHead(number, data, 0, len(data))


def delta_between(old: Body, new: Body, *, limits: Limits) -> Delta:
    """The delta between two versions of a page, by their stored XIDs, in O(n log n)."""
    import numpy as np

    order = np.argsort(new.xids.of, kind="stable")
    ranked = new.xids.of[order]
    place = np.minimum(np.searchsorted(ranked, old.xids.of), len(ranked) - 1)
    is_kept = ranked[place] == old.xids.of
    pairs = np.flatnonzero(is_kept).astype(np.uint32), order[place[is_kept]].astype(np.uint32)
    return diff(
        old.tree,
        new.tree,
        matcher=Matching(old.tree, new.tree, *pairs),
        xids=old.xids,
        limits=limits,
    )
