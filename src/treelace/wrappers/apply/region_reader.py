"""Applying a region: records of a page laid along the pattern, and cells from the leaves that have
a column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING

from treelace import _kernel
from treelace.extract import Cell, Column, Table
from treelace.extract.cells.cell import Grid, ReadCells
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.types import type_named
from treelace.extract.types.inference import column_values
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Node
from treelace.wrappers.apply.leaf_paths import path_of
from treelace.wrappers.apply.missed_records import with_strays
from treelace.wrappers.apply.record_roots import NO_ROW, inner_records, leaf_in, tops_of
from treelace.wrappers.model.selectors import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treelace.extract.types import Value
    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.tree.select import Css, XPath
    from treelace.wrappers.model.form import ColumnForm, RegionForm

Slots = tuple[list[int], list[int], list[int], list[int]]
"""Record, column and end of the leaves of each slot, and the leaves."""

PROBED = 200
"""Records of an anchor that are looked at to see whether it finds any."""

LATER = 0.9
"""A record of several siblings may begin before the last one has its full length if it fits so
well, as a share of the best.
"""


@dataclass(frozen=True)
class Reader:
    """A region made ready: its pattern in the kernel, its selectors compiled, the column of each
    row.
    """

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
    def column_of_row(self) -> list[int]:
        """Column number of each row, or -1. An element that has one reads as one text: all leaves
        in it belong to it.
        """
        numbers = {column.name: number for number, column in enumerate(self.form.columns)}
        return [numbers.get(row.column, -1) for row in self.form.pattern]

    @cached_property
    def selectors(self) -> dict[int, Css | XPath]:
        """Selectors written by hand, by column number."""
        return {
            number: compiled(column.select)
            for number, column in enumerate(self.form.columns)
            if column.select
        }

    @cached_property
    def anchors(self) -> list[Css | XPath]:
        """Where records may be, compiled."""
        return [compiled(anchor) for anchor in self.form.anchors]

    # reading

    def table(
        self, page: Page, around: dict[int, int] | None, *, limits: Limits
    ) -> tuple[Table, dict[int, int]]:
        """The table of a page, and the node of each row where the page is one record; `around` is
        that of the region around this one.
        """
        records, laid = self._laid(page, around, limits=limits)
        kept = list(range(len(records)))
        slots: Slots = ([], [], [], [])
        nodes_of: dict[int, int] = {}
        if laid is not None:
            if self.form.kind == "list":
                kept = [number for number, fit in enumerate(laid.fits()) if fit >= self.form.fit]
            known = (
                [self._by_path(page, records[number], laid.held(number)) for number in kept]
                if self.column_of_path
                else None
            )
            slots = laid.sort(self.sorter, kept, known)
            if self.form.kind == "page":
                held = laid.held(0)
                nodes_of = {row: node for node, row in held if row != NO_ROW}
                slots = self._search(
                    page, laid, {node for node, row in held if row == NO_ROW}, slots, limits=limits
                )
        tops = [records[number] for number in kept]
        cells, full = self._cells(page, tops, slots, limits=limits)
        nodes = LazyTuple(
            lambda: (tuple(Node(page.tree, root) for root in tops[number]) for number in full),
            size=len(full),
        )
        return Table(self.heads, cells, self.form.name, self.form.confidence, nodes), nodes_of

    def _cells(
        self, page: Page, tops: list[list[int]], slots: Slots, *, limits: Limits
    ) -> tuple[Sequence[tuple[Cell | None, ...]], list[int]]:
        """The rows of a table, and which records they are: those that have a cell (a page is always
        one).
        """
        read = page.read(slots, self._values(page), limits=limits)
        empty = {
            slot
            for slot, column in enumerate(slots[1])
            if column in self.speaking and not read.says_something(slot)
        }
        if empty:
            slots = _without(slots, empty)
            read = page.read(slots, self._values(page), limits=limits)
        records = slots[0]
        places = {number: number for number in range(len(self.form.columns))}
        if not self.selectors:
            full = list(range(len(tops))) if self.form.kind == "page" else sorted(set(records))
            rows = {record: row for row, record in enumerate(full)}
            read.records = [rows[record] for record in records]
            return Grid(lambda: read, lambda: places, size=len(full)), full
        body = [list(row) for row in read.rows(len(tops), places)]
        for column, selector in self.selectors.items():
            for row, roots in zip(body, tops, strict=True):
                row[column] = page.selected(selector, roots, limits=limits)
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

    def records(
        self, page: Page, around: dict[int, int] | None, *, limits: Limits
    ) -> list[list[int]]:
        """The top nodes of each record."""
        return self._laid(page, around, limits=limits)[0]

    def _laid(
        self, page: Page, around: dict[int, int] | None, *, limits: Limits
    ) -> tuple[list[list[int]], _kernel.Laid | None]:
        """The top nodes of each record, and the records laid along the pattern, where there is
        one.
        """
        form = self.form
        if form.kind == "page":
            return self._along(page, [tops_of(page.tree)], limits=limits)
        if form.kind == "inner":
            parent = (around or {}).get(form.parent)
            return self._along(
                page,
                []
                if parent is None
                else [[root] for root in inner_records(page.tree, parent, form.like)],
                limits=limits,
            )
        for anchor in self.anchors:
            heads = _indexes(page.tree, anchor, limits=limits)
            if not heads:
                continue
            records = (
                grouped(page.tree, heads)
                if len(form.tops) <= 1
                else self._siblings(page, heads, limits=limits)
            )
            _, laid = self._along(page, records[:PROBED], limits=limits)
            if laid is None or any(fit >= form.fit for fit in laid.fits()):
                whole = (
                    with_strays(
                        page.tree, records, form.strays, partial(self.fits, page, limits=limits)
                    )
                    if form.strays
                    else records
                )
                return (
                    (records, laid)
                    if len(whole) == len(records) <= PROBED
                    else self._along(page, whole, limits=limits)
                )
        return [], None

    def fits(self, page: Page, records: list[list[int]], *, limits: Limits) -> list[float]:
        """The share of the pattern's usual rows that each record has."""
        return self.pattern.lay(page.tree.kernel, records, limits).fits()

    def _along(
        self, page: Page, records: list[list[int]], *, limits: Limits
    ) -> tuple[list[list[int]], _kernel.Laid | None]:
        return records, self.pattern.lay(
            page.tree.kernel, records, limits
        ) if self.form.pattern else None

    def _siblings(self, page: Page, heads: Sequence[int], *, limits: Limits) -> list[list[int]]:
        """Records of several siblings: of all places where one could begin those that fit best,
        each up to the next.
        """
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
            fits = self.fits(page, [row[at : at + len(tops)] for at in starts], limits=limits)
            chosen: list[int] = []
            for number, at in enumerate(starts):
                rivals = [
                    fits[other]
                    for other in range(number + 1, len(starts))
                    if starts[other] < at + len(tops)
                ]
                if (
                    fits[number] >= self.form.fit
                    and fits[number] >= max(rivals, default=0.0)
                    and (not chosen or at > chosen[-1])
                ):
                    if chosen and at < chosen[-1] + len(tops) and fits[number] < LATER * max(fits):
                        continue
                    chosen.append(at)
            ends = [*chosen[1:], len(row)][: len(chosen)]
            records += [
                row[at : min(end, at + len(tops))] for at, end in zip(chosen, ends, strict=True)
            ]
        return records

    def _search(
        self, page: Page, laid: _kernel.Laid, free: set[int], slots: Slots, *, limits: Limits
    ) -> Slots:
        """The slots of a page with the columns that the pattern did not find and their anchors do,
        among the leaves that have no row.
        """
        filled = set(slots[1])
        missing = {
            number: anchors
            for number, anchors in self.column_anchors.items()
            if number not in filled
        }
        if not free or not missing:
            return slots
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
                    node = page.only_leaf(anchor, limits=limits)
                if node in free:
                    found[number] = node
                    free.discard(node)
                    break
        return _with_leaves(slots, found) if found else slots

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

    @cached_property
    def speaking(self) -> set[int]:
        """The columns whose texts all have a letter or digit: what has none (and no image) is no
        cell of theirs.
        """
        columns = enumerate(self.form.columns)
        return {
            number
            for number, column in columns
            if column.shapes and all(any(map(str.isalnum, known)) for known in column.shapes)
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
        """Ways to find a column's cell, compiled; a label as its text."""
        return {
            number: [
                anchor.removeprefix("label:") if anchor.startswith("label:") else compiled(anchor)
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
    def sorter(self) -> _kernel.PatternColumns:
        """Which row belongs to which column, as the kernel has it."""
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
    def heads(self) -> tuple[Column, ...]:
        """The columns of the tables."""
        return tuple(Column(column.name, column.type) for column in self.form.columns)


def _with_leaves(slots: Slots, found: dict[int, int]) -> Slots:
    """The slots of one record with more leaves, each in a column that was empty."""
    _, columns, ends, nodes = slots
    parts = {
        column: nodes[start:end]
        for column, start, end in zip(columns, [0, *ends], ends, strict=False)
    }
    parts |= {column: [node] for column, node in found.items()}
    order = sorted(parts)
    sizes = accumulate(len(parts[column]) for column in order)
    return (
        [0] * len(order),
        order,
        list(sizes),
        [node for column in order for node in parts[column]],
    )


def _without(slots: Slots, empty: set[int]) -> Slots:
    """The slots without some of them."""
    records, columns, ends, nodes = slots
    kept = [slot for slot in range(len(ends)) if slot not in empty]
    parts = [nodes[ends[slot - 1] if slot else 0 : ends[slot]] for slot in kept]
    return (
        [records[slot] for slot in kept],
        [columns[slot] for slot in kept],
        list(accumulate(map(len, parts))),
        [node for part in parts for node in part],
    )


def grouped(tree: Tree, heads: Sequence[int]) -> list[list[int]]:
    """Records of one element each; one inside another is no record."""
    found = list[list[int]]()
    for head in heads:
        if not found or tree.end(found[-1][0]) <= head:
            found.append([head])
    return found


def _indexes(
    tree: Tree, selector: Css | XPath, *, limits: Limits, scope: Node | None = None
) -> list[int]:
    from treelace.tree.select import Css

    at = scope or tree.document
    found = (
        at.select(selector, limits=limits)
        if isinstance(selector, Css)
        else at.select_xpath(selector, limits=limits)
    )
    return (
        [node.index for node in found if isinstance(node, Node)] if isinstance(found, list) else []
    )


class Page:
    """A page while wrappers read it: its tree, and its base address and language when asked for."""

    def __init__(self, tree: Tree, url: str = "") -> None:
        self.tree = tree
        self.url = url
        self._after: dict[str, int | None] | None = None

    @cached_property
    def base(self) -> str:
        """Against what addresses are resolved."""
        from urllib.parse import urljoin

        for node in self.tree.select("base[href]", limit=1):
            return urljoin(self.url, node.attribute("href") or "")
        return self.url

    @cached_property
    def language(self) -> str:
        """The language the page says it is in."""
        return next(
            (node.attribute("lang") or "" for node in self.tree.select(":root[lang]", limit=1)), ""
        )

    def address(self, relative: str) -> str:
        """An address, resolved."""
        from urllib.parse import urljoin

        if relative.startswith(("http://", "https://")):
            return relative.strip()
        try:
            return urljoin(self.base, relative.strip()) if self.base else relative.strip()
        except ValueError:
            return relative

    def leaves(self, root: int) -> list[int]:
        """The texts that are not blank and the images of a subtree."""
        tree = self.tree
        return [
            at
            for at in range(root, tree.end(root))
            if (tree.kind(at) == 2 and tree.own_text(at).strip())
            or (tree.kind(at) == 1 and tree.local_name(at) == "img")
        ]

    def words(self, node: int) -> str:
        """The words of a text."""
        return " ".join(self.tree.own_text(node).split())

    def link(self, node: int) -> str:
        """Where a link leads to, resolved."""
        return self.address(self.tree.attribute(node, "href") or "")

    def image(self, node: int) -> str:
        """Where an image is, resolved."""
        return self.address(
            self.tree.attribute(node, "src") or self.tree.attribute(node, "data-src") or ""
        )

    def read(
        self,
        slots: Slots,
        values: Callable[[int, Sequence[str]], Sequence[Value]],
        *,
        limits: Limits,
    ) -> ReadCells:
        """The cells of leaves."""
        return ReadCells(
            self, slots[0], slots[1], _kernel.leaf_cells(self.tree.kernel, slots, limits), values
        )

    def cell(self, nodes: list[int]) -> Cell:
        """The cell of these leaves."""
        return Cell.of(
            self.read(
                ([0], [0], [len(nodes)], nodes), lambda _, texts: texts, limits=DEFAULT_LIMITS
            ),
            0,
        )

    def only_leaf(self, selector: Css | XPath, *, limits: Limits) -> int | None:
        """The only text in the only element that a selector finds."""
        found = _indexes(self.tree, selector, limits=limits)
        return leaf_in(self.tree, found[0]) if len(found) == 1 else None

    def after_label(self, label: str, held: list[tuple[int, int]]) -> int | None:
        """The leaf just after the only text that is a label."""
        if self._after is None:
            leaves = [node for node, _ in held if self.tree.kind(node) == 2]
            texts = [" ".join(self.tree.own_text(node).split()) for node in leaves]
            self._after = {}
            for text, node in zip(texts, [*leaves[1:], None], strict=False):
                self._after[text] = None if text in self._after else node
        return self._after.get(label)

    def selected(
        self, selector: Css | XPath, roots: Sequence[int], *, limits: Limits
    ) -> Cell | None:
        """The cell that a selector written by hand finds in a record."""
        from treelace.tree.select import Css

        for root in roots:
            scope = self.tree.document if self.tree.depth(root) == 1 else self.tree[root]
            answer = (
                scope.select(selector, limit=1, limits=limits)
                if isinstance(selector, Css)
                else scope.select_xpath(selector, limits=limits)
            )
            if (
                isinstance(selector, Css)
                and not answer
                and self.tree.kind(root) == 1
                and scope is not self.tree.document
            ):
                answer = [scope] if scope.matches(selector) else []
            if isinstance(answer, (str, float, bool)):
                return Cell(str(answer), self.tree[root], (), str(answer))
            for found in answer:
                if isinstance(found, Node):
                    leaves = [
                        at
                        for at in range(found.index, self.tree.end(found.index))
                        if self.tree.kind(at) == 2 and self.tree.own_text(at).strip()
                    ]
                    if leaves:
                        return self.cell(leaves)
                    source = (
                        (
                            found.attribute("src")
                            or found.attribute("content")
                            or found.attribute("href")
                            or ""
                        )
                        if found.is_element
                        else found.text
                    )
                    text = (
                        self.address(source)
                        if found.is_element and found.attribute("content") is None
                        else source
                    )
                    return Cell(text, found, (), text)
                text = str(getattr(found, "value", found))
                return Cell(text, self.tree[root], (), text)
        return None

    def typed(
        self, rows: list[tuple[Cell | None, ...]], columns: Sequence[ColumnForm]
    ) -> tuple[tuple[Cell | None, ...], ...]:
        """The rows with values by the columns' types."""
        made = [list(row) for row in rows]
        for number, column in enumerate(columns):
            if type_named(column.type).keeps_text:
                continue
            filled = [
                (row, cell) for row, cells in enumerate(made) if (cell := cells[number]) is not None
            ]
            values = column_values(
                [cell.text for _, cell in filled], column.type, language=self.language
            )
            for (row, cell), value in zip(filled, values, strict=True):
                made[row][number] = cell.with_value(value)
        return tuple(map(tuple, made))
