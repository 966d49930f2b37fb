"""How an index sketches its pages, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from treelace.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How the pages of an index are sketched; kept in the index and never changed there."""

    families: int = 7
    """Sets of facts of a page, as the measure `structure` has them."""
    contained: int = 6
    """How many of them count for containment: all but the last, the paths from the root."""
    slots: int = 36
    """Minima for each family, one byte each."""
    rows: int = 4
    """Slots of a band, each of another family: 63 bands in all. Two pages that agree in a share s
    of their slots meet with probability 1 − (1 − s⁴)⁶³: .98 at s = .5, .40 at .3, .006 at .1.
    """
    one_in: int = 8
    """Share of the facts that are in the inverted file for containment."""
    seed: int = 0
    """Which functions."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page of an index that answers a question."""

    name: str
    similarity: float
    """How alike it is, or how much of what was asked for it contains, from 0 to 1."""


def check_question(limit: int, at_least: float) -> None:
    """`UsageError` for a question that has no answer."""
    if limit < 1:
        raise UsageError(f"at least one page can be asked for: limit is {limit}")
    if not 0.0 <= at_least <= 1.0:
        raise UsageError(f"a similarity lies between 0 and 1: at_least is {at_least}")
