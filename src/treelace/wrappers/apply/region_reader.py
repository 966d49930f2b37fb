"""Reads one region of a page: aligns its records with the pattern; leaves become cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from treelace import _kernel
from treelace.extract import Cell, Column, Table
from treelace.extract.cells.cell import Grid
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.types import Value
from treelace.extract.types.inference import column_values
from treelace.extract.types.price import PriceRangeType, PriceType
from treelace.tree import Node
from treelace.tree.select import Css, XPath
from treelace.wrappers.apply.page import (
    CellLeaves,
    Page,
    with_leaves,
    without_cells,
    without_struck,
)
from treelace.wrappers.apply.records import (
    inner_roots,
    outermost,
    page_roots,
    path_of,
    with_missed_records,
)
from treelace.wrappers.model.form import RegionForm
from treelace.wrappers.model.selectors import compiled_selector

NO_ROW = 2**32 - 1
"""What the kernel gives as the row of a leaf that fits nowhere."""

MAX_PROBED_RECORDS = 200
"""Records of an anchor that are looked at to see whether it finds any."""

MIN_EARLY_FIT = 0.9
"""How well, against the best fit, a record of siblings must fit to cut the one before short."""


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
        """Column number of each row, or -1; all leaves in an element of a column belong to it."""
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
                if not anchor.startswith("struck:")
            ]
            for number, column in enumerate(self.form.columns)
            if column.anchors and not column.select and self.form.kind == "page"
        }

    @cached_property
    def former_prices(self) -> dict[int, int]:
        """The columns of prices, each with that of its former prices; -1 where it has none."""
        numbers = {column.name: number for number, column in enumerate(self.form.columns)}
        struck = {
            numbers.get(anchor.removeprefix("struck:"), -1): number
            for number, column in enumerate(self.form.columns)
            for anchor in column.anchors
            if anchor.startswith("struck:")
        }
        return {
            number: struck.get(number, numbers.get(f"former {column.name}", -1))
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


class RegionRead(NamedTuple):
    """A table as read, and for a page that is one record the node of each pattern row."""

    table: Table
    node_of_row: dict[int, int]


class RegionReader(CompiledRegion):
    """Reads the table of one region."""

    def read(self, page: Page, node_of_row: Mapping[int, int] | None = None) -> RegionRead:
        """The table of a page; for an inner table, `node_of_row` is that of the outer region."""
        records, laid = self._laid(page, node_of_row)
        kept = list(range(len(records)))
        leaves: CellLeaves = ([], [], [], [])
        own_nodes: dict[int, int] = {}
        if laid is not None:
            if self.form.kind == "list":
                kept = [number for number, fit in enumerate(laid.fits()) if fit >= self.form.fit]
            known = (
                [self._by_path(page, records[number], laid.held(number)) for number in kept]
                if self.column_of_path
                else None
            )
            leaves = laid.sort(self.row_columns, kept, known)
            if self.form.kind == "page":
                held = laid.held(0)
                own_nodes = {row: node for node, row in held if row != NO_ROW}
                unplaced = {node for node, row in held if row == NO_ROW}
                leaves = self._with_anchored(page, laid, unplaced, leaves)
            if self.former_prices and page.struck:
                leaves = without_struck(page, leaves, self.former_prices)
        roots = [records[number] for number in kept]
        cells, full = self._cells(page, roots, leaves)
        nodes = LazyTuple(
            lambda: (tuple(Node(page.tree, root) for root in roots[number]) for number in full),
            size=len(full),
        )
        table = Table(self.heads, cells, self.form.name, self.form.confidence, nodes)
        return RegionRead(table, own_nodes)

    def _cells(
        self, page: Page, roots: list[list[int]], leaves: CellLeaves
    ) -> tuple[Sequence[tuple[Cell | None, ...]], list[int]]:
        """The rows of a table and their record numbers; records without a cell are left out."""
        read = page.read(leaves, self._values(page))
        wordless = {
            cell
            for cell, column in enumerate(leaves[1])
            if column in self.worded_columns and not read.says_something(cell)
        }
        if wordless:
            leaves = without_cells(leaves, wordless)
            read = page.read(leaves, self._values(page))
        records = leaves[0]
        places = {number: number for number in range(len(self.form.columns))}
        if not self.selectors:
            full = list(range(len(roots))) if self.form.kind == "page" else sorted(set(records))
            rows = {record: row for row, record in enumerate(full)}
            read.records = [rows[record] for record in records]
            return Grid(lambda: read, lambda: places, size=len(full)), full
        body = [list(row) for row in read.rows(len(roots), places)]
        for column, selector in self.selectors.items():
            for row, own in zip(body, roots, strict=True):
                row[column] = page.selected(selector, own)
        full = [
            number
            for number, row in enumerate(body)
            if self.form.kind == "page" or any(cell is not None for cell in row)
        ]
        return page.typed([tuple(body[number]) for number in full], self.form.columns), full

    def _values(self, page: Page) -> Callable[[int, Sequence[str]], Sequence[Value]]:
        return lambda number, texts: column_values(
            texts, self.form.columns[number].type, language=page.language
        )

    def records(self, page: Page, node_of_row: Mapping[int, int] | None = None) -> list[list[int]]:
        """The top nodes of each record."""
        return self._laid(page, node_of_row)[0]

    def _laid(
        self, page: Page, node_of_row: Mapping[int, int] | None
    ) -> tuple[list[list[int]], _kernel.Laid | None]:
        """The top nodes of each record, and the records aligned with the pattern, if any."""
        form = self.form
        if form.kind == "page":
            return self._along(page, [page_roots(page.tree)])
        if form.kind == "inner":
            parent = (node_of_row or {}).get(form.parent)
            inner = [] if parent is None else inner_roots(page.tree, parent, form.like)
            return self._along(page, [[root] for root in inner])
        for anchor in self.anchors:
            heads = page.elements(anchor)
            if not heads:
                continue
            records = (
                outermost(page.tree, heads) if len(form.tops) <= 1 else self._siblings(page, heads)
            )
            _, laid = self._along(page, records[:MAX_PROBED_RECORDS])
            if laid is None or any(fit >= form.fit for fit in laid.fits()):
                whole = (
                    with_missed_records(page.tree, records, form.strays, partial(self.fits, page))
                    if form.strays
                    else records
                )
                return (
                    (records, laid)
                    if len(whole) == len(records) <= MAX_PROBED_RECORDS
                    else self._along(page, whole)
                )
        return [], None

    def fits(self, page: Page, records: list[list[int]]) -> list[float]:
        """The share of the pattern's usual rows that each record has."""
        return self.pattern.lay(page.tree.kernel, records, page.limits).fits()

    def _along(
        self, page: Page, records: list[list[int]]
    ) -> tuple[list[list[int]], _kernel.Laid | None]:
        if not self.form.pattern:
            return records, None
        return records, self.pattern.lay(page.tree.kernel, records, page.limits)

    def _siblings(self, page: Page, heads: Sequence[int]) -> list[list[int]]:
        """Records of several siblings: the best-fitting starts, each record up to the next one."""
        tree, tops = page.tree, self.form.tops
        before = next((number for number, tag in enumerate(tops) if tag != "#text"), 0)
        rows: dict[int, list[int]] = {}
        for head in heads:
            parent = tree.parent(head) or 0
            if parent not in rows:
                rows[parent] = [
                    child
                    for child in tree.children(parent)
                    if tree.kind(child) == 1 or tree.own_text(child).strip()
                ]
        known, records = set(heads), list[list[int]]()
        for row in rows.values():
            starts = [max(0, at - before) for at, node in enumerate(row) if node in known]
            fits = self.fits(page, [row[at : at + len(tops)] for at in starts])
            chosen = self._chosen(starts, fits)
            ends = [*chosen[1:], len(row)][: len(chosen)]
            records += [
                row[at : min(end, at + len(tops))] for at, end in zip(chosen, ends, strict=True)
            ]
        return records

    def _chosen(self, starts: Sequence[int], fits: Sequence[float]) -> list[int]:
        """Where records begin: each fits better than those that would begin inside it."""
        length = len(self.form.tops)
        chosen: list[int] = []
        for number, at in enumerate(starts):
            rivals = [
                fits[other]
                for other in range(number + 1, len(starts))
                if starts[other] < at + length
            ]
            if fits[number] < max(self.form.fit, *rivals, 0.0) or (chosen and at <= chosen[-1]):
                continue
            cuts_short = bool(chosen) and at < chosen[-1] + length
            if not cuts_short or fits[number] >= MIN_EARLY_FIT * max(fits):
                chosen.append(at)
        return chosen

    def _with_anchored(
        self, page: Page, laid: _kernel.Laid, unplaced: set[int], leaves: CellLeaves
    ) -> CellLeaves:
        """Adds leaves without a row that the anchors of otherwise empty columns find."""
        filled = set(leaves[1])
        missing = {
            number: anchors
            for number, anchors in self.column_anchors.items()
            if number not in filled
        }
        if not unplaced or not missing:
            return leaves
        found: dict[int, int] = {}
        labels: dict[str, int | None] = {}
        for number, anchors in missing.items():
            for anchor in anchors:
                if isinstance(anchor, str):
                    labels = labels or dict(
                        zip(self.labels, laid.after_labels(0, self.labels), strict=True)
                    )
                    node = labels[anchor]
                else:
                    node = page.only_leaf(anchor)
                if node in unplaced:
                    found[number] = node
                    unplaced.discard(node)
                    break
        return with_leaves(leaves, found) if found else leaves

    def _by_path(
        self, page: Page, roots: Sequence[int], held: list[tuple[int, int]]
    ) -> dict[int, int]:
        """The column (-1: none) of leaves whose path is known."""
        found = {}
        for node, _ in held:
            if page.tree.kind(node) == 2 or page.tree.local_name(node) == "img":
                column = self.column_of_path.get(path_of(page.tree, roots, node))
                if column is not None:
                    found[node] = column
        return found
