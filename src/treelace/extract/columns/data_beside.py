"""What structured data beside a table adds to it: names, currencies, texts that the markup cuts
short, and what the data says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property

from treelace.extract.cells.cell import Cell, Column
from treelace.extract.columns.data_in_place import names_of_cell, things_in_rows
from treelace.extract.columns.data_texts import (
    MIN_LETTERS_OF_CUT_TEXT,
    agrees,
    is_cut_from,
    key,
    plain,
    short_name,
)
from treelace.extract.page.structured_data import Statement, StructuredItem, common_items
from treelace.extract.table import Table
from treelace.extract.types import TEXT, Price
from treelace.named import unique_names

MIN_SHARE_SAID = 0.6
"""Share of a column's texts that must be said by one property before the column takes its name."""

_UNNAMING_PROPERTIES = frozenset(
    ["position", "url", "type", "priceCurrency", "offers.priceCurrency", "image", "id"]
)
"""Properties that name no column: they repeat, or are addresses."""

Row = tuple[Cell | None, ...]


@dataclass(frozen=True, eq=False)
class DataBeside:
    """A table, and things that the page describes beside it (JSON-LD) or in it (microdata).

    A column whose texts are said by one property of things of one kind takes the property's name.
    Through these columns each row is one of the things; things that stand in the rows are known by
    their place, and so are their properties. Then, row by row: a text that ends in `…`
    has the whole text as its value; a number that is a price has the currency as well; and where
    the data says something else, a column `… in the data` beside the table says what.
    """

    table: Table
    items: Sequence[StructuredItem]

    @cached_property
    def columns(self) -> Sequence[Column]:
        """The columns, those of the data last."""
        made = list(self.table.columns)
        taken = {column.name for column in made}
        for at, name in self._properties.items():
            short = short_name(name)
            kind = "price" if at in self._priced else made[at].type
            is_named = short in taken or at in self._best.placed
            made[at] = Column(made[at].name if is_named else short, kind)
            taken.add(made[at].name)
        more = [
            Column(f"{made[at].name} in the data", "price" if at in self._priced else TEXT.name)
            for at in self._otherwise
        ]
        names = unique_names([column.name for column in (*made, *more)])
        return [
            replace(column, name=name) for column, name in zip((*made, *more), names, strict=True)
        ]

    @cached_property
    def cells(self) -> Sequence[Row]:
        """The rows, with what the data adds."""
        if not (self._whole or self._priced or self._otherwise):
            return self.table.cells
        return [
            (
                *(self._cell(number, at, cell) for at, cell in enumerate(row)),
                *(column.get(number) for column in self._otherwise.values()),
            )
            for number, row in enumerate(self.table.cells)
        ]

    def _cell(self, number: int, at: int, cell: Cell | None) -> Cell | None:
        if cell is not None and (number, at) in self._whole:
            return cell.with_value(self._whole[number, at])
        if cell is not None and at in self._priced:
            return cell.with_value(self._price(cell.text, number))
        return cell

    @cached_property
    def _best(self) -> _Said:
        """What is said of the columns by the things of one kind: those that say most columns."""
        best = _Said({}, {})
        for (source, _), group in common_items(self.items).items():
            if len(group) < 2 or source == "opengraph":
                continue
            found = self._in_place(group) if source == "microdata" else self._by_texts(group)
            if len(found.properties) > len(best.properties):
                best = found
        return best

    def _by_texts(self, group: Sequence[StructuredItem]) -> _Said:
        """Of each column the property that says its texts, and of each row the thing whose texts
        it has and no other.
        """
        said = _said(group)
        properties = self._said_by_texts(said, {})
        things: dict[int, StructuredItem] = {}
        for number, row in enumerate(self.table.cells):
            votes: Counter[int] = Counter()
            for at, name in properties.items():
                cell = row[at]
                votes.update(said[name].owners(key(cell)) if cell is not None else ())
            first, second, *_ = [*votes.most_common(2), (-1, 0), (-1, 0)]
            if first[1] > second[1]:
                things[number] = group[first[0]]
        return _Said(properties, things)

    def _in_place(self, group: Sequence[StructuredItem]) -> _Said:
        """The same for things that stand in the rows, or around one row each."""
        things = things_in_rows(self.table.records, group)
        properties: dict[int, str] = {}
        for at in range(len(self.table.columns)):
            votes: Counter[str] = Counter()
            for number, thing in things.items():
                cell = self.table.cells[number][at]
                votes.update(names_of_cell(cell, thing) if cell is not None else ())
            for name, count in votes.most_common(1):
                is_free = name not in properties.values() and name not in _UNNAMING_PROPERTIES
                if is_free and count >= MIN_SHARE_SAID * len(self.table):
                    properties[at] = name
        placed = frozenset(properties)
        if things:
            properties = self._said_by_texts(_said([*things.values()]), properties)
        return _Said(properties, things, placed)

    def _said_by_texts(
        self, said: Mapping[str, _Texts], known: Mapping[int, str]
    ) -> dict[int, str]:
        """The known properties of columns, and those that say the texts of the others."""
        found = dict(known)
        for at in range(len(self.table.columns)):
            if at not in found and (name := self._property(at, said, set(found.values()))):
                found[at] = name
        return found

    def _property(self, at: int, said: Mapping[str, _Texts], taken: set[str]) -> str:
        cells = [row[at] for row in self.table.cells]
        keys = [key(cell) for cell in cells if cell is not None]
        if len(set(keys)) < 2:
            return ""
        count, found = MIN_SHARE_SAID * len(self.table), ""
        for name, texts in said.items():
            held = sum(one in texts for one in keys)
            if held >= count and name not in taken:
                count, found = held + 0.5, name
        return found

    @property
    def _properties(self) -> Mapping[int, str]:
        return self._best.properties

    @property
    def _things(self) -> Mapping[int, StructuredItem]:
        return self._best.things

    def _pairs(self) -> Iterator[tuple[int, int, Cell, Statement]]:
        """Row, column and cell, and what the row's thing says there."""
        for number, thing in self._things.items():
            for at, name in self._properties.items():
                cell = self.table.cells[number][at]
                said = [one for one in thing.statements if one.name == name]
                if cell is not None and said:
                    same = (one for one in said if agrees(cell, one.text))
                    yield number, at, cell, next(same, said[0])

    @cached_property
    def _whole(self) -> dict[tuple[int, int], str]:
        """The whole texts of cells that were cut short."""
        return {
            (number, at): said.text
            for number, at, cell, said in self._pairs()
            if self.table.columns[at].type == TEXT.name and is_cut_from(cell.text, said.text)
        }

    @cached_property
    def _priced(self) -> set[int]:
        """Columns of numbers that are prices whose currency only the data says."""
        return {
            at
            for at, name in self._properties.items()
            if self.table.columns[at].type == "number"
            and name.rsplit(".", 1)[-1] in ("price", "lowPrice")
            and self._currencies
        }

    @cached_property
    def _currencies(self) -> dict[int, str]:
        return {
            number: one.text
            for number, thing in self._things.items()
            for one in thing.statements
            if one.name.rsplit(".", 1)[-1] == "priceCurrency"
        }

    def _price(self, text: str, number: int) -> Price | None:
        try:
            return Price(Decimal(plain(text)), self._currencies.get(number, ""))
        except InvalidOperation:
            return None

    @cached_property
    def _otherwise(self) -> dict[int, dict[int, Cell]]:
        """By column, then by row: what the data says where it is not what the page shows."""
        found: dict[int, dict[int, Cell]] = {}
        for number, at, cell, said in self._pairs():
            if not agrees(cell, said.text):
                value = self._price(said.text, number) if at in self._priced else said.text
                found.setdefault(at, {})[number] = Cell(said.text, said.node, (), value)
        return found


@dataclass(frozen=True)
class _Said:
    """The property of each column, and the thing of each row; columns that stand in the elements
    of their property, and so have a name by them.
    """

    properties: Mapping[int, str]
    things: Mapping[int, StructuredItem]
    placed: frozenset[int] = frozenset()


class _Texts:
    """The texts that a property of several things says, and of which things; also by how they
    begin, for texts that are cut short.
    """

    def __init__(self) -> None:
        self._by_text: dict[str, list[int]] = {}
        self._by_start: dict[str, list[tuple[int, str]]] = {}

    def add(self, thing: int, text: str) -> None:
        said = plain(text)
        self._by_text.setdefault(said, []).append(thing)
        self._by_start.setdefault(said[:MIN_LETTERS_OF_CUT_TEXT], []).append((thing, said))

    def owners(self, text: str) -> list[int]:
        """The things that say a text, or a longer one that it is the start of."""
        if text in self._by_text:
            return self._by_text[text]
        near = self._by_start.get(text[:MIN_LETTERS_OF_CUT_TEXT], [])
        return [thing for thing, whole in near if is_cut_from(text, whole)]

    def __contains__(self, text: str) -> bool:
        return bool(self.owners(text))


def _said(group: Sequence[StructuredItem]) -> dict[str, _Texts]:
    said: dict[str, _Texts] = {}
    for thing, item in enumerate(group):
        for one in item.statements:
            if one.name not in _UNNAMING_PROPERTIES:
                said.setdefault(one.name, _Texts()).add(thing, one.text)
    return said
