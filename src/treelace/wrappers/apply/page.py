"""A page while a wrapper reads it: its texts, links, images, and the cells made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias
from urllib.parse import urljoin

from treelace import _kernel
from treelace.extract import Cell
from treelace.extract.cells.cell import ReadCells
from treelace.extract.types import Value, type_named
from treelace.extract.types.inference import column_values
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Node, Tree
from treelace.tree.select import Css, XPath
from treelace.wrappers.apply.table_heads import TableHeads
from treelace.wrappers.model.form import ColumnForm

CellLeaves: TypeAlias = "tuple[list[int], list[int], list[int], list[int]]"
"""For each cell its record, its column and the end of its leaves; then the leaves of all cells."""


def with_leaves(cells: CellLeaves, found: Mapping[int, int]) -> CellLeaves:
    """The cells of one record with more of them: a leaf for each column that was empty."""
    _, columns, ends, nodes = cells
    parts = {
        column: nodes[start:end]
        for column, start, end in zip(columns, [0, *ends], ends, strict=False)
    }
    parts |= {column: [node] for column, node in found.items()}
    order = sorted(parts)
    return (
        [0] * len(order),
        order,
        list(accumulate(len(parts[column]) for column in order)),
        [node for column in order for node in parts[column]],
    )


def without_cells(cells: CellLeaves, dropped: Set[int]) -> CellLeaves:
    """The cells without some of them, given by number."""
    records, columns, ends, nodes = cells
    kept = [cell for cell in range(len(ends)) if cell not in dropped]
    parts = [nodes[ends[cell - 1] if cell else 0 : ends[cell]] for cell in kept]
    return (
        [records[cell] for cell in kept],
        [columns[cell] for cell in kept],
        list(accumulate(map(len, parts))),
        [node for part in parts for node in part],
    )


def without_struck(page: Page, cells: CellLeaves, former: Mapping[int, int]) -> CellLeaves:
    """The cells with struck texts moved from prices to their former prices, where both are there;
    `former` has the column of former prices (-1: none) for each column of prices.
    """
    parts: dict[tuple[int, int], list[int]] = {}
    records, columns, ends, nodes = cells
    for record, column, start, end in zip(records, columns, [0, *ends], ends, strict=False):
        leaves = nodes[start:end]
        struck = [node for node in leaves if page.is_struck(node)] if column in former else []
        if struck and len(struck) < len(leaves):
            leaves = [node for node in leaves if node not in struck]
            if former[column] >= 0:
                parts.setdefault((record, former[column]), []).extend(struck)
        parts.setdefault((record, column), []).extend(leaves)
    order = sorted(parts)
    return (
        [record for record, _ in order],
        [column for _, column in order],
        list(accumulate(len(parts[place]) for place in order)),
        [node for place in order for node in sorted(parts[place])],
    )


class Page:
    """A tree with its address, read within limits; language and base address are found lazily."""

    def __init__(
        self, tree: Tree, url: str = "", *, language: str = "", limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.tree, self.url, self.limits = tree, url, limits
        self._language = language

    @cached_property
    def heads(self) -> TableHeads:
        """What the heads of its tables call their cells."""
        return TableHeads(self.tree)

    @cached_property
    def base(self) -> str:
        """The address that relative ones are resolved against."""
        for node in self.tree.select("base[href]", limit=1):
            return urljoin(self.url, node.attribute("href") or "")
        return self.url

    @cached_property
    def language(self) -> str:
        """The language that was asked for, else the one the page says it is in."""
        return self._language or next(
            (node.attribute("lang") or "" for node in self.tree.select(":root[lang]", limit=1)), ""
        )

    def address(self, relative: str) -> str:
        """An address, resolved."""
        if relative.startswith(("http://", "https://")):
            return relative.strip()
        try:
            return urljoin(self.base, relative.strip()) if self.base else relative.strip()
        except ValueError:
            return relative

    @cached_property
    def struck(self) -> list[tuple[int, int]]:
        """Where struck texts stand."""
        return [(node.index, node.end) for node in self.tree.select("del, s, strike")]

    def is_struck(self, node: int) -> bool:
        """Whether a node is struck."""
        return any(start <= node < end for start, end in self.struck)

    # one node

    def words(self, node: int) -> str:
        """The words of a text."""
        return " ".join(self.tree.own_text(node).split())

    def link(self, node: int) -> str:
        """Where a link leads to, resolved."""
        return self.address(self.tree.attribute(node, "href") or "")

    def image(self, node: int) -> str:
        """Where an image is, resolved."""
        return self.address(image_source(self.tree, node))

    def texts_in(self, root: int) -> list[int]:
        """The texts of a subtree that are not blank."""
        tree = self.tree
        return [
            at
            for at in range(root, tree.end(root))
            if tree.kind(at) == 2 and tree.own_text(at).strip()
        ]

    def leaves_in(self, root: int) -> list[int]:
        """The texts of a subtree that are not blank, and its images."""
        tree = self.tree
        return [
            at
            for at in range(root, tree.end(root))
            if (tree.kind(at) == 2 and tree.own_text(at).strip())
            or (tree.kind(at) == 1 and tree.local_name(at) == "img")
        ]

    def only_leaf(self, selector: Css | XPath) -> int | None:
        """The only text in the only element that a selector finds."""
        found = self.elements(selector)
        return leaf_in(self.tree, found[0]) if len(found) == 1 else None

    def elements(self, selector: Css | XPath) -> list[int]:
        """The nodes that a selector finds."""
        document = self.tree.document
        found = (
            document.select(selector, limits=self.limits)
            if isinstance(selector, Css)
            else document.select_xpath(selector, limits=self.limits)
        )
        return (
            [node.index for node in found if isinstance(node, Node)]
            if isinstance(found, list)
            else []
        )

    # cells

    def read(
        self,
        leaves: CellLeaves,
        values: Callable[[int, Sequence[str]], Sequence[Value]],
        added: Iterable[tuple[int, int, str, int]] = (),
    ) -> ReadCells:
        """The cells of leaves; `values` reads the texts of a column. `added` are cells of no
        leaves: record, column, text and element.
        """
        records, columns = [*leaves[0]], [*leaves[1]]
        read = _kernel.leaf_cells(self.tree.kernel, leaves, self.limits)
        texts, holders, ends, _, nodes = read
        for record, column, text, node in added:
            records.append(record)
            columns.append(column)
            texts.append(text)
            holders.append(node)
            ends.append(len(nodes))
        return ReadCells(self, records, columns, read, values)

    def cell(self, nodes: list[int]) -> Cell:
        """One cell of these leaves."""
        read = self.read(([0], [0], [len(nodes)], nodes), lambda _, texts: texts)
        return Cell.of(read, 0)

    def selected(self, selector: Css | XPath, roots: Sequence[int]) -> Cell | None:
        """The cell that a selector written by hand finds in a record."""
        for root in roots:
            scope = self.tree.document if self.tree.depth(root) == 1 else self.tree[root]
            answer: object
            if isinstance(selector, Css):
                answer = scope.select(selector, limit=1, limits=self.limits)
                if not answer and scope.is_element and scope.matches(selector):
                    answer = [scope]
            else:
                answer = scope.select_xpath(selector, limits=self.limits)
            if not isinstance(answer, list):
                return Cell(str(answer), self.tree[root], (), str(answer))
            for found in answer:
                return (
                    self._cell_of(found)
                    if isinstance(found, Node)
                    else Cell(str(found), self.tree[root], (), str(found))
                )
        return None

    def _cell_of(self, found: Node) -> Cell:
        """A cell of a node's texts; of an element without texts, of what it refers to."""
        if leaves := self.texts_in(found.index):
            return self.cell(leaves)
        if not found.is_element:
            return Cell(found.text, found, (), found.text)
        content = found.attribute("content")
        source = found.attribute("src") or content or found.attribute("href") or ""
        text = self.address(source) if content is None else source
        return Cell(text, found, (), text)

    def typed(
        self, rows: list[tuple[Cell | None, ...]], columns: Sequence[ColumnForm]
    ) -> tuple[tuple[Cell | None, ...], ...]:
        """The rows with values by the columns' types."""
        made = [list(row) for row in rows]
        for number, column in enumerate(columns):
            if type_named(column.type).keeps_text:
                continue
            filled = [
                (row, cell) for row, cells in enumerate(made) if (cell := cells[number]) is not None
            ]
            texts = [cell.text for _, cell in filled]
            values = column_values(texts, column.type, language=self.language)
            for (row, cell), value in zip(filled, values, strict=True):
                made[row][number] = cell.with_value(value)
        return tuple(map(tuple, made))


def leaf_in(tree: Tree, element: int) -> int | None:
    """The only text in an element that is not blank, or its image; None where there are several."""
    if tree.local_name(element) == "img":
        return element
    found = None
    for at in range(element + 1, tree.end(element)):
        if tree.kind(at) == 2 and tree.own_text(at).strip():
            if found is not None:
                return None
            found = at
    return found


def leaf_text(tree: Tree, node: int) -> str:
    """The words of a text, or the source of an image; empty for other nodes."""
    if tree.kind(node) == 2:
        return " ".join(tree.own_text(node).split())
    return image_source(tree, node) if tree.local_name(node) == "img" else ""


def image_source(tree: Tree, node: int) -> str:
    """Where an image is: of one that is loaded late, not the placeholder."""
    for name in ("src", "data-src", "data-lazy-src", "data-original"):
        source = tree.attribute(node, name) or ""
        if source and not source.startswith("data:"):
            return source
    return ""
