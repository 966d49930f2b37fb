"""Tables of what a page says about itself, for machines."""

from __future__ import annotations

from collections.abc import Sequence

from treelace.extract.json_tables import script_tables
from treelace.extract.locales import MACHINE, Locale, locale_of
from treelace.extract.page.structured_data import StructuredItem, common_items, structured_items
from treelace.extract.table import Cell, Column, Table
from treelace.extract.types import IMAGE
from treelace.extract.types.inference import typed_cells
from treelace.tree import Tree


def structured_tables(tree: Tree, *, url: str = "") -> list[Table]:
    """A table for each kind of thing the page describes in JSON-LD, microdata or OpenGraph, the one
    with most cells first.

    A row is a thing, a column a property; several values of one property are one cell. Confidence
    is 1: the page says so itself. Then the tables of the JSON that it carries for its scripts, with
    the share that the page shows as their confidence. Unlike found tables one row is enough, and
    cells hold no items: their node is the element that says it (for JSON the script).

    >>> import treelace as tl
    >>> product = '<li itemscope itemtype="https://schema.org/Product"><b itemprop=name>'
    >>> structured_tables(tl.parse(f"<ul>{product}Tea{product}Milk</ul>"))
    [<Table: 2 rows × 1 column (name) in microdata Product>]
    """
    made = [
        _table(tree, source, types, items)
        for (source, types), items in common_items(structured_items(tree, url=url)).items()
    ]
    made = sorted(
        (table for table in made if table.columns),
        key=lambda table: -sum(cell is not None for row in table.cells for cell in row),
    )
    return [*made, *script_tables(tree)]


def _table(
    tree: Tree, source: str, types: tuple[str, ...], items: Sequence[StructuredItem]
) -> Table:
    names = list(dict.fromkeys(one.name for item in items for one in item.statements))
    body: list[list[Cell | None]] = []
    for item in items:
        row: list[Cell | None] = []
        for name in names:
            said = [one for one in item.statements if one.name == name]
            row.append(
                Cell(" ".join(dict.fromkeys(one.text for one in said)), said[0].node)
                if said
                else None
            )
        body.append(row)
    locale = locale_of(tree)
    columns = [
        _column(name, [row[number] for row in body], locale) for number, name in enumerate(names)
    ]
    heads = tuple(Column(name, kind) for name, (kind, _) in zip(names, columns, strict=True))
    cells = (
        tuple(zip(*(cells for _, cells in columns), strict=True))
        if columns
        else tuple(() for _ in items)
    )
    return Table(
        heads,
        cells,
        f"{source} {' '.join(types)}".rstrip(),
        1.0,
        tuple((item.node,) for item in items),
    )


def _column(name: str, cells: list[Cell | None], locale: Locale) -> tuple[str, list[Cell | None]]:
    last = name.rsplit(".", 1)[-1]
    if last in ("image", "thumbnailUrl", "contentUrl", "logo"):
        return IMAGE.name, [None if cell is None else cell.with_value(cell.text) for cell in cells]
    machine = (
        MACHINE if last in ("price", "lowPrice", "highPrice", "ratingValue", "amount") else locale
    )
    kind, made = typed_cells(cells, machine)
    return kind, [
        None if cell is None else Cell(cell.text, cell.node, (), cell.value) for cell in made
    ]
