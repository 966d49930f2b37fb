"""Tables of JSON: of a document, and of what a page carries for its own scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from treelace.errors import TreelaceError
from treelace.extract.locales import MACHINE
from treelace.extract.table import Cell, Column, Item, Table
from treelace.extract.types.inference import typed_cells
from treelace.tree import Node, Tree
from treelace.tree.json_documents import tree_of_json

MIN_SHARE_OF_OBJECTS = 0.8
"""Share of the members of a list that must be objects."""

MAX_NAME_PARTS = 6
"""Levels of objects inside a row that become columns: `offer.seller.name`."""

MAX_COLUMNS = 200
"""Columns of one table."""

MAX_ASSIGNMENTS = 40
"""Places of a page's scripts (`window.x = {`) that are tried."""

LETTERS_OF_PAGE = 400
"""Letters from which on a page shows something itself; one that shows fewer is the shell of an
application.
"""

MAX_SCRIPT_LENGTH = 8_000_000
"""Characters of a page's scripts that are looked at."""


def json_tables(tree: Tree) -> list[Table]:
    """The tables of a JSON document, the one with most cells first: a list of objects is a table,
    an object in a row has dotted names (`price.amount`), a list of plain values is one cell. A
    document that is one object, and has no such list, is a table of one row.

    A table's confidence is its share of the values of the document, half at least. Time linear in
    the nodes for each level of lists in lists.

    >>> from treelace import parse
    >>> said = '{"teas": [{"name": "Assam", "price": {"eur": 3}}, {"name": "Sencha"}]}'
    >>> json_tables(parse(said, format="json"))
    [<Table: 2 rows × 2 columns (name, price.eur) in teas>]
    """
    return _by_share(_tables(tree, None), tree)


def tables_of_shell(tree: Tree) -> list[Table]:
    """The tables of the JSON in the scripts of a page that shows next to nothing until they run:
    what it carries is what it will show. Ranked as the tables of a JSON document; of a page that
    shows something itself there are none.
    """
    from treelace.extract.page.page_view import PageView

    letters = 0
    for text in PageView.of(tree).core.texts():
        letters += len(text)
        if letters >= LETTERS_OF_PAGE:
            return []
    found = [
        table
        for script, document in _script_documents(tree)
        for table in _by_share(_tables(document, script), document)
        if len(table) > 1
    ]
    return sorted(found, key=_count_cells, reverse=True)


def script_tables(tree: Tree) -> list[Table]:
    """The tables of the JSON that a page carries for its scripts (`application/json`, Next's and
    Nuxt's data, `window.x = {…}`), those first of which the page shows most.

    A table's confidence is the share of its texts that can be seen on the page. Cells hold no
    items: their node is the script. What is not JSON is passed over.
    """
    from treelace.extract.page.page_view import PageView

    found: list[tuple[float, int, Table]] = []
    shown: frozenset[str] | None = None
    for script, document in _script_documents(tree):
        if shown is None:
            shown = frozenset(PageView.of(tree).core.texts())
        for table in _tables(document, script):
            texts = [cell.text for row in table.cells for cell in row if cell is not None]
            if len(table) > 1 and texts:
                share = sum(text in shown for text in texts) / len(texts)
                found.append((share, len(texts), _sure(table, round(share, 3))))
    found.sort(key=lambda entry: (-entry[0], -entry[1]))
    return [table for _, _, table in found]


def _by_share(tables: Iterable[Table], document: Tree) -> list[Table]:
    """The tables of a document, the one with most of its values first."""
    values = max(1, sum(_is_value(node) for node in document.document.descendants))
    return [
        _sure(table, round(0.5 + 0.49 * min(1.0, _count_cells(table) / values), 3))
        for table in sorted(tables, key=_count_cells, reverse=True)
    ]


def _count_cells(table: Table) -> int:
    return sum(cell is not None for row in table.cells for cell in row)


def _sure(table: Table, confidence: float) -> Table:
    return Table(table.columns, table.cells, table.place, confidence, table.records)


class _Found(NamedTuple):
    """A value of a row: the name of its column, and its nodes."""

    name: str
    nodes: list[Node]


def _tables(tree: Tree, script: Node | None) -> Iterator[Table]:
    lists = 0
    for node in tree.document.descendants:
        if not node.is_element or node.name.local != "array":
            continue
        members = [child for child in node.children if child.is_element]
        objects = [child for child in members if child.name.local == "map"]
        if len(objects) > 1 and len(objects) >= MIN_SHARE_OF_OBJECTS * len(members):
            table = _table(objects, _place(node), script)
            if table is not None:
                lists += 1
                yield table
    root = next((node for node in tree.document.children if node.is_element), None)
    if not lists and root is not None and root.name.local == "map":
        table = _table([root], "document", script)
        if table is not None:
            yield table


def _table(objects: Sequence[Node], place: str, script: Node | None) -> Table | None:
    rows = [{it.name: it.nodes for it in _values(one)} for one in objects]
    names = list(dict.fromkeys(name for row in rows for name in row))[:MAX_COLUMNS]
    if not names:
        return None
    columns, cells = [], []
    for name in names:
        kind, made = typed_cells([_cell(row.get(name), script) for row in rows], MACHINE)
        columns.append(Column(name, kind))
        cells.append(made)
    records = tuple((script or one,) for one in objects)
    return Table(tuple(columns), tuple(zip(*cells, strict=True)), place, 0.5, records)


def _values(row: Node) -> Iterator[_Found]:
    """The plain values of an object, and of objects in it; lists of plain values as one."""
    ahead: list[tuple[str, int, Node]] = [("", 0, row)]
    while ahead:
        name, level, node = ahead.pop()
        kind = node.name.local
        if kind == "map" and level < MAX_NAME_PARTS:
            members = [child for child in node.children if child.is_element]
            ahead += [
                (f"{name}.{key}" if name else key, level + 1, child)
                for child in reversed(members)
                if (key := child.attribute("key") or "")
            ]
        elif kind == "array":
            plain = [child for child in node.children if child.is_element and _is_value(child)]
            if plain:
                yield _Found(name, plain)
        elif _is_value(node) and node.text.strip():
            yield _Found(name, [node])


def _is_value(node: Node) -> bool:
    return node.is_element and node.name.local in ("string", "number", "boolean")


def _cell(nodes: list[Node] | None, script: Node | None) -> Cell | None:
    if not nodes:
        return None
    texts = [" ".join(node.text.split()) for node in nodes]
    text = ", ".join(texts)
    if script is not None:
        return Cell(text, script)
    items = tuple(Item("text", said, node) for said, node in zip(texts, nodes, strict=True))
    return Cell(text, nodes[0], items)


def _place(node: Node) -> str:
    """The names on the way to a list, from the top."""
    names = [above.attribute("key") for above in (node, *node.ancestors) if above.is_element]
    return ".".join(name for name in reversed(names) if name) or "document"


_ASSIGNED = re.compile(r"[\w$\])\"']\s*=\s*(?=[\[{])")


def _script_documents(tree: Tree) -> Iterator[tuple[Node, Tree]]:
    """The JSON documents of a page's scripts; what is not JSON is passed over."""
    for script, text in _script_texts(tree):
        try:
            yield script, tree_of_json(text)
        except TreelaceError:
            continue


def _script_texts(tree: Tree) -> Iterator[tuple[Node, str]]:
    """The JSON texts of a page's scripts."""
    left, tries, decoder = MAX_SCRIPT_LENGTH, MAX_ASSIGNMENTS, json.JSONDecoder()
    for script in tree.select("script"):
        kind = (script.attribute("type") or "").lower()
        if "ld+json" in kind or script.attribute("src") is not None:
            continue
        text = script.text
        left -= len(text)
        if left < 0:
            return
        if kind.endswith("json"):
            yield script, text
            continue
        at = 0
        while tries and (found := _ASSIGNED.search(text, at)):
            tries -= 1
            at = found.end()
            try:
                _, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                continue
            yield script, text[at:end]
            at = end
