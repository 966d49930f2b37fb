"""Patterns: what pages or records have in common, row by row, and records laid along it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from treelace import _kernel
from treelace.wrappers.apply.page import leaf_text
from treelace.wrappers.apply.region_reader import NO_ROW, RegionReader
from treelace.wrappers.model.form import RowForm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.model.form import RegionForm


class Part(NamedTuple):
    """A page or a record: its tree, its top nodes, and the column (from 1) of leaves that are known
    to have one.
    """

    tree: Tree
    roots: list[int]
    column_of_leaf: Mapping[int, int]


class LearntPattern(NamedTuple):
    """A pattern, and for each record that was laid along it its rows with text and node."""

    rows: tuple[RowForm, ...]
    records: list[dict[int, tuple[str, int]]]


def learn_pattern(parts: Sequence[Part], *, limits: Limits) -> LearntPattern:
    """The pattern that pages or records have in common."""
    pattern, aligned = _kernel.learn_pattern(
        [(part.tree.kernel, part.roots, dict(part.column_of_leaf)) for part in parts], limits
    )
    rows = tuple(
        RowForm(depth, tag, tuple(keys), wrap, text, seen, fixed, tuple(shapes))
        for depth, tag, keys, wrap, text, seen, fixed, shapes in pattern.rows()
    )
    records = [
        _values(part.tree, placed_rows(nodes, numbers))
        for part, (nodes, numbers, _, _) in zip(parts, aligned, strict=True)
    ]
    return LearntPattern(rows, records)


def lay_along(region: RegionForm, parts: Sequence[Part], *, limits: Limits) -> LearntPattern:
    """Pages or records laid along the pattern of a region that is there already."""
    pattern = RegionReader(region).pattern
    records = []
    for part in parts:
        nodes, numbers, _, _ = pattern.align(part.tree.kernel, [part.roots], limits)[0]
        records.append(_values(part.tree, placed_rows(nodes, numbers)))
    return LearntPattern(region.pattern, records)


def placed_rows(
    nodes: NDArray[np.uint32], numbers: NDArray[np.uint32]
) -> Iterable[tuple[int, int]]:
    """The nodes of a record that have a row, each with its row, as the kernel aligned them."""
    return (
        (node, row)
        for node, row in zip(nodes.tolist(), numbers.tolist(), strict=True)
        if row != NO_ROW
    )


def _values(tree: Tree, placed: Iterable[tuple[int, int]]) -> dict[int, tuple[str, int]]:
    return {row: (leaf_text(tree, node), node) for node, row in placed}
