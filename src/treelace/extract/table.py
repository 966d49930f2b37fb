"""Table: records of one region of a page, lined up in columns; every cell knows where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treelace.tree import Node


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the type of its values."""

    name: str
    type: str = "text"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value, and the element that holds it."""

    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Table:
    """Records of one region. `cells[r][c]` is the cell of record r in column c, None where the record has none."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    place: str
    confidence: float

    @property
    def rows(self) -> list[list[str | None]]:
        """The texts, row by row."""
        return [[None if cell is None else cell.text for cell in row] for row in self.cells]

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<Table: {len(self.cells)} rows × {len(self.columns)} columns ({names}) in {self.place}>"

    def __str__(self) -> str:
        heads = [column.name for column in self.columns]
        body = [["" if text is None else text for text in row] for row in self.rows]
        widths = [max(len(row[number]) for row in [heads, *body]) for number in range(len(heads))]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in [heads, ["─" * w for w in widths], *body]
        ]
        return "\n".join(lines)
