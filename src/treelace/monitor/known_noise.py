"""Noise that someone named: changes of a column that are not worth telling. Pure.

One click says that a change is noise; what it stands for is one of three things, from narrow to
wide: changes of that cell, changes of the column in which only numbers differ, every change of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from treelace.monitor.noise import masked_numbers
from treelace.store.settings import NoiseSection

SAID = "someone said that this is noise"
PARTS = (" text", " currency", " link", " high", " best", " available")
"""What is kept beside the value of a column."""


def hides(section: NoiseSection, kind: str, key: str, column: str, old: Any, new: Any) -> bool:
    """Whether a change of a cell is what was named.

    >>> visits = NoiseSection(records="item", column="visits", like="numbers")
    >>> hides(visits, "item", "a", "visits", "3 visits", "5 visits")
    True
    >>> hides(visits, "item", "a", "visits", "3 visits", "closed")
    False
    """
    if section.records != kind or section.column != main_column(column, section.column):
        return False
    if section.key and section.key != key:
        return False
    return section.like != "numbers" or differs_in_numbers(old, new)


def is_named(sections: Iterable[NoiseSection], kind: str, key: str, *cell: Any) -> bool:
    """Whether one of them hides a change: its column, its old and its new value."""
    return any(hides(section, kind, key, *cell) for section in sections)


def differs_in_numbers(old: Any, new: Any) -> bool:
    """Whether two values are numbers, or texts that differ in their numbers alone."""
    if isinstance(old, str) and isinstance(new, str):
        return masked_numbers(old) == masked_numbers(new)
    return all(isinstance(one, int | float) for one in (old, new))


def main_column(column: str, wanted: str) -> str:
    """The column that a part belongs to, where that is the wanted one; else the column itself."""
    for part in PARTS:
        if column == f"{wanted}{part}":
            return wanted
    return column


def readings(records: str, column: str, key: str, old: Any, new: Any) -> list[NoiseSection]:
    """What a click at a change may stand for, from narrow to wide."""
    found = [NoiseSection(records=records, column=column, key=key)]
    if differs_in_numbers(old, new):
        found.append(NoiseSection(records=records, column=column, like="numbers"))
    return [*found, NoiseSection(records=records, column=column)]
