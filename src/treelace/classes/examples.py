"""Examples: a few pages by which a class is known, as sketches of the measure `design`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from treelace._kernel import Features
from treelace.errors import DamagedError
from treelace.similarity.measures.design import Design

T = TypeVar("T")

MEASURE = Design()
"""How alike two pages of a site are."""
SAME_KIND = 0.85
"""Pages of one kind inside a site are at least so alike to the next of them; pages of two kinds
share the frame of the site, and reach 0.8.
"""
MOST_EXAMPLES = 12
"""Pages by which a class is known."""


def spread(things: Sequence[T], count: int) -> list[T]:
    """At most so many, evenly spread, the first and the last among them.

    >>> spread(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(things) <= count:
        return list(things)
    return [things[round(number * (len(things) - 1) / (count - 1))] for number in range(count)]


def pack(sketches: Sequence[Features]) -> bytes:
    """Examples as the store keeps them."""
    return msgspec.msgpack.encode([one.to_bytes() for one in sketches])


def unpack(packed: bytes | None, name: str) -> tuple[Features, ...]:
    """The examples of the class `name`; none of one that was never told by them."""
    from treelace._kernel import Features

    if not packed:
        return ()
    try:
        return tuple(map(Features.from_bytes, msgspec.msgpack.decode(packed, type=list[bytes])))
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DamagedError(f"the examples of the class {name!r} cannot be read: {error}") from error
