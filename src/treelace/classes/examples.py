"""Examples: a few pages by which a class is known, as features of the measure `design`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from treelace.errors import DamagedError
from treelace.similarity.measures.design import Design

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treelace._kernel import Features
    from treelace.classes.model import PageClass

T = TypeVar("T")

MEASURE = Design()
ALIKE = 0.85
"""Pages of one class inside a site are at least so alike; kinds of pages of one site share its
frame and reach 0.8.
"""
EXAMPLES = 12
"""Pages by which a class is known."""


def fits(page: Features, examples: Iterable[Features]) -> bool:
    """Whether a page is as the examples are."""
    return any(MEASURE.compare(page, example) >= ALIKE for example in examples)


def spread(things: Sequence[T], count: int) -> list[T]:
    """At most so many, evenly spread, the first and the last among them.

    >>> spread(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(things) <= count:
        return list(things)
    return [things[round(number * (len(things) - 1) / (count - 1))] for number in range(count)]


def pack(features: Sequence[Features]) -> bytes:
    """Examples as the store keeps them."""
    return msgspec.msgpack.encode([one.to_bytes() for one in features])


def examples_of(one: PageClass) -> list[Features]:
    """The examples of a class; none of one that was never sorted by them."""
    from treelace._kernel import Features

    if not one.sketch:
        return []
    try:
        return [
            Features.from_bytes(data)
            for data in msgspec.msgpack.decode(one.sketch, type=list[bytes])
        ]
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DamagedError(
            f"the examples of the class {one.name!r} cannot be read: {error}"
        ) from error
