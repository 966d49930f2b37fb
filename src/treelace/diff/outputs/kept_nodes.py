"""The nodes that a patch of others leaves alone: such formats know neither moves nor renames, so
that nodes that moved or changed their name are removed and added.
"""

from __future__ import annotations

from typing import NamedTuple

from treelace.diff.delta import Delta
from treelace.diff.operations import Move
from treelace.tree import Tree


class KeptNodes(NamedTuple):
    """Nodes with the same name, parent and order: new index of each old one, and the reverse."""

    new_of: dict[int, int]
    old_of: dict[int, int]


def kept_nodes(
    delta: Delta, old: Tree, new: Tree, *, breaks: frozenset[int] = frozenset()
) -> KeptNodes:
    """The pairs that need no move and no rename: matched, under kept parents, named by no move.

    Old nodes in `breaks` are not kept.
    """
    old_index = {xid: index for index, xid in enumerate(delta.old_xids(old).of.tolist())}
    moved = {
        old_index[xid]
        for operation in delta.operations
        if isinstance(operation, Move)
        for xid in operation.xids
    }
    old_of_new = [old_index.get(xid, -1) for xid in delta.new_xids(new).of.tolist()]
    parents, old_parents = new.parents.tolist(), old.parents.tolist()
    new_of = {0: 0}
    for number in range(1, len(new)):
        node = old_of_new[number]
        if (
            node < 0
            or node in moved
            or node in breaks
            or new_of.get(old_parents[node]) != parents[number]
        ):
            continue
        was, now = old[node], new[number]
        if was.name == now.name and was.is_reference == now.is_reference:
            new_of[node] = number
    return KeptNodes(new_of, {number: node for node, number in new_of.items()})
