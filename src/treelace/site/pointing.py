"""Pointing: from a node of a page to a selector that finds the same place in every record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from treelace.classes.catalogue import KnownClass
from treelace.errors import UsageError
from treelace.extract import Table
from treelace.tree import Node, Tree
from treelace.wrappers import Wrapper
from treelace.wrappers.apply.page import Page
from treelace.wrappers.model.selectors import compiled_selector

VALUES_SHOWN = 5
_WORD = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True, slots=True)
class Pointed:
    """A place in the records of a table: the column it is already, or a selector, with what that
    finds in how many of the records.
    """

    text: str
    column: str
    selector: str
    values: tuple[str, ...]
    found: int
    records: int

    def __str__(self) -> str:
        if self.column:
            return f"{self.text!r} is in the column {self.column}"
        return f"{self.selector} finds {self.found:,} of {self.records:,}: {', '.join(self.values)}"


def point(table: Table, tree: Tree, number: int, *, is_for_a_column: bool = False) -> Pointed:
    """Where a node stands in the records of a table; `UsageError` where it is in none. Where it
    `is_for_a_column` that is looked for, what other columns hold does not matter.
    """
    if not 0 <= number < len(tree):
        raise UsageError("there is no such node on this page")
    node = tree[number]
    text = " ".join(node.text.split())
    records = [[root.index for root in roots] for roots in table.records]
    spans = [(root.index, root.end) for roots in table.records for root in roots]
    root = next((tree[start] for start, end in spans if start <= number < end), None)
    if root is None:
        raise UsageError("this is outside of the rows of the table: point inside of a row")
    if number in {start for start, _ in spans}:
        raise UsageError("this is a whole row: point at something that is written in it")
    for row in () if is_for_a_column else table.cells:
        for cell, column in zip(row, table.columns, strict=True):
            if cell is not None and _is_cell(cell.text, text, [it.node for it in cell.items], node):
                return Pointed(text, column.name, "", (), 0, len(records))
    page = Page(tree)
    best: tuple[int, str, list[str]] = (0, "", [])
    for selector in _selectors(node, root):
        compiled = compiled_selector(selector)
        cells = [page.selected(compiled, roots) for roots in records]
        texts = [cell.text for cell in cells if cell is not None and cell.text]
        own = page.selected(compiled, [root.index])
        if own is not None and own.text.split() == text.split() and len(texts) > best[0]:
            best = (len(texts), selector, texts)
    if not best[1]:
        raise UsageError("nothing is written here: point at a text")
    return Pointed(text, "", best[1], tuple(best[2][:VALUES_SHOWN]), best[0], len(records))


def point_in(known: KnownClass, tree: Tree, url: str, number: int) -> Pointed:
    """Where a node of a page stands in the records of its class."""
    if not isinstance(known.reader, Wrapper):
        raise UsageError(f"{known.name} has no wrapper to which a column could be added")
    table = known.reader.apply(tree, force=True, url=url, language=known.language)[0]
    return point(table, tree, number)


def _is_cell(cell: str, text: str, items: list[Node], node: Node) -> bool:
    return cell.split() == text.split() and any(
        node.index <= item.index < node.end for item in items
    )


def _selectors(node: Node, root: Node) -> Iterator[str]:
    """Ways to say where a node is inside a record, those that mean something first."""
    for word in (node.attribute("class") or "").split():
        if _WORD.fullmatch(word):
            yield f"css:.{word}"
            yield f"css:{node.name.local}.{word}"
    itemprop = node.attribute("itemprop")
    if itemprop and _WORD.fullmatch(itemprop):
        yield f'css:[itemprop="{itemprop}"]'
    if node.index != root.index:
        yield f"css:{node.name.local}"
    if node.index == root.index or node.xpath is None or root.xpath is None:
        return
    inner = node.xpath.removeprefix(root.xpath)
    if inner.startswith("/"):
        yield f"xpath:.{inner}"
