"""What a table is made of, step by step: slots, cells, types and values, names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from treelace.extract.cells.cell import Cell, ReadCells
from treelace.extract.columns.added_columns import AddedColumn, AddedColumns
from treelace.extract.columns.alignment import Slots
from treelace.extract.columns.naming import ColumnNames
from treelace.extract.columns.shown_columns import ColumnsSeen
from treelace.extract.locales import Locale, locale_of
from treelace.extract.page.page_view import PageView
from treelace.extract.table import Column
from treelace.extract.types import IMAGE, Value
from treelace.extract.types.inference import by_time_elements, column_type, column_values
from treelace.limits import DEFAULT_LIMITS
from treelace.named import unique_names


@dataclass(frozen=True, eq=False)
class TableParts:
    """What a table is made of, made step by step as it is asked for."""

    view: PageView
    records: tuple[tuple[int, ...], ...]
    line_up: Callable[[], Slots]
    names: Sequence[str] | None
    is_trimmed: bool
    """Whether columns that a person would not keep are left out."""

    @cached_property
    def slots(self) -> Slots:
        """Which items stand in which column."""
        return self.line_up()

    @cached_property
    def added(self) -> dict[int, AddedColumn]:
        """Columns whose values stand in no text of a record, after all others."""
        if not self.is_trimmed:
            return {}
        can_be = AddedColumns(self.view, self.records)
        made = [column for column in (can_be.groups(), can_be.ratings()) if column is not None]
        return dict(enumerate(made, start=max(self.slots.column, default=-1) + 1))

    @cached_property
    def _own_numbers(self) -> list[int]:
        """The column numbers that slots have."""
        return sorted(set(self.slots.column))

    @cached_property
    def places(self) -> dict[int, int]:
        """The place of each column number that is used."""
        numbers = [*self._own_numbers, *self.added]
        return {number: place for place, number in enumerate(numbers)}

    @cached_property
    def read(self) -> ReadCells:
        """What stands in the slots, and what is added to them."""
        records, columns = [*self.slots.record], [*self.slots.column]
        cells = self.view.core.cells(self.records, self.slots, DEFAULT_LIMITS)
        texts, holders, ends, _, nodes = cells
        for number, column in self.added.items():
            for cell in column.cells:
                records.append(cell.record)
                columns.append(number)
                texts.append(cell.text)
                holders.append(cell.node)
                ends.append(len(nodes))
        return ReadCells(self.view, records, columns, cells, self._values)

    @cached_property
    def locale(self) -> Locale:
        """How the page says that it writes."""
        said = Locale(self.view.language) if self.view.language else locale_of(self.view.tree)
        return replace(said, now=self.view.time) if self.view.time else said

    @cached_property
    def stated(self) -> dict[int, tuple[str, Sequence[Value]]]:
        """Type and values of the columns whose `time` elements say them."""
        if not self.view.has_times:
            return {}
        made = {
            column: by_time_elements([Cell.of(self.read, slot) for slot in slots])
            for column, slots in self.read.slots_of.items()
        }
        return {column: found for column, found in made.items() if found is not None}

    @cached_property
    def kinds(self) -> dict[int, str]:
        """The type of each column."""
        return {number: self._kind(number) for number in self.places}

    def _kind(self, number: int) -> str:
        if number in self.added:
            return self.added[number].kind
        if number in self.stated:
            return self.stated[number][0]
        if all(map(self.read.is_image, self.read.slots_of[number])):
            return IMAGE.name
        return column_type(self.read.column_texts(number), locale=self.locale)

    def _values(self, number: int, texts: Sequence[str]) -> Sequence[Value]:
        return (
            self.stated[number][1]
            if number in self.stated
            else column_values(texts, self.kinds[number], locale=self.locale)
        )

    @cached_property
    def shown(self) -> dict[int, int]:
        """The place of each column number that a person would keep."""
        if not self.is_trimmed:
            return self.places
        has_headers, named, labels = True, set(self.places), set[int]()
        if self.names is None:
            numbers = self._own_numbers
            has_headers = bool(self._naming.headers)
            named = {*self.added, *(numbers[at] for at in self._naming.own)}
            labels = {numbers[at] for at in self._naming.labels}
        seen = ColumnsSeen(
            self.view, self.read, self._words, self.kinds, has_headers, named, labels
        )
        return {number: place for place, number in enumerate(seen.shown)}

    @cached_property
    def left_out(self) -> list[int]:
        """The places of all other columns."""
        return [place for number, place in self.places.items() if number not in self.shown]

    @cached_property
    def heads(self) -> list[Column]:
        """The columns."""
        return [self._head[number] for number in self.places]

    @cached_property
    def shown_heads(self) -> list[Column]:
        """The columns that a person would keep."""
        return [self._head[number] for number in self.shown]

    @cached_property
    def _head(self) -> dict[int, Column]:
        """Each column with a name of its own; equal names are numbered, those shown first."""
        order = [*self.shown, *(number for number in self.places if number not in self.shown)]
        names = unique_names([self._words[number] for number in order])
        return {
            number: Column(name, self.kinds[number])
            for name, number in zip(names, order, strict=True)
        }

    @cached_property
    def _words(self) -> dict[int, str]:
        """What each column is called."""
        if self.names is not None:
            return {number: self.names[number] for number in self.places}
        words = dict(zip(self._own_numbers, self._naming.names, strict=True))
        return words | {number: column.name for number, column in self.added.items()}

    @cached_property
    def _naming(self) -> ColumnNames:
        items: list[list[Sequence[int]]] = [[()] * len(self.records) for _ in self._own_numbers]
        for slot, (record, number) in enumerate(
            zip(self.slots.record, self.slots.column, strict=True)
        ):
            items[self.places[number]][record] = self.slots.items(slot)
        kinds = [self.kinds[number] for number in self._own_numbers]
        texts = [self.read.column_texts(number) for number in self._own_numbers]
        return ColumnNames(self.view, self.records, items, kinds, texts)
