"""Heads of tables: what a row of `th` calls the cells of the rows below it.

Tables of one class may have other columns from page to page: pots have a diameter, fleeces a
weight. There the place of a cell says little, and the head of its table says what it is.
"""

from __future__ import annotations

from treelace.tree import Tree
from treelace.wrappers.apply.records import is_head_row

MIN_CELLS = 2
"""Cells of a row that names columns."""


class TableHeads:
    """The heads of the tables of a page; each table is looked at once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._heads: dict[int, list[str]] = {}

    def cells(self, row: int) -> list[tuple[int, str]]:
        """The cells of a row of a table with what the head calls them; empty where it has none, or
        has another number of cells.
        """
        if self._tree.local_name(row) != "tr":
            return []
        table = self._tree.parent(row)
        while table and self._tree.local_name(table) != "table":
            table = self._tree.parent(table)
        if not table:
            return []
        if table not in self._heads:
            self._heads[table] = self._names(table)
        heads, cells = self._heads[table], self._cells(row)
        return list(zip(cells, heads, strict=True)) if len(cells) == len(heads) else []

    def _names(self, table: int) -> list[str]:
        """What the first head row of a table says, where all its texts differ."""
        tree, end = self._tree, self._tree.end(table)
        for node in range(table, end):
            if tree.kind(node) == 1 and is_head_row(tree, node):
                said = [" ".join(tree[cell].text.split()) for cell in self._cells(node)]
                named = [text for text in said if text]
                is_head = len(said) >= MIN_CELLS and len(set(named)) == len(named)
                return said if is_head else []
        return []

    def _cells(self, row: int) -> list[int]:
        tree = self._tree
        return [
            cell
            for cell in tree.children(row)
            if tree.kind(cell) == 1 and tree.local_name(cell) in ("td", "th")
        ]
