"""Records that the anchors miss, found among the siblings of those that they find.

One record of a list may have another class, a box around it, or have lost its own element, so that
its parts stand among the other records. What lies between two records is laid along the pattern:
each sibling alone, then what is left of a gap together. It is a record if it fits at least as well
as the region asks for (`strays` in the file), which is learnt: better than anything that stood
among the records and was none.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treelace.tree import Tree

MAX_SIBLINGS_PER_RECORD = 12
"""Siblings that may together be a record that lost its element."""

MIN_RECORDS_PER_PARENT = 2
"""Records that a parent must hold for its other children to be looked at."""


def with_missed_records(
    tree: Tree,
    records: Sequence[Sequence[int]],
    min_fit: float,
    fits: Callable[[list[list[int]]], list[float]],
) -> list[list[int]]:
    """The records with those that were missed, in document order; `fits` says how well each
    candidate fits the pattern.
    """
    return sorted(
        [*map(list, records), *(roots for roots, _ in missed_records(tree, records, min_fit, fits))]
    )


def missed_records(
    tree: Tree,
    records: Sequence[Sequence[int]],
    min_fit: float,
    fits: Callable[[list[list[int]]], list[float]],
) -> list[tuple[list[int], float]]:
    """Candidates between records that fit at least so well, with their fits."""
    gaps = _gaps(tree, records)
    alone = [[node] for gap in gaps for node in gap if tree.kind(node) == 1]
    found = (
        [(roots, fit) for roots, fit in zip(alone, fits(alone), strict=True) if fit >= min_fit]
        if alone
        else []
    )
    taken = {roots[0] for roots, _ in found}
    together = []
    for gap in gaps:
        run: list[int] = []
        for node in [*gap, -1]:
            if node != -1 and node not in taken:
                run.append(node)
            else:
                if 2 <= len(run) <= MAX_SIBLINGS_PER_RECORD:
                    together.append(run)
                run = []
    return found + (
        [
            (roots, fit)
            for roots, fit in zip(together, fits(together), strict=True)
            if fit >= min_fit
        ]
        if together
        else []
    )


def _gaps(tree: Tree, records: Sequence[Sequence[int]]) -> list[list[int]]:
    """The visible children of parents of records that are in none, those between two records
    together.
    """
    tops = {root for record in records for root in record}
    order = sorted(tops)
    count: dict[int, int] = {}
    for record in records:
        parent = tree.parent(record[0])
        if parent:
            count[parent] = count.get(parent, 0) + 1
    gaps = []
    for parent, number in count.items():
        if number < MIN_RECORDS_PER_PARENT:
            continue
        gap: list[int] = []
        for child in tree.children(parent):
            if child in tops:
                if gap:
                    gaps.append(gap)
                gap = []
            elif (tree.kind(child) == 2 and tree.own_text(child).strip()) or (
                tree.kind(child) == 1 and not _holds(order, child, tree.end(child))
            ):
                gap.append(child)
        if gap:
            gaps.append(gap)
    return gaps


def _holds(tops: list[int], start: int, end: int) -> bool:
    first = bisect_left(tops, start)
    return first < len(tops) and tops[first] < end
