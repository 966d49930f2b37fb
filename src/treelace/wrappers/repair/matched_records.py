"""Old records on the new page: where the matcher says that each of their leaves went."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from treelace.errors import WrapperError
from treelace.extract import Table
from treelace.limits import Limits
from treelace.matching import Matching
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.records import page_roots
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.model.form import RegionForm

MIN_MATCH_CONFIDENCE = 0.5
"""Confidence from which on a pair of nodes counts."""


@dataclass(frozen=True, slots=True)
class MatchedRecords:
    """The old page's records, and what is known of them on the new page; one entry per record."""

    texts: list[dict[int, str]]
    """The old texts by column."""
    links: list[dict[int, bool]]
    """Whether the old cells were links, by column."""
    roots: list[list[int]]
    """The top nodes on the new page."""
    column_of_leaf: list[dict[int, int]]
    """The column that leaves of the new page were."""
    labels: dict[int, str] = field(default_factory=dict)
    """Of a page's record: the text that a leaf of the new page had, where it was fixed."""
    confidence: dict[int, float] = field(default_factory=dict)
    """How sure the matcher is of a leaf of the new page."""
    new_node_of: dict[int, int] = field(default_factory=dict)
    """What each node of the old page is on the new one, as far as the matcher is sure."""


def match_records(
    region: RegionForm,
    old: Tree,
    new: Tree,
    matching: Matching,
    *,
    around: RegionForm | None = None,
    limits: Limits,
) -> MatchedRecords:
    """The records of a region on the old page, and where a matching puts them on the new one.

    `around` is the region of the page's own record, for a table inside it; such a table may be
    empty.
    """
    page = Page(old, limits=limits)
    outer = None if around is None else RegionReader(around).read(page).node_of_row
    table, node_of_row = RegionReader(region).read(page, outer)
    if around is None and not any(any(row) for row in table.cells):
        raise WrapperError(
            "the wrapper finds nothing on the old page: a repair starts from a page that it reads"
        )
    pairs = list(
        zip(matching.old.tolist(), matching.new.tolist(), matching.confidence.tolist(), strict=True)
    )
    new_node_of = {before: now for before, now, sure in pairs if sure >= MIN_MATCH_CONFIDENCE}
    column_of_leaf = [
        {
            new_node_of[item.node.index]: column
            for column, cell in enumerate(row)
            if cell
            for item in cell.items
            if item.kind != "link" and item.node.index in new_node_of
        }
        for row in table.cells
    ]
    labels = {
        new_node_of[node]: region.pattern[row].text
        for row, node in node_of_row.items()
        if region.pattern[row].fixed and node in new_node_of
    }
    return MatchedRecords(
        [{column: cell.text for column, cell in enumerate(row) if cell} for row in table.cells],
        [
            {column: cell.link is not None for column, cell in enumerate(row) if cell}
            for row in table.cells
        ],
        [page_roots(new)]
        if region.kind == "page"
        else _new_roots(table, new, new_node_of, column_of_leaf),
        column_of_leaf,
        labels,
        {now: sure for _, now, sure in pairs},
        new_node_of,
    )


def _new_roots(
    table: Table, new: Tree, new_node_of: dict[int, int], column_of_leaf: Sequence[dict[int, int]]
) -> list[list[int]]:
    """The top nodes of each record on the new page: what its old ones became, or, where those hold
    less than half of its leaves, what holds the leaves; no node is in two records.
    """
    owners = owners_of(column_of_leaf)
    made, taken = [], set[int]()
    for record, nodes in enumerate(table.records):
        leaves = sorted(column_of_leaf[record])
        roots = [new_node_of[node.index] for node in nodes if node.index in new_node_of]
        if 2 * _held(new, roots, leaves) < len(leaves) or (not roots and leaves):
            roots = _roots_around(new, record, leaves, owners)
        roots = [root for root in sorted(roots) if root not in taken]
        taken.update(roots)
        made.append(roots)
    return made


def owners_of(column_of_leaf: Sequence[dict[int, int]]) -> list[tuple[int, int]]:
    """The leaves of all records, each with the number of its record, in document order."""
    return sorted((leaf, record) for record, held in enumerate(column_of_leaf) for leaf in held)


def _held(new: Tree, roots: Sequence[int], leaves: Sequence[int]) -> int:
    """How many leaves stand below some nodes."""
    return sum(any(root <= leaf < new.end(root) for root in roots) for leaf in leaves)


def _roots_around(
    new: Tree, record: int, leaves: list[int], owners: list[tuple[int, int]]
) -> list[int]:
    """The element around a record's leaves, or its pieces where those hold more of the leaves."""
    whole = _element_around(new, record, leaves, owners)
    pieces = pieces_of_record(new, record, leaves, owners) if leaves else []
    is_in_pieces = len(pieces) > 1 and _held(new, pieces, leaves) > _held(new, whole, leaves)
    return pieces if is_in_pieces else whole


def _element_around(
    new: Tree, record: int, leaves: list[int], owners: list[tuple[int, int]]
) -> list[int]:
    """The largest element around a record's first leaf that holds no other record's; else none."""
    best = None
    above = new.parent(leaves[0]) if leaves else None
    while above:
        inside = owners[
            bisect_left(owners, (above, -1)) : bisect_left(owners, (new.end(above), -1))
        ]
        if any(other != record for _, other in inside):
            break
        best = above
        above = new.parent(above)
    return [] if best is None or new.depth(best) < 2 else [best]


def pieces_of_record(
    new: Tree, record: int, leaves: list[int], owners: list[tuple[int, int]]
) -> list[int]:
    """What is left of a record that lost its element: the largest parts around its leaves that hold
    none of another record; of those the siblings that are most.
    """
    roots = sorted(
        {next(iter(_element_around(new, record, [leaf], owners)), leaf) for leaf in leaves}
    )
    parents = Counter(new.parent(root) for root in roots)
    most = max(parents, key=lambda parent: (parents[parent], -(parent or 0)))
    roots = [root for root in roots if new.parent(root) == most]
    return roots if most and new.depth(most) >= 1 else []
