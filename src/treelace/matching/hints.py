"""Hints for a matcher: identifying attributes, and how often values at a place change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from treelace.errors import UsageError

Rates: TypeAlias = Mapping[str, float] | Iterable[tuple[str, float]]
"""Shares of versions in which what stands in elements of a tag changes, by tag."""


def checked_keys(keys: Iterable[str] | None) -> tuple[str, ...]:
    """The names of attributes, in order."""
    return (keys,) if isinstance(keys, str) else tuple(sorted(str(key) for key in keys or ()))


def checked_rates(rates: Rates | None) -> tuple[tuple[str, float], ...]:
    """Rates of change by tag, in order; `UsageError` for what is no share.

    >>> checked_rates("price=0.9")
    Traceback (most recent call last):
        ...
    treelace.errors.UsageError: rates of change are shares by tag, {"price": 0.9}, not 'price=0.9'
    """
    given = rates.items() if isinstance(rates, Mapping) else rates or ()
    try:
        rows = tuple(sorted((str(tag), float(rate)) for tag, rate in given))
    except (TypeError, ValueError):
        raise UsageError(
            f'rates of change are shares by tag, {{"price": 0.9}}, not {rates!r}'
        ) from None
    for tag, rate in rows:
        if not 0 <= rate <= 1:
            raise UsageError(f"a rate of change of {rate} for {tag!r}: rates are shares in [0, 1]")
    return rows
