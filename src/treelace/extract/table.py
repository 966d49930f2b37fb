"""Table: records of one region of a page, lined up in columns; every cell knows where it came from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from treelace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract.values import Value
    from treelace.tree import Node

WIDEST = 48
"""Characters of a cell that `str(table)` shows."""


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of data with its node: a visible text (a text node), a link target or an image source (the element that has it)."""

    kind: Literal["text", "link", "image"]
    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the type of its values."""

    name: str
    type: str = "text"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value: the text as it reads, the element that holds it, the items it is made of (brackets and commas at its ends included), and
    its value by the type of its column, None where it does not read as one."""

    text: str
    node: Node
    items: tuple[Item, ...] = ()
    value: Value = None

    @property
    def link(self) -> str | None:
        """Where the cell leads to, if it is a link."""
        return next((item.text for item in self.items if item.kind == "link"), None)


@dataclass(frozen=True, slots=True)
class Table:
    """Records of one region. `cells[r][c]` is the cell of record r in column c, None where the record has none.

    `records[r]` are the nodes of record r: mostly one, several where a record is made of siblings. `place` names the element around
    them all; `confidence` says how sure it is that this is what a person would want from the page.
    """

    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    place: str
    confidence: float
    records: tuple[tuple[Node, ...], ...] = ()

    @property
    def rows(self) -> list[list[str | None]]:
        """The texts, row by row."""
        return [[None if cell is None else cell.text for cell in row] for row in self.cells]

    def choose(self, names: Sequence[str]) -> Table:
        """The table with these columns only, in this order; `old=new` renames one. A name that is not there is wrong use.

        >>> import treelace as tl
        >>> tl.extract(tl.parse("<ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i></ul>"))[0].choose(["i=price"])
        <Table: 2 rows × 1 column (price) in html/body/ul>
        """
        numbers, columns = [], []
        known = [column.name for column in self.columns]
        for name in names:
            old, _, new = name.partition("=")
            if old not in known:
                raise UsageError(f"no column is called {old!r}; there are: {', '.join(known)}")
            numbers.append(known.index(old))
            columns.append(replace(self.columns[numbers[-1]], name=new or old))
        return replace(self, columns=tuple(columns), cells=tuple(tuple(row[number] for number in numbers) for row in self.cells))

    def to_json(self) -> dict[str, Any]:
        """The form of `extract --to json`: confidence, columns, and for each record its texts, the column of each, and its cells."""
        return {
            "confidence": self.confidence,
            "place": self.place,
            "columns": [{"name": column.name, "type": column.type} for column in self.columns],
            "records": [self._record(row) for row in self.cells],
        }

    def _record(self, row: tuple[Cell | None, ...]) -> dict[str, Any]:
        from treelace.extract.values import Price, plain

        texts = [(item.node.index, item.text, number) for number, cell in enumerate(row) if cell for item in cell.items if item.kind == "text"]
        texts.sort()
        cells: dict[str, Any] = {}
        for column, cell in zip(self.columns, row, strict=True):
            if cell is not None:
                cells[column.name] = {"value": plain(cell.value), "text": cell.text, "node": cell.node.element_index}
                if isinstance(cell.value, Price):
                    cells[column.name]["currency"] = cell.value.currency
                if cell.link is not None:
                    cells[column.name]["link"] = cell.link
        return {"texts": [text for _, text, _ in texts], "cols": [number for _, _, number in texts], "cells": cells}

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<Table: {_many(len(self.cells), 'row')} × {_many(len(self.columns), 'column')} ({names}) in {self.place}>"

    def __str__(self) -> str:
        heads = [column.name for column in self.columns]
        body = [["" if text is None else _cut(text) for text in row] for row in self.rows]
        widths = [max(len(row[number]) for row in [heads, *body]) for number in range(len(heads))]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in [heads, ["─" * w for w in widths], *body]
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(column.name)}</th>" for column in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(text or '')}</td>" for text in row) + "</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _many(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
