"""Examples: a few pages by which a class is known, as sketches of their layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from treelace._kernel import Features
from treelace.errors import DamagedError

T = TypeVar("T")
_FORM = "layout"
"""The sketches that are kept: those of `layout.sketch_of`."""
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
    return msgspec.msgpack.encode({_FORM: [one.to_bytes() for one in sketches]})


def is_outdated(packed: bytes | None) -> bool:
    """Whether examples were stored by a version that sketched pages in another way."""
    return bool(packed) and not isinstance(_decoded(packed, ""), dict)


def unpack(packed: bytes | None, name: str) -> tuple[Features, ...]:
    """The examples of the class `name`; none of one that was never told by them."""
    from treelace._kernel import Features

    found = _decoded(packed, name) if packed else {}
    if not isinstance(found, dict):
        return ()
    return tuple(map(Features.from_bytes, found.get(_FORM, ())))


def _decoded(packed: bytes | None, name: str) -> dict[str, list[bytes]] | list[bytes]:
    try:
        return msgspec.msgpack.decode(packed or b"", type=dict[str, list[bytes]] | list[bytes])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DamagedError(f"the examples of the class {name!r} cannot be read: {error}") from error
