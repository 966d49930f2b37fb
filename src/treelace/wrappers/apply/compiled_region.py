"""A region made ready: what reading asks of its form again and again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from treelace import _kernel
from treelace.extract import Column
from treelace.extract.types.price import PriceRangeType, PriceType
from treelace.tree.select import Css, XPath
from treelace.wrappers.apply.added_cells import DRAWN, GROUP
from treelace.wrappers.model.form import RegionForm
from treelace.wrappers.model.selectors import compiled_selector


@dataclass(frozen=True)
class CompiledRegion:
    """What reading asks of a region again and again, made once."""

    form: RegionForm

    @cached_property
    def pattern(self) -> _kernel.Pattern:
        """The pattern as the kernel has it."""
        rows = [
            (
                row.depth,
                row.tag,
                list(row.keys),
                row.wrap,
                row.text,
                row.seen,
                row.fixed,
                list(row.shapes),
            )
            for row in self.form.pattern
        ]
        return _kernel.Pattern(rows, self.form.pages)

    @cached_property
    def row_columns(self) -> _kernel.PatternColumns:
        """The column of each row, in the form of the kernel."""
        is_leaf = [row.tag in ("#text", "img") for row in self.form.pattern]
        holders = self.column_of_holder if self.form.kind != "page" else {}
        return _kernel.PatternColumns(
            len(self.form.columns),
            self.column_of_row,
            is_leaf,
            list(map(list, self.form.runs)),
            holders,
        )

    @cached_property
    def column_numbers(self) -> dict[str, int]:
        """The number of each column by its name."""
        return {column.name: number for number, column in enumerate(self.form.columns)}

    @cached_property
    def column_of_row(self) -> list[int]:
        """Column number of each row, or -1; all leaves in an element of a column belong to it."""
        return [self.column_numbers.get(row.column, -1) for row in self.form.pattern]

    @cached_property
    def anchors(self) -> list[Css | XPath]:
        """The selectors that find the records."""
        return [compiled_selector(anchor) for anchor in self.form.anchors]

    @cached_property
    def selectors(self) -> dict[int, Css | XPath]:
        """Selectors written by hand, by column number."""
        return {
            number: compiled_selector(column.select)
            for number, column in enumerate(self.form.columns)
            if column.select
        }

    @cached_property
    def column_of_path(self) -> dict[str, int]:
        """Column number by path; -1 where it is none."""
        return {path: self.column_numbers.get(name, -1) for path, name in self.form.paths.items()}

    @cached_property
    def column_of_holder(self) -> dict[str, int]:
        """Column number by what the holder of its leaves is called."""
        return {
            anchor.removeprefix("holder:"): number
            for number, column in enumerate(self.form.columns)
            for anchor in column.anchors
            if anchor.startswith("holder:") and not column.select
        }

    @cached_property
    def column_of_head(self) -> dict[str, int]:
        """Column number by the head of a table that its cells stand below."""
        return {
            anchor.removeprefix("head:"): number
            for number, column in enumerate(self.form.columns)
            for anchor in column.anchors
            if anchor.startswith("head:") and not column.select
        }

    @cached_property
    def added(self) -> dict[int, str]:
        """The anchors of columns whose values stand in no text of a record, by column number."""
        return {
            number: anchor
            for number, column in enumerate(self.form.columns)
            for anchor in column.anchors
            if (anchor == DRAWN or anchor.startswith(GROUP)) and self.form.kind == "list"
        }

    @cached_property
    def column_anchors(self) -> dict[int, list[Css | XPath | str]]:
        """The ways to find the cell of a column; a label stands as its text."""
        return {
            number: [
                anchor.removeprefix("label:")
                if anchor.startswith("label:")
                else compiled_selector(anchor)
                for anchor in column.anchors
                if not anchor.startswith("struck:")
            ]
            for number, column in enumerate(self.form.columns)
            if column.anchors and not column.select and self.form.kind == "page"
        }

    @cached_property
    def former_prices(self) -> dict[int, int]:
        """The columns of prices, each with that of its former prices; -1 where it has none."""
        struck = {
            self.column_numbers.get(anchor.removeprefix("struck:"), -1): number
            for number, column in enumerate(self.form.columns)
            for anchor in column.anchors
            if anchor.startswith("struck:")
        }
        return {
            number: struck.get(number, self.column_numbers.get(f"former {column.name}", -1))
            for number, column in enumerate(self.form.columns)
            if column.type in (PriceType.name, PriceRangeType.name)
        }

    @cached_property
    def labels(self) -> list[str]:
        """The labels among the anchors."""
        return list(
            dict.fromkeys(
                anchor
                for anchors in self.column_anchors.values()
                for anchor in anchors
                if isinstance(anchor, str)
            )
        )

    @cached_property
    def worded_columns(self) -> set[int]:
        """The columns whose texts all have a letter or digit; other texts are not their cells."""
        columns = enumerate(self.form.columns)
        return {
            number
            for number, column in columns
            if column.shapes and all(any(map(str.isalnum, known)) for known in column.shapes)
        }

    @cached_property
    def heads(self) -> tuple[Column, ...]:
        """The columns of the tables."""
        return tuple(Column(column.name, column.type) for column in self.form.columns)
