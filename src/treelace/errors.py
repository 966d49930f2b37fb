"""Every error treelace raises, in one tree.

    TreelaceError
    ├── UsageError      the call itself is wrong (also a ValueError)
    ├── ParseError      the input is not what its format demands: line, column
    ├── LimitError      a bound of Limits was reached: limit, bound, needed
    ├── DamagedError    something we once wrote (a pickle, an index, a sketch) came back broken
    ├── MissingError    an optional part is not installed: package, extra
    ├── DeltaError      a delta does not fit its document, or is damaged
    ├── MatchError      a matcher cannot do what it was asked
    ├── ExtractError    a page cannot be turned into tables
    ├── WrapperError    a wrapper is broken, or meets a page of another class
    ├── StoreError      the store cannot be opened, read or written
    └── CrawlError      a page cannot be fetched

A message names the thing, the limit and the way out, in one line.
"""

from __future__ import annotations

_LIMIT_UNITS = {
    "bytes": "bytes of input",
    "nodes": "nodes",
    "depth": "levels",
    "attributes": "attributes on one element",
    "text": "bytes in one text or value",
    "entity_expansion": "characters from entities",
    "memory": "bytes of working memory",
    "seconds": "seconds",
}


class TreelaceError(Exception):
    """The base of all of them: catch this to catch everything treelace raises on purpose."""


class UsageError(TreelaceError, ValueError):
    """The call itself is wrong: an unknown name, an option out of range, a bad selector."""


class ParseError(TreelaceError):
    """The input is not what its format demands."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        place = (
            ""
            if line is None
            else f" (line {line}, column {column})"
            if column
            else f" (line {line})"
        )
        super().__init__(message + place)
        self.line = line
        self.column = column


class LimitError(TreelaceError):
    """A bound of `Limits` was reached; nothing was changed."""

    def __init__(self, limit: str, *, bound: float, needed: float | None = None) -> None:
        unit = _LIMIT_UNITS.get(limit, limit)
        asked = (
            f"would need {needed:,} {unit}" if needed is not None else f"more than {bound:,} {unit}"
        )
        super().__init__(
            f"{asked}; the limit is {bound:,}. Raise it with Limits({limit}=…) or --limit {limit}=…"
        )
        self.limit = limit
        self.bound = bound
        self.needed = needed


class DamagedError(TreelaceError):
    """Something treelace once wrote came back broken."""


class MissingError(TreelaceError, ImportError):
    """An optional part is not installed."""

    def __init__(self, what: str, *, package: str, extra: str) -> None:
        super().__init__(f"{what} needs the package '{package}': pip install 'treelace[{extra}]'")
        self.package = package
        self.extra = extra


class DeltaError(TreelaceError):
    """A delta does not fit its document, or is damaged."""


class MatchError(TreelaceError):
    """A matcher cannot do what it was asked."""


class ExtractError(TreelaceError):
    """A page cannot be turned into tables."""


class WrapperError(TreelaceError):
    """A wrapper is broken, or meets a page of another class."""


class StoreError(TreelaceError):
    """The store cannot be opened, read or written."""


class CrawlError(TreelaceError):
    """A page cannot be fetched."""
