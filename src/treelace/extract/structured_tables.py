"""Structured data put to use: tables of what a page says about itself, and better names for the
columns of found tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from treelace.extract.locales import MACHINE, Locale, locale_of
from treelace.extract.page.structured_data import StructuredItem, common_items, structured_items
from treelace.extract.table import Cell, Column, Table
from treelace.extract.types import IMAGE, Price
from treelace.extract.types.inference import typed_cells

if TYPE_CHECKING:
    from treelace.tree import Tree

MIN_SHARE_SAID = 0.6
"""Share of a column's texts that must be said by one property before the column takes its name."""

_UNNAMING_PROPERTIES = frozenset(
    ["position", "url", "type", "priceCurrency", "offers.priceCurrency", "image", "id"]
)
"""Properties that name no column: they repeat, or are addresses."""


def structured_tables(tree: Tree, *, url: str = "") -> list[Table]:
    """A table for each kind of thing the page describes in JSON-LD, microdata or OpenGraph, the one
    with most cells first.

    A row is a thing, a column a property; several values of one property are one cell. Confidence
    is 1: the page says so itself. Unlike found tables one row is enough, and cells hold no items:
    their node is the element that says it (for JSON-LD the script).

    >>> import treelace as tl
    >>> product = '<li itemscope itemtype="https://schema.org/Product"><b itemprop=name>'
    >>> structured_tables(tl.parse(f"<ul>{product}Tea{product}Milk</ul>"))
    [<Table: 2 rows × 1 column (name) in microdata Product>]
    """
    made = [
        _table(tree, source, types, items)
        for (source, types), items in common_items(structured_items(tree, url=url)).items()
    ]
    return sorted(
        (table for table in made if table.columns),
        key=lambda table: -sum(cell is not None for row in table.cells for cell in row),
    )


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


def named_by_data(tables: Sequence[Table], items: Sequence[StructuredItem]) -> list[Table]:
    """Found tables with columns named after the property that says the same texts: JSON-LD beside a
    list names its columns.
    """
    described = [
        group
        for (source, _), group in common_items(items).items()
        if source == "json-ld" and len(group) > 1
    ]
    return [_renamed(table, described) for table in tables] if described else list(tables)


def _renamed(table: Table, described: Sequence[Sequence[StructuredItem]]) -> Table:
    names = [column.name for column in table.columns]
    for number in range(len(names)):
        cells = [row[number] for row in table.cells if row[number] is not None]
        keys = [_key(cell) for cell in cells if cell is not None]
        best, found = MIN_SHARE_SAID * len(table), ""
        for group in described:
            said: dict[str, set[str]] = {}
            for item in group:
                for one in item.statements:
                    if one.name not in _UNNAMING_PROPERTIES:
                        said.setdefault(one.name, set()).add(_plain(one.text))
            for name, texts in said.items():
                count = sum(key in texts for key in keys)
                if count >= best and len(set(keys)) > 1:
                    best, found = count + 0.5, name.rsplit(".", 1)[-1]
        if found and found not in names:
            names[number] = found
    if names == [column.name for column in table.columns]:
        return table
    return replace(
        table,
        columns=tuple(
            replace(column, name=name) for column, name in zip(table.columns, names, strict=True)
        ),
    )


def _key(cell: Cell) -> str:
    value = cell.value
    return _plain(str(value.amount)) if isinstance(value, Price) else _plain(cell.text)


def _plain(text: str) -> str:
    """A text to be compared: small letters, single spaces, numbers without noughts at the end."""
    text = " ".join(text.lower().split())
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
