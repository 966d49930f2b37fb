"""What a three-way merge works on and gives: versions seen from their base, conflicts, a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from treelace.diff.delta import Delta
from treelace.diff.operations import Move
from treelace.tree import Kind, Name, Tree

REFERENCE = 6
"""Kind of a text that stands for an entity, beside those of `Kind`."""
MOST_CHARACTERS = 80
"""Characters of a node in a conflict."""

Row = tuple[int, int, tuple[str, str, str], str, list[tuple[tuple[str, str, str], str]], int]
"""A node as the kernel takes it: kind, depth, name, text, attributes, line."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place that both versions changed differently; the merged document has the left's.

    `kind` is `text`, `name`, `attribute`, `place` (both moved it), `deleted` (one deleted what the
    other changed; it stays), `order` (both changed which child comes after which), or `inserted`
    (both put something at one place; the left one's comes first).
    """

    kind: str
    path: str
    base: str | None
    left: str | None
    right: str | None

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.kind}: base {self.base!r}, left {self.left!r}, right"
            f" {self.right!r}"
        )


@dataclass(frozen=True, slots=True, repr=False)
class Merged:
    """The merged document, and where the two versions did not agree."""

    tree: Tree
    conflicts: tuple[Conflict, ...]

    def __repr__(self) -> str:
        return (
            f"<Merged: {len(self.tree):,} nodes, {len(self.conflicts) or 'no'}"
            f" conflict{'s' if len(self.conflicts) != 1 else ''}>"
        )


class NodeValues(NamedTuple):
    """A node by itself."""

    kind: int
    name: Name
    text: str
    attributes: dict[Name, str]


Key = tuple[int, int]
"""A node of the merged document: (0, base index), or new: (1, left index), (2, right index)."""
ROOT: Key = (0, 0)


class Version:
    """One changed version, seen from the base."""

    def __init__(self, base: Tree, tree: Tree, delta: Delta) -> None:
        self.tree = tree
        old = delta.old_xids(base).of.tolist()
        index = {xid: node for node, xid in enumerate(old)}
        new = delta.new_xids(tree).of.tolist()
        self.base_of = [index.get(xid, -1) for xid in new]
        self.new_of = {node: number for number, node in enumerate(self.base_of) if node >= 0}
        moved = {
            xid
            for operation in delta.operations
            if isinstance(operation, Move)
            for xid in operation.xids
        }
        self.moved = {index[xid] for xid in moved}
        parents = tree.parents.tolist()
        base_parents = base.parents.tolist()
        # base nodes below which something came or went
        self.touched = {base_parents[node] for node in self.moved}
        self.grown: set[int] = set()
        for number, node in enumerate(self.base_of):
            parent = self.base_of[parents[number]] if number else -1
            if number and parent >= 0 and (node < 0 or node in self.moved):
                self.touched.add(parent)
                self.grown.add(parent)

    def key(self, side: int, number: int) -> Key:
        """The node with this index, which is version number `side`."""
        node = self.base_of[number]
        return (0, node) if node >= 0 else (side, number)


def values_of(tree: Tree, index: int) -> NodeValues:
    """A node of a document by itself."""
    kind = tree.kind(index)
    attributes = {
        Name(prefix, uri, local): value for prefix, uri, local, value in tree.attribute_rows(index)
    }
    if kind == Kind.TEXT and tree[index].is_reference:
        kind = REFERENCE
    return NodeValues(kind, tree[index].name, tree.own_text(index), attributes)


def brief(tree: Tree, index: int) -> str:
    """A node in a few words, for people."""
    node = tree[index]
    words = (
        node.text
        if node.kind != Kind.ELEMENT
        else f"<{node.name.local}> {node.text.strip()}".strip()
    )
    return words if len(words) <= MOST_CHARACTERS else words[: MOST_CHARACTERS - 1] + "…"
