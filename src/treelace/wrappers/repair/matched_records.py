"""What is known of old records: their texts, and where they went on the new page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treelace.errors import WrapperError
from treelace.matching import match
from treelace.wrappers.apply.record_roots import tops_of
from treelace.wrappers.apply.region_reader import Page, Reader

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.matching import Matching
    from treelace.tree import Tree
    from treelace.wrappers.model.form import RegionForm

SURE = 0.5
"""Confidence from which on a pair of leaves votes."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of the old records: each with its texts by column, and where it went: top nodes
    and leaves (node to column) on the new page.
    """

    records: list[dict[int, str]]
    links: list[dict[int, bool]]
    tops: list[list[int]]
    leaves: list[dict[int, int]]
    labels: dict[int, tuple[int, str]]
    """Of a page's record: the leaf of the new page that a fixed row of the old pattern is now, with
    its text.
    """
    expected: int
    """How many records there were."""
    confidence: dict[int, float] = field(default_factory=dict)
    """How sure the matcher is of a leaf."""
    became: dict[int, int] = field(default_factory=dict)
    """What each node of the old page is on the new one, as far as the matcher is sure."""


def matching_of(old: Tree, new: Tree, *, limits: Limits) -> Matching:
    """Which node is which, by the `lace` matcher."""
    return match(old, new, matcher="lace", limits=limits)


def seen_by_matching(
    region: RegionForm,
    old: Tree,
    new: Tree,
    *,
    limits: Limits,
    matching: Matching | None = None,
    around_it: RegionForm | None = None,
) -> Seen:
    """The records that a region's wrapper finds on the old page, and where the `lace` matcher says
    they are on the new one.

    `around_it` is the region of the page's own record, for a table inside it; such a table may be
    empty.
    """
    page = Page(old)
    outer = Reader(around_it).table(page, None, limits=limits)[1] if around_it is not None else None
    table, nodes_of = Reader(region).table(page, outer, limits=limits)
    if around_it is None and not any(any(row) for row in table.cells):
        raise WrapperError(
            "the wrapper finds nothing on the old page: a repair starts from a page that it reads"
        )
    matching = matching_of(old, new, limits=limits) if matching is None else matching
    sure = {
        int(o): int(n)
        for o, n, c in zip(matching.old, matching.new, matching.confidence, strict=True)
        if c >= SURE
    }
    confidence = {int(n): float(c) for n, c in zip(matching.new, matching.confidence, strict=True)}
    leaves = [
        {
            sure[item.node.index]: column
            for column, cell in enumerate(row)
            if cell
            for item in cell.items
            if item.kind != "link" and item.node.index in sure
        }
        for row in table.cells
    ]
    records = [
        {column: cell.text for column, cell in enumerate(row) if cell} for row in table.cells
    ]
    links = [
        {column: cell.link is not None for column, cell in enumerate(row) if cell}
        for row in table.cells
    ]
    labels = {
        sure[node]: (row, region.pattern[row].text)
        for row, node in nodes_of.items()
        if region.pattern[row].fixed and node in sure
    }
    if region.kind == "page":
        return Seen(records, links, [tops_of(new)], leaves, labels, 1, confidence, sure)
    owners = sorted((leaf, record) for record, held in enumerate(leaves) for leaf in held)
    tops, taken = [], set[int]()
    for record, roots in enumerate(table.records):
        found = [sure[root.index] for root in roots if root.index in sure]
        inside = [
            leaf for leaf in leaves[record] if any(top <= leaf < new.end(top) for top in found)
        ]
        if 2 * len(inside) < len(leaves[record]) or (not found and leaves[record]):
            found = _tops(new, record, sorted(leaves[record]), owners)
        found = [top for top in sorted(found) if top not in taken]
        taken.update(found)
        tops.append(found)
    return Seen(records, links, tops, leaves, labels, len(records), confidence, sure)


def _tops(new: Tree, record: int, leaves: list[int], owners: list[tuple[int, int]]) -> list[int]:
    """The top nodes of a record: the element around its leaves, or the pieces that it fell into
    where those hold more of them.
    """
    whole, parts = (
        around(new, record, leaves, owners),
        pieces(new, record, leaves, owners) if leaves else [],
    )

    def held(tops: list[int]) -> int:
        return sum(any(top <= leaf < new.end(top) for top in tops) for leaf in leaves)

    return parts if len(parts) > 1 and held(parts) > held(whole) else whole


def around(new: Tree, record: int, leaves: list[int], owners: list[tuple[int, int]]) -> list[int]:
    """The largest element around the leaves of a record that holds none of another record; nothing
    where there is none.
    """
    best = None
    above = new.parent(leaves[0]) if leaves else None
    while above:
        held = owners[bisect_left(owners, (above, -1)) : bisect_left(owners, (new.end(above), -1))]
        if any(other != record for _, other in held):
            break
        best = above
        above = new.parent(above)
    return [] if best is None or new.depth(best) < 2 else [best]


def pieces(new: Tree, record: int, leaves: list[int], owners: list[tuple[int, int]]) -> list[int]:
    """What is left of a record that lost its element: the largest parts around its leaves that hold
    none of another record, of those that are siblings the most.
    """
    tops = sorted({next(iter(around(new, record, [leaf], owners)), leaf) for leaf in leaves})
    parents = Counter(new.parent(top) for top in tops)
    most = max(parents, key=lambda parent: (parents[parent], -(parent or 0)))
    tops = [top for top in tops if new.parent(top) == most]
    return tops if most and new.depth(most) >= 1 else []


def masked(text: str) -> str:
    """A text with its digits made alike, for values that change every day."""
    return re.sub(r"\d", "0", " ".join(text.split()))
