"""Reads one region of a page: aligns its records with the pattern; leaves become cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from treelace import _kernel
from treelace.extract import Cell, Table
from treelace.extract.cells.cell import Grid
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.types import Value
from treelace.extract.types.inference import column_values
from treelace.tree import Node
from treelace.wrappers.apply.added_cells import added_cells
from treelace.wrappers.apply.compiled_region import CompiledRegion
from treelace.wrappers.apply.odd_records import (
    columns_of_places,
    known_places,
    with_odd_records,
)
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

NO_ROW = 2**32 - 1
"""What the kernel gives as the row of a leaf that fits nowhere."""

MAX_PROBED_RECORDS = 200
"""Records of an anchor that are looked at to see whether it finds any."""

MIN_EARLY_FIT = 0.9
"""How well, against the best fit, a record of siblings must fit to cut the one before short."""


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
            odd = self._odd_places(page, records)
            if self.form.kind == "list":
                fits = enumerate(laid.fits())
                kept = [number for number, fit in fits if fit >= self.form.fit or number in odd]
            known = (
                [
                    self._columns_in(page, records[number], laid.held(number), odd.get(number))
                    for number in kept
                ]
                if self.column_of_path or self.column_of_head or odd
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
        records = leaves[0]
        if wordless or self.added:
            filled = set(records)
            added = added_cells(page.tree, roots, self.added) if self.added else ()
            kept = [cell for cell in added if cell[0] in filled]
            read = page.read(leaves, self._values(page), kept)
        places = {number: number for number in range(len(self.form.columns))}
        if not self.selectors:
            full = list(range(len(roots))) if self.form.kind == "page" else sorted(set(records))
            rows = {record: row for row, record in enumerate(full)}
            read.records = [rows[record] for record in read.records]
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
                whole = with_odd_records(page.tree, records, form.odd) if form.odd else records
                if form.strays:
                    fits = partial(self.fits, page)
                    whole = with_missed_records(page.tree, whole, form.strays, fits)
                is_same = whole == records and len(records) <= MAX_PROBED_RECORDS
                return (records, laid) if is_same else self._along(page, whole)
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

    def _odd_places(
        self, page: Page, records: Sequence[Sequence[int]]
    ) -> dict[int, Mapping[str, str]]:
        """The known places of the records that are built unlike the others, by their number."""
        if not self.form.odd:
            return {}
        found = (known_places(page.tree, roots, self.form.odd) for roots in records)
        return {number: places for number, places in enumerate(found) if places is not None}

    def _columns_in(
        self,
        page: Page,
        roots: Sequence[int],
        held: list[tuple[int, int]],
        places: Mapping[str, str] | None,
    ) -> dict[int, int]:
        """The column (-1: none) of leaves in a record whose place is known."""
        found = self._known_columns(page, roots, held)
        if places is not None:
            leaves = [node for node, _ in held]
            found |= columns_of_places(page.tree, roots, places, leaves, self.column_numbers)
        return found

    def _known_columns(
        self, page: Page, roots: Sequence[int], held: list[tuple[int, int]]
    ) -> dict[int, int]:
        """The column (-1: none) of leaves whose head or path is known."""
        found: dict[int, int] = {}
        cells = page.heads.cells(roots[0]) if self.column_of_head else []
        for cell, head in cells:
            below = self.column_of_head.get(head, -1)
            found.update((node, below) for node, _ in held if cell < node < page.tree.end(cell))
        if found or not self.column_of_path:
            return found
        for node, _ in held:
            if page.tree.kind(node) == 2 or page.tree.local_name(node) == "img":
                column = self.column_of_path.get(path_of(page.tree, roots, node))
                if column is not None:
                    found[node] = column
        return found
