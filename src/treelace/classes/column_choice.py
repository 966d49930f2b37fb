"""Column choice: which columns of a class a person wants, under which names and types.

It is kept apart from the wrapper, so it holds when the wrapper is learnt again or repaired.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from treelace.classes.learning import without_columns
from treelace.extract.types import type_named
from treelace.wrappers import Wrapper
from treelace.wrappers.model.form import ColumnForm, RegionForm


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """`only` these columns, in their order (empty: all), without those to `drop`; `rename` gives
    the new name of an old one, `types` the type of a column, by its old or its new name, `select`
    the place inside a record where a column stands that someone pointed at.
    """

    only: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    select: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any((self.only, self.drop, self.rename, self.types, self.select))

    def apply(self, wrapper: Wrapper) -> Wrapper:
        """The wrapper as it is wanted; names that it does not have change nothing."""
        first = wrapper.regions[0]
        unwanted = {column.name for column in first.columns if not self._is_wanted(column.name)}
        first = without_columns(wrapper, unwanted).regions[0] if unwanted else first
        columns = [self._changed(column) for column in (*first.columns, *self._added(first))]
        if self.only:
            order = {self.new_name(name): at for at, name in enumerate(self.only)}
            columns.sort(key=lambda column: order.get(column.name, len(order)))
        region = _renamed(first, {it.name: self.new_name(it.name) for it in first.columns})
        made = replace(region, columns=tuple(columns))
        return Wrapper(replace(wrapper.form, regions=(made, *wrapper.form.regions[1:])))

    def new_name(self, name: str) -> str:
        """What a column is called; its link and its text go by its name (`title link`)."""
        if name in self.rename:
            return self.rename[name]
        for old, new in self.rename.items():
            if name in (f"{old} link", f"{old} text"):
                return new + name.removeprefix(old)
        return name

    def _is_wanted(self, name: str) -> bool:
        names = {name, self.new_name(name)}
        return not names & set(self.drop) and (not self.only or bool(names & set(self.only)))

    def _changed(self, column: ColumnForm) -> ColumnForm:
        name = self.new_name(column.name)
        said = self.types.get(column.name) or self.types.get(name) or column.type
        made = replace(column, name=name, type=type_named(said).name)
        place = self.select.get(column.name) or self.select.get(name)
        return replace(made, select=place, anchors=()) if place else made

    def _added(self, region: RegionForm) -> list[ColumnForm]:
        """The columns that someone pointed at and the wrapper does not have. How often they are
        filled is not known, so a page without them is no trouble.
        """
        known = {column.name for column in region.columns}
        known |= {self.new_name(name) for name in known}
        return [
            ColumnForm(name=name, fill=0.0)
            for name in self.select
            if name not in known and self._is_wanted(name)
        ]


def _renamed(region: RegionForm, names: Mapping[str, str]) -> RegionForm:
    """The region with other names of columns, wherever they stand."""
    return replace(
        region,
        pattern=tuple(
            replace(row, column=names.get(row.column, row.column)) for row in region.pattern
        ),
        paths=_renamed_places(region.paths, names),
        odd={build: _renamed_places(places, names) for build, places in region.odd.items()},
        evidence=tuple(
            {names.get(name, name): text for name, text in row.items()} for row in region.evidence
        ),
    )


def _renamed_places(places: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    return {place: names.get(name, name) for place, name in places.items()}
