"""LazyTuple: a tuple that is made when someone looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")


class LazyTuple(Sequence[T]):
    """Equal to, hashed, printed and pickled as the tuple it stands for, which `make` makes at the
    first look; `len` does not look where `size` is given.

    Tables hold their columns and cells so: a page has ten readings, and most callers look at one.

    >>> numbers = LazyTuple(lambda: [1, 2, 3], size=3)
    >>> len(numbers), numbers[-1], numbers == (1, 2, 3)
    (3, 3, True)
    """

    __slots__ = ("_made", "_make", "_size")

    def __init__(self, make: Callable[[], Iterable[T]], *, size: int | None = None) -> None:
        self._make, self._size = make, size
        self._made: tuple[T, ...] | None = None

    def _all(self) -> tuple[T, ...]:
        if self._made is None:
            self._made = tuple(self._make())
            self._make = tuple  # what it was made from may go
        return self._made

    def __len__(self) -> int:
        return len(self._all()) if self._size is None else self._size

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self._all()[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LazyTuple):
            return self._all() == other._all()
        return self._all() == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._all(),)
