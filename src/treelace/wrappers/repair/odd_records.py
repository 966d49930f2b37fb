"""Records of a repaired list that its new wrapper reads otherwise than the repair did.

The wrapper that a repair leaves behind reads by what most records have in common; the repair knew
each record by its past. Where one is built unlike the others, what the repair proved of it is kept
with the region (`apply/odd_records`), so that the wrapper reads the page as the repair did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from treelace.extract import Cell, Table
from treelace.wrappers.apply.odd_records import build_of, visible_children
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.records import MAX_SIBLINGS_PER_RECORD, path_of
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.model.form import RegionForm

MAX_ODD_RECORDS = 40
"""Ways to be built that are kept of a list's records."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A record of the repair's table: its siblings, and the column (from 1) of its leaves."""

    build: str
    roots: list[int]
    column_of_leaf: dict[int, int]
    is_new: bool


def with_odd(page: Page, region: RegionForm, table: Table, are_new: Sequence[bool]) -> RegionForm:
    """The region with the records of the table that it reads otherwise and that are built unlike
    the others; `are_new` says of which records nothing but the pattern is known.
    """
    records = _records(page, table, are_new)
    read_as, read_in = _read(RegionReader(region).read(page).table)
    paths = [
        {
            leaf: path_of(page.tree, record.roots, leaf)
            for root in record.roots
            for leaf in page.leaves_in(root)
        }
        for record in records
    ]
    proved = {
        (paths[number][leaf], column)
        for number, record in enumerate(records)
        for leaf, column in record.column_of_leaf.items()
        if leaf in paths[number]
    }
    shown_by = Counter(path for inside in paths for path in set(inside.values()))
    votes: dict[str, dict[str, Counter[int]]] = {}
    wrong: dict[str, None] = {}
    for record, inside in zip(records, paths, strict=True):
        places = votes.setdefault(record.build, {})
        given = set(record.column_of_leaf.values())
        is_read = len({read_in.get(leaf) for leaf in record.column_of_leaf}) == 1
        is_odd = any(shown_by[path] == 1 for path in inside.values())
        for leaf, path in inside.items():
            read, known = read_as.get(leaf, 0), record.column_of_leaf.get(leaf, 0)
            is_unproved = not record.is_new and (is_odd or (path, read) not in proved)
            if known or (read and (read in given or is_unproved)):
                places.setdefault(path, Counter())[known] += 1
                is_read = is_read and read == known
        if not is_read:
            wrong[record.build] = None
    names = ["", *(column.name for column in region.columns)]
    odd = {build: _agreed(votes[build], names) for build in wrong}
    kept = [(build, places) for build, places in odd.items() if any(places.values())]
    return replace(region, odd=dict(kept[:MAX_ODD_RECORDS]))


def _agreed(places: Mapping[str, Counter[int]], names: Sequence[str]) -> dict[str, str]:
    """The column of each place that all records which are built so agree on."""
    return {
        path: names[next(iter(count))] for path, count in sorted(places.items()) if len(count) == 1
    }


def _records(page: Page, table: Table, are_new: Sequence[bool]) -> list[_Record]:
    """The records that are siblings, one after the other, and no part of another."""
    tree = page.tree
    owner = {node.index: number for number, nodes in enumerate(table.records) for node in nodes}
    made = []
    for number, (nodes, row) in enumerate(zip(table.records, table.cells, strict=True)):
        roots = sorted(node.index for node in nodes)
        parents = {tree.parent(root) for root in roots}
        parent = next(iter(parents))
        if len(parents) > 1 or parent is None:
            continue
        run = [node for node in visible_children(tree, parent) if roots[0] <= node <= roots[-1]]
        is_own = all(owner.get(node, number) == number for node in run)
        if is_own and len(run) <= MAX_SIBLINGS_PER_RECORD:
            columns = _columns(row)
            inside = {
                leaf: column
                for leaf, column in columns.items()
                if any(root <= leaf < tree.end(root) for root in run)
            }
            made.append(_Record(build_of(tree, run), run, inside, are_new[number]))
    return made


def _read(table: Table) -> tuple[dict[int, int], dict[int, int]]:
    """The column (from 1) and the record of each leaf of a table."""
    rows = [_columns(row) for row in table.cells]
    read_as = {leaf: column for row in rows for leaf, column in row.items()}
    return read_as, {leaf: number for number, row in enumerate(rows) for leaf in row}


def _columns(row: Sequence[Cell | None]) -> dict[int, int]:
    return {
        item.node.index: number
        for number, cell in enumerate(row, 1)
        if cell is not None
        for item in cell.items
        if item.kind != "link"
    }
