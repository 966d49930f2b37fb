"""What structured data says of the one thing that a page is about, beside the page's record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property

from treelace.extract.cells.cell import Cell, Column
from treelace.extract.columns.data_texts import agrees, is_cut_from, key, plain, short_name
from treelace.extract.columns.value_names import VAGUE_NAMES
from treelace.extract.page.structured_data import Statement, StructuredItem
from treelace.extract.table import Table
from treelace.extract.types import TEXT, Price, Value
from treelace.named import unique_names

_TITLES = ("name", "headline", "title")

_IN_OPENGRAPH = {
    "title": "name",
    "price.amount": "price",
    "price.currency": "priceCurrency",
    "product.price.amount": "price",
    "product.price.currency": "priceCurrency",
    "product.brand": "brand",
    "article.published_time": "datePublished",
    "article.author": "author",
    "book.author": "author",
}
"""OpenGraph's properties by schema.org's names."""

_SOURCES = ("json-ld", "microdata", "opengraph")
"""Who is believed first."""

_COMPARED_PROPERTIES = frozenset(["price", "brand", "sku", "gtin", "isbn"])
"""Properties that are compared with the column of their name; pages write the names of people in
too many ways.
"""


@dataclass(frozen=True, eq=False)
class RecordInData:
    """The record of a page (a table of one row, its title first), and what the page describes.

    Things with the record's title are it. A column that nothing is known of takes the name of the
    property that has its text; a text that ends in `…` has the whole text as its value; a bare
    number that is the price has its currency; and where the data has another price, brand or
    number of the article, which the record has nowhere, a column `… in the data` says which.
    """

    table: Table
    items: Sequence[StructuredItem]

    @cached_property
    def columns(self) -> Sequence[Column]:
        """The columns, those of the data last."""
        made = [self._column(at, column) for at, column in enumerate(self.table.columns)]
        more = [
            Column(f"{made[at].name} in the data", made[at].type if at in self._priced else "text")
            for at in self._otherwise
        ]
        names = unique_names([column.name for column in (*made, *more)])
        return [
            replace(column, name=name) for column, name in zip((*made, *more), names, strict=True)
        ]

    @cached_property
    def cells(self) -> Sequence[tuple[Cell | None, ...]]:
        """The row, with what the data adds."""
        row = [self._cell(at, cell) for at, cell in enumerate(self._row)]
        return [(*row, *self._otherwise.values())]

    def _column(self, at: int, column: Column) -> Column:
        if at in self._priced:
            return replace(column, type="price")
        cell = self._row[at]
        if cell is None or column.name.split(" ")[0] not in VAGUE_NAMES:
            return column
        names = (name for name, one in self._said.items() if plain(one.text) == key(cell))
        return replace(column, name=next(names, column.name))

    def _cell(self, at: int, cell: Cell | None) -> Cell | None:
        if cell is None:
            return None
        if at in self._priced:
            return cell.with_value(self._price(cell.text))
        if self.table.columns[at].type == TEXT.name:
            wholes = (one.text for one in self._said.values() if is_cut_from(cell.text, one.text))
            whole = next(wholes, None)
            return cell if whole is None else cell.with_value(whole)
        return cell

    @cached_property
    def _row(self) -> tuple[Cell | None, ...]:
        return tuple(self.table.cells[0])

    @cached_property
    def _said(self) -> Mapping[str, Statement]:
        """What is said of the page's thing, the first of each property."""
        title = self._row[0] if self._row else None
        found: dict[str, Statement] = {}
        if title is None or not title.text:
            return found
        for item in sorted(self.items, key=lambda item: _SOURCES.index(item.source)):
            if any(_is_title(title, item.text(name)) for name in _TITLES):
                for one in item.statements:
                    name = _IN_OPENGRAPH.get(one.name, one.name)
                    found.setdefault(short_name(name), one)
        return found

    @cached_property
    def _priced(self) -> set[int]:
        """Columns of a bare number that is the price."""
        said = "priceCurrency" in self._said and self._said.get("price")
        return {
            at
            for at, (column, cell) in enumerate(zip(self.table.columns, self._row, strict=True))
            if said and cell and column.type == "number" and agrees(cell, said.text)
        }

    def _price(self, text: str) -> Value:
        try:
            return Price(Decimal(plain(text)), self._said["priceCurrency"].text)
        except InvalidOperation:
            return None

    @cached_property
    def _otherwise(self) -> dict[int, Cell]:
        """By column, what the data says where it is not what the page shows."""
        found: dict[int, Cell] = {}
        for at, column in enumerate(self.table.columns):
            cell, said = self._row[at], self._said.get(column.name.lower())
            if cell is None or said is None or column.name.lower() not in _COMPARED_PROPERTIES:
                continue
            if not any(one and agrees(one, said.text) for one in self._row):
                found[at] = Cell(said.text, said.node, (), said.text)
        return found


def _is_title(title: Cell, said: str | None) -> bool:
    """Whether a name is the record's title, or starts with it: `Assam – the tea shop`."""
    return said is not None and (agrees(title, said) or plain(said).startswith(key(title)))
