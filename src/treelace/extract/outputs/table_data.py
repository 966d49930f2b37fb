"""TableData: what an output needs of a table, so that tables may know their outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from treelace.extract.cells.cell import Cell, Column
from treelace.tree import Node

MIN_SURE_CONFIDENCE = 0.5
"""Confidence below which a table is likelier not what a person wants."""


class TableData(Protocol):
    """A `Table`, or what looks like one."""

    @property
    def columns(self) -> Sequence[Column]:
        """Names and types."""

    @property
    def cells(self) -> Sequence[tuple[Cell | None, ...]]:
        """The cells, row by row."""

    @property
    def records(self) -> Sequence[tuple[Node, ...]]:
        """The nodes of each record."""

    @property
    def place(self) -> str:
        """The element around all records."""

    @property
    def confidence(self) -> float:
        """How sure it is."""

    def __len__(self) -> int: ...
