"""Column: the name of a column, and the name of its type."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the type of its values."""

    name: str
    type: str = "text"
