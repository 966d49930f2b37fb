"""A region of a wrapper's file made ready: pattern and selectors compiled, columns by number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from treelace import _kernel
from treelace.extract import Column
from treelace.wrappers.model.selectors import compiled_selector

if TYPE_CHECKING:
    from treelace.tree.select import Css, XPath
    from treelace.wrappers.model.form import RegionForm


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
    def column_of_row(self) -> list[int]:
        """Column number of each row, or -1. An element that has one reads as one text: all leaves
        in it belong to it.
        """
        numbers = {column.name: number for number, column in enumerate(self.form.columns)}
        return [numbers.get(row.column, -1) for row in self.form.pattern]

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
        numbers = {column.name: number for number, column in enumerate(self.form.columns)}
        return {path: numbers.get(name, -1) for path, name in self.form.paths.items()}

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
    def column_anchors(self) -> dict[int, list[Css | XPath | str]]:
        """The ways to find the cell of a column; a label stands as its text."""
        return {
            number: [
                anchor.removeprefix("label:")
                if anchor.startswith("label:")
                else compiled_selector(anchor)
                for anchor in column.anchors
            ]
            for number, column in enumerate(self.form.columns)
            if column.anchors and not column.select and self.form.kind == "page"
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
        """The columns whose texts all have a letter or digit: a text without one is no cell of
        theirs.
        """
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
