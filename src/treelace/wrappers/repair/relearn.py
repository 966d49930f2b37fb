"""The wrapper of a repair: learnt from the table it read, proved by rereading the page.

The rows of that table and the leaves of their cells are known, so learning is supervised: each
record is laid along the others with its columns given, and a row of the pattern gets the column
that the leaves laid along it have *when the pattern is applied*, without that knowledge. Rows that
take leaves of two columns get none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from treelace.extract import Table
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.records import path_of
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.anchors import element_selectors
from treelace.wrappers.learn.lists import KnownRecords, learn_region, with_fits
from treelace.wrappers.learn.pattern import is_leaf, placed_rows
from treelace.wrappers.model.form import RegionForm
from treelace.wrappers.repair.field_columns import RowVotes

MAX_ADDED_SELECTORS = 4
"""Selectors that may be added to an anchor."""

MAX_ROUNDS = 3
"""How often rows are given columns: a row that loses its own may free a leaf for another."""


def relearn_region(
    page: Page,
    old: RegionForm,
    table: Table,
    kept: Sequence[int],
    *,
    pattern: RegionForm | None = None,
) -> RegionForm:
    """The region of a table that a repair read: its records, and leaves of the kept columns.

    `pattern` is a region whose pattern is taken instead of one learnt from the records.
    """
    tree = page.tree
    roots = [[node.index for node in nodes] for nodes in table.records]
    column_of_leaf = [
        {
            item.node.index: number
            for number, column in enumerate(kept, 1)
            if (cell := row[column]) is not None
            for item in cell.items
            if item.kind != "link" and any(top <= item.node.index < tree.end(top) for top in tops)
        }
        for row, tops in zip(table.cells, roots, strict=True)
    ]
    known = KnownRecords(
        tree,
        roots,
        column_of_leaf,
        [
            [cell.text if (cell := row[column]) is not None else None for column in kept]
            for row in table.cells
        ],
        [old.columns[column].name for column in kept],
        [old.columns[column].type for column in kept],
    )
    made = learn_region(known, confidence=old.confidence, limits=page.limits, is_noisy=True)
    if pattern is not None:
        made = replace(made, pattern=pattern.pattern, pages=pattern.pages, fit=pattern.fit)
        made = with_fits(tree, made, roots, limits=page.limits)
    made = _with_all_heads(page, made, roots)
    leaves = _KnownLeaves(column_of_leaf)
    for _ in range(MAX_ROUNDS):
        settled = _with_settled_columns(page, made, leaves)
        if settled == made:
            break
        made = settled
    return _with_paths(page, made, leaves)


class _KnownLeaves:
    """Which column (from 1) leaves are, and which columns their records have."""

    def __init__(self, column_of_leaf: Sequence[dict[int, int]]) -> None:
        self.column_of = {leaf: column for held in column_of_leaf for leaf, column in held.items()}
        self._record_of = {
            leaf: record for record, held in enumerate(column_of_leaf) for leaf in held
        }
        self._columns = [set(held.values()) for held in column_of_leaf]

    def columns_of_record(self, leaves: Iterable[int]) -> set[int]:
        """The columns of the record that most of these leaves belong to."""
        owners = Counter(self._record_of[leaf] for leaf in leaves if leaf in self._record_of)
        return self._columns[owners.most_common(1)[0][0]] if owners else set()


def _with_all_heads(page: Page, region: RegionForm, roots: Sequence[Sequence[int]]) -> RegionForm:
    """The region with a first anchor that finds more: what the records are called that it misses,
    where nothing that fits is called so too.
    """
    if len(region.tops) > 1 or not region.anchors:
        return region
    tree = page.tree
    tops = {root for own in roots for root in own}
    for _ in range(MAX_ADDED_SELECTORS):
        reader = RegionReader(region)
        found = {root for record in reader.records(page) for root in record}
        missed = [
            own[0]
            for own in roots
            if len(own) == 1 and tree.kind(own[0]) == 1 and not _overlaps(tree, own[0], found)
        ]
        added = next(
            (
                selector
                for head in missed
                for selector in element_selectors(tree, head)
                if _is_clean(page, reader, selector, tops, found)
            ),
            None,
        )
        if added is None:
            break
        region = replace(region, anchors=(f"{region.anchors[0]}, {added}", *region.anchors[1:]))
    return region


def _overlaps(tree: Tree, node: int, others: set[int]) -> bool:
    return any(
        other <= node < tree.end(other) or node <= other < tree.end(node) for other in others
    )


def _is_clean(
    page: Page, reader: RegionReader, selector: str, tops: set[int], found: set[int]
) -> bool:
    """Whether nothing that a selector finds beside records would be taken for one."""
    others = [
        [node.index]
        for node in page.tree.select(selector)
        if not _overlaps(page.tree, node.index, tops | found)
    ]
    return not any(fit >= reader.form.fit for fit in reader.fits(page, others)) if others else True


def _with_settled_columns(page: Page, region: RegionForm, leaves: _KnownLeaves) -> RegionForm:
    """The region with the columns that its rows' leaves have on the page."""
    reader = RegionReader(region)
    votes = RowVotes()
    records = reader.records(page)
    for nodes, rows, _, _ in reader.pattern.align(page.tree.kernel, records, page.limits):
        placed = list(placed_rows(nodes, rows))
        given = leaves.columns_of_record(node for node, _ in placed)
        for node, row in placed:
            if is_leaf(region.pattern[row]):
                votes.add(row, leaves.column_of.get(node), given)
    columns = votes.elected()
    names = ["", *(column.name for column in region.columns)]
    pattern = tuple(
        replace(row, column=names[columns.get(number, 0)]) if is_leaf(row) else row
        for number, row in enumerate(region.pattern)
    )
    return replace(region, pattern=pattern)


def _with_paths(page: Page, region: RegionForm, leaves: _KnownLeaves) -> RegionForm:
    """The region with the paths of leaves that it reads otherwise than they are known to be, where
    all leaves with the path agree; and of those that it reads and that nothing speaks for.
    """
    table = RegionReader(region).read(page).table
    votes: dict[str, Counter[int]] = {}
    wrong, unproved = set[str](), set[str]()
    for nodes, row in zip(table.records, table.cells, strict=True):
        roots = [node.index for node in nodes]
        read_as = {
            item.node.index: number
            for number, cell in enumerate(row, 1)
            if cell is not None
            for item in cell.items
            if item.kind != "link"
        }
        inside = [leaf for root in roots for leaf in page.leaves_in(root)]
        given = leaves.columns_of_record(inside)
        for leaf in inside:
            path = path_of(page.tree, roots, leaf)
            read, known = read_as.get(leaf, 0), leaves.column_of.get(leaf, 0)
            if known or (read and read in given):
                votes.setdefault(path, Counter())[known] += 1
                if read != known:
                    wrong.add(path)
            elif read:
                unproved.add(path)
    paths = {}
    for path in sorted(wrong | unproved):
        known_votes = votes.get(path, Counter({0: 1}))
        column, count = known_votes.most_common(1)[0]
        if count == known_votes.total() and (path in wrong or column == 0):
            paths[path] = region.columns[column - 1].name if column else ""
    return replace(region, paths=paths)
