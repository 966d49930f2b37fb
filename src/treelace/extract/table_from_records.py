"""Tables of plain records that someone's own code found on a page, with types and places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from treelace.extract.locales import locale_of
from treelace.extract.table import Cell, Column, Item, Table
from treelace.extract.types.inference import typed_cells
from treelace.tree import Node, Tree


def table_from_records(page: Tree, records: Iterable[Mapping[str, object]]) -> Table:
    """Records as a table: columns in the order they first come up, types found as in every other
    table.

    A value that is a node of the page is its text, and knows its place (and where it leads, if it
    is a link); anything else is the text it prints as, and stands nowhere in particular. None is no
    value.

    >>> from treelace.tree import parse
    >>> page = parse("<ul><li><b>Assam</b> €4.20<li><b>Sencha</b> €6.00</ul>")
    >>> table = table_from_records(page, [
    ...     {"name": row.select("b")[0], "price": row.text.split()[-1]} for row in page.select("li")
    ... ])
    >>> table, table.cells[0][1].value
    (<Table: 2 rows × 2 columns (name, price) in html>, Price(amount=Decimal('4.20'), currency='€'))
    """
    rows = [dict(record) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns, cells = [], []
    for name in names:
        kind, made = typed_cells([_cell(page, row.get(name)) for row in rows], locale_of(page))
        columns.append(Column(str(name), kind))
        cells.append(made)
    root = next((node for node in page.document.children if node.is_element), page.document)
    return Table(tuple(columns), tuple(zip(*cells, strict=True)), root.tag, 1.0)


def _cell(page: Tree, value: object) -> Cell | None:
    if value is None:
        return None
    if not isinstance(value, Node):
        root = next((node for node in page.document.children if node.is_element), page.document)
        return Cell(" ".join(str(value).split()), root)
    text = " ".join(value.text.split())
    items = [Item("text", text, value)]
    if value.is_element and value.attributes.get("href"):
        items.append(Item("link", value.attributes["href"], value))
    return Cell(text, value, tuple(items))
