"""Delta: a set of operations that turns one tree into another, and back.

The first, plainest delta: delete, insert, update, attribute. Positions are child positions from 1; those of `Delete` are in
the old tree, those of `Insert` in the new one. A node is named by its XID: its position in post-order from 1, the document 0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace import _kernel
from treelace.errors import DeltaError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Kind, Name, Tree

if TYPE_CHECKING:
    from treelace.tree import Node

# a node by itself: kind, name, text, attributes
Content = tuple[Kind, Name, str, tuple[tuple[Name, str], ...]]
# a subtree in document order: level from 0, node
Subtree = tuple[tuple[int, Content], ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """A subtree went away."""

    xid: int
    parent: int
    at: int
    content: Subtree


@dataclass(frozen=True, slots=True)
class Insert:
    """A subtree came in."""

    parent: int
    at: int
    content: Subtree


@dataclass(frozen=True, slots=True)
class Update:
    """A text, comment or instruction changed."""

    xid: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute changed; None where it was not there, or is not there any more."""

    xid: int
    name: Name
    old: str | None
    new: str | None


Operation = Delete | Insert | Update | Attribute


@dataclass(frozen=True, slots=True)
class Delta:
    """What turns the tree with digest `old` into the tree with digest `new`.

    >>> from treelace import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<p>tea: 3</p>"), parse("<p>tea: 4</p>")
    >>> delta = diff(old, new)
    >>> delta
    <Delta: 1 update>
    >>> delta.apply(old).root.text
    'tea: 4'
    """

    old: bytes
    new: bytes
    operations: tuple[Operation, ...]

    def apply(self, tree: Tree, *, limits: Limits = DEFAULT_LIMITS) -> Tree:
        """The new tree; `DeltaError` if `tree` is not the one this delta was made for."""
        if (found := digest(tree)) != self.old:
            raise DeltaError(f"this delta is for the document {self.old.hex()}, not for {found.hex()}")
        made = _Editable(tree).apply(self.operations, limits)
        if digest(made) != self.new:
            raise DeltaError("this delta is damaged: what it makes is not what it was made from")
        return made

    def __bool__(self) -> bool:
        return bool(self.operations)

    def __repr__(self) -> str:
        counts = Counter(type(operation).__name__.lower() for operation in self.operations)
        words = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in sorted(counts.items())]
        return f"<Delta: {', '.join(words) or 'no change'}>"


def digest(tree: Tree) -> bytes:
    """The digest of a whole document."""
    return bytes.fromhex(tree.digest)


def content_of(node: Node) -> Content:
    """A node by itself."""
    rows = node.tree._core.attributes(node.index)
    own = "" if node.kind in (Kind.ELEMENT, Kind.DOCUMENT) else node.tree._core.text(node.index)
    return (node.kind, node.name, own, tuple((Name(prefix, uri, local), value) for prefix, uri, local, value in rows))


def subtree_of(node: Node) -> Subtree:
    """A node with everything below it."""
    return tuple((inner.depth - node.depth, content_of(inner)) for inner in [node, *node.descendants])


class _Editable:
    """A tree taken apart: contents and lists of children, by number."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.content = [content_of(node) for node in tree]
        self.children = [[child.index for child in node.children] for node in tree]
        order = post_order(tree)
        self.index_of_xid = dict(enumerate(order, start=1)) | {0: 0}

    def apply(self, operations: tuple[Operation, ...], limits: Limits) -> Tree:
        gone: set[int] = set()
        coming: dict[int, list[Insert]] = {}
        for operation in operations:
            index = self._index(operation.parent if isinstance(operation, Insert) else operation.xid)
            kind, name, text, attributes = self.content[index]
            if isinstance(operation, Insert):
                coming.setdefault(index, []).append(operation)
            elif isinstance(operation, Delete):
                gone.add(index)
            elif isinstance(operation, Update):
                self.content[index] = (kind, name, operation.new, attributes)
            else:
                values = dict(attributes)
                values.pop(operation.name, None)
                if operation.new is not None:
                    values[operation.name] = operation.new
                self.content[index] = (kind, name, text, tuple(values.items()))
        if gone:
            self.children = [[child for child in children if child not in gone] for children in self.children]
        for parent, inserts in coming.items():
            for insert in sorted(inserts, key=lambda it: it.at):
                self.children[parent].insert(insert.at - 1, self._graft(insert.content))
        return self._tree(limits)

    def _index(self, xid: int) -> int:
        if xid not in self.index_of_xid:
            raise DeltaError(f"this delta is damaged: there is no node {xid}")
        return self.index_of_xid[xid]

    def _graft(self, subtree: Subtree) -> int:
        open_nodes: list[int] = []
        for depth, content in subtree:
            number = len(self.content)
            self.content.append(content)
            self.children.append([])
            del open_nodes[depth:]
            if open_nodes:
                self.children[open_nodes[-1]].append(number)
            open_nodes.append(number)
        return open_nodes[0]

    def _tree(self, limits: Limits) -> Tree:
        rows = []
        waiting = [(child, 1) for child in reversed(self.children[0])]
        while waiting:
            index, depth = waiting.pop()
            kind, name, text, attributes = self.content[index]
            rows.append((int(kind), depth, tuple(name), text, [(tuple(key), value) for key, value in attributes], 0))
            waiting.extend((child, depth + 1) for child in reversed(self.children[index]))
        core = self.tree._core
        return Tree(_kernel.tree_from_rows(rows, core.is_html, core.is_fragment, limits))  # type: ignore[arg-type]


def post_order(tree: Tree) -> list[int]:
    """The nodes in post-order, the document left out: place in this list + 1 is the XID of a first version."""
    ends = tree.ends.tolist()
    order: list[int] = []
    open_nodes: list[int] = []
    for index in range(1, len(tree)):
        while open_nodes and ends[open_nodes[-1]] <= index:
            order.append(open_nodes.pop())
        open_nodes.append(index)
    return order + open_nodes[::-1]
