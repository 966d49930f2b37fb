"""Things chosen by name (measures, matchers, extractors, table kinds), and unique names."""

from __future__ import annotations

import dataclasses
import difflib
import numbers
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from treelace.errors import UsageError
from treelace.limits import Limits

T = TypeVar("T")


class Family(Mapping[str, type[T]]):
    """The classes of a family by name, each loaded when it is first asked for.

    `members` says where each stands: `module:Class`, with a dot first if in `package`.

    >>> Family("treelace.similarity.measures", {"tag-set": ".tag_set:TagSet"})["tag-set"].name
    'tag-set'
    """

    def __init__(self, package: str, members: Mapping[str, str]) -> None:
        self._package = package
        self._members = members

    def __getitem__(self, name: str) -> type[T]:
        module, _, attribute = self._members[name].partition(":")
        found: type[T] = getattr(import_module(module, self._package), attribute)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def pick(what: str, known: Mapping[str, T], name: str) -> T:
    """The one called `name`; else an error that names the nearest and all of them.

    >>> pick("tea", {"oolong": 1, "assam": 2}, "asam")
    Traceback (most recent call last):
        ...
    treelace.errors.UsageError: no tea is called 'asam': did you mean 'assam'? There are: ...
    """
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"no {what} is called {name!r}:{hint} There are: {', '.join(known)}")


def make(what: str, known: Mapping[str, type[T]], name: str, options: Mapping[str, Any]) -> T:
    """The one called `name`, made with these options, which are the fields of its dataclass and of
    the type of their defaults.
    """
    chosen = pick(what, known, name)
    has = (
        {field.name: field.default for field in dataclasses.fields(chosen)}
        if dataclasses.is_dataclass(chosen)
        else {}
    )
    for option in options:
        if option not in has:
            raise UsageError(
                f"{what} {name!r} has no option {option!r}; its options are:"
                f" {', '.join(has) or 'none'}"
            )
        wanted = _wanted(has[option], options[option])
        if wanted:
            raise UsageError(
                f"option {option!r} of {what} {name!r} is {wanted}, not {options[option]!r}"
            )
    return chosen(**options)


def _wanted(default: object, given: object) -> str | None:
    """What an option with this default should be, if what is given is something else."""
    is_number = isinstance(given, numbers.Real) and not isinstance(given, bool)
    if isinstance(default, bool):
        return None if isinstance(given, bool) else "true or false"
    if isinstance(default, int):
        return None if is_number and isinstance(given, numbers.Integral) else "a whole number"
    if isinstance(default, float):
        return None if is_number else "a number"
    if isinstance(default, str):
        return None if isinstance(given, str) else "a word"
    if isinstance(default, Limits):
        return (
            None
            if isinstance(given, Limits)
            else "Limits(…), on the command line --limit NAME=VALUE"
        )
    return None


def unique_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The names, each once: one that is there already, or is `taken`, gets a number. Linear.

    >>> unique_names(["price", "title", "price", "price 2"], taken=["title"])
    ['price', 'title 2', 'price 2', 'price 2 2']
    """
    seen = set(taken)
    numbers: dict[str, int] = {}
    made = []
    for name in names:
        unique = name
        while unique in seen:
            numbers[name] = numbers.get(name, 1) + 1
            unique = f"{name} {numbers[name]}"
        seen.add(unique)
        made.append(unique)
    return made
