"""Three-way merge: the changes of two versions of one document, as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from treelace import _kernel
from treelace.diff.differ import diff
from treelace.diff.merge_model import (
    ROOT,
    Conflict,
    Key,
    Merged,
    NodeValues,
    Row,
    Version,
    brief,
    values_of,
)
from treelace.diff.sibling_order import SiblingOrder
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching import Matcher
from treelace.matching.matchers.auto import Auto
from treelace.tree import Name, Tree

T = TypeVar("T", str, Name)


def merge(
    base: Tree,
    left: Tree,
    right: Tree,
    *,
    matcher: str | Matcher = Auto.name,
    limits: Limits = DEFAULT_LIMITS,
) -> Merged:
    """Both changes of `base`: node by node, by identity.

    What only one version changed is taken from it; what both changed alike, once; what both changed
    otherwise is a `Conflict`, and the left version's stays. A node that one deleted and the other
    changed stays, too. O(n log n) beside the matcher.

    Laws: `merge(b, x, b).tree == x`, `merge(b, b, x).tree == x`, `merge(b, x, x).tree == x`; edits
    of different nodes commute.

    >>> from treelace.tree import parse
    >>> base = parse("<p>tea: 3<p>milk: 1")
    >>> merge(base, parse("<p>tea: 4<p>milk: 1"), parse("<p>tea: 3<p>milk: 2")).tree.root.text
    'tea: 4milk: 2'
    >>> merge(base, parse("<p>tea: 4<p>milk: 1"), parse("<p>tea: 5<p>milk: 1")).conflicts[0].kind
    'text'
    """
    if base.format != left.format or base.format != right.format:
        raise UsageError("three documents of one format are needed")
    if left == right or right == base:
        return Merged(left, ())
    if left == base:
        return Merged(right, ())
    there = Version(base, left, diff(base, left, matcher=matcher, limits=limits))
    here = Version(base, right, diff(base, right, matcher=matcher, limits=limits))
    return _Merger(base, there, here).run(limits)


class _Merger:
    def __init__(self, base: Tree, left: Version, right: Version) -> None:
        self.base = base
        self.sides = {1: left, 2: right}
        self.conflicts: list[Conflict] = []
        self.parent: dict[Key, Key] = {}
        self.values: dict[Key, NodeValues] = {}

    def run(self, limits: Limits) -> Merged:
        self._survivors()
        self._places()
        self._break_circles()
        children: dict[Key, list[Key]] = {key: [] for key in [ROOT, *self.parent]}
        for key, parent in self.parent.items():
            children[parent].append(key)
        order = SiblingOrder(self.base, self.sides)
        ordered = {parent: order.ordered(parent, keys) for parent, keys in children.items()}
        rows = list(self._rows(ordered))
        left = self.sides[1].tree
        tree = Tree(_kernel.tree_from_rows(rows, left.is_html, left.is_fragment, limits))
        conflicts = [*self.conflicts, *order.conflicts]
        return Merged(tree, tuple(sorted(conflicts, key=lambda it: (it.path, it.kind))))

    def _conflict(
        self, kind: str, node: int, base: str | None, left: str | None, right: str | None
    ) -> None:
        self.conflicts.append(Conflict(kind, self.base[node].xpath or "/", base, left, right))

    # who is there

    def _survivors(self) -> None:
        base, sides = self.base, self.sides
        parents = base.parents.tolist()
        gone = {
            side: [node for node in range(1, len(base)) if node not in version.new_of]
            for side, version in sides.items()
        }
        kept: set[int] = set()
        reported: set[int] = set()
        for side, version in sides.items():
            other = sides[3 - side]
            for node in gone[side]:
                if node in other.new_of and self._is_changed(node, other):
                    # what was deleted here was changed there: it stays, and so do the deleted nodes
                    # it stands in
                    above, top = parents[node], node
                    kept.add(node)
                    while above not in version.new_of:
                        kept.add(above)
                        top, above = above, parents[above]
                    if top not in reported:
                        reported.add(top)
                        words = {side: None, 3 - side: brief(other.tree, other.new_of[node])}
                        self._conflict("deleted", node, brief(base, node), words[1], words[2])
        self.alive = {0}
        for node in range(1, len(base)):
            if node in kept or all(node in version.new_of for version in sides.values()):
                self.alive.add(node)
                self.values[0, node] = self._merged_values(node)
        for side, version in sides.items():
            for number, node in enumerate(version.base_of):
                if node < 0:
                    self.values[side, number] = values_of(version.tree, number)

    def _is_changed(self, node: int, version: Version) -> bool:
        return (
            node in version.moved
            or node in version.grown
            or values_of(self.base, node) != values_of(version.tree, version.new_of[node])
        )

    def _merged_values(self, node: int) -> NodeValues:
        base = values_of(self.base, node)
        found = [
            values_of(version.tree, version.new_of[node]) if node in version.new_of else base
            for version in self.sides.values()
        ]
        left, right = found
        if left == right or right == base:
            return left
        if left == base:
            return right
        name = self._one("name", node, str(base.name.expanded), left.name, right.name, base.name)
        text = self._one("text", node, base.text, left.text, right.text, base.text)
        attributes: dict[Name, str] = {}
        for key in {**left.attributes, **right.attributes}:
            was, mine, other = (it.attributes.get(key) for it in (base, left, right))
            value = mine if mine == other or other == was else other if mine == was else None
            if mine != other and was not in (mine, other):
                self._conflict("attribute", node, was, mine, other)
                value = mine
            if value is not None:
                attributes[key] = value
        return NodeValues(base.kind, name, text, attributes)

    def _one(self, kind: str, node: int, said: str, left: T, right: T, base: T) -> T:
        if left == right or right == base:
            return left
        if left == base:
            return right
        self._conflict(kind, node, said, _spelled(left), _spelled(right))
        return left

    # where they stand

    def _places(self) -> None:
        base_parents = self.base.parents.tolist()
        places: dict[int, dict[int, Key]] = {1: {}, 2: {}}
        for side, version in self.sides.items():
            parents = version.tree.parents.tolist()
            for number, node in enumerate(version.base_of):
                if number == 0:
                    continue
                parent = version.key(side, parents[number])
                if node < 0:
                    self.parent[side, number] = parent
                else:
                    places[side][node] = parent
        for node in sorted(self.alive - {0}):
            was: Key = (0, base_parents[node])
            left, right = places[1].get(node, was), places[2].get(node, was)
            if left != was and right != was and left != right:
                self._conflict("place", node, self._path(was), self._path(left), self._path(right))
            self.parent[0, node] = left if left != was else right
        # what went with a parent that did not survive: only inside deleted subtrees
        self.parent = {
            key: parent for key, parent in self.parent.items() if key[0] or key[1] in self.alive
        }
        lost = [
            key
            for key, parent in self.parent.items()
            if parent not in self.parent and parent != ROOT
        ]
        for key in lost:
            self.parent[key] = (
                (0, self._living(self.parent[key][1])) if not self.parent[key][0] else ROOT
            )

    def _living(self, node: int) -> int:
        parents = self.base.parents.tolist()
        while node not in self.alive:
            node = parents[node]
        return node

    def _break_circles(self) -> None:
        """Drops the right version's move where both versions move two nodes into each other."""
        base_parents = self.base.parents.tolist()
        is_fine = {ROOT}
        for start in list(self.parent):
            way: list[Key] = []
            on_way: set[Key] = set()
            key = start
            while key not in is_fine:
                if key in on_way:
                    circle = way[way.index(key) :]
                    node = next(
                        it[1] for it in circle if not it[0] and it[1] in self.sides[2].moved
                    )
                    mine = self.sides[1]
                    parent = (
                        mine.key(1, int(mine.tree.parents[mine.new_of[node]]))
                        if node in mine.new_of
                        else (0, base_parents[node])
                    )
                    self._conflict(
                        "place",
                        node,
                        self._path((0, base_parents[node])),
                        self._path(parent),
                        self._path(self.parent[0, node]),
                    )
                    self.parent[0, node] = parent if self.parent[0, node] != parent else ROOT
                    way, on_way, key = [], set(), start
                    continue
                way.append(key)
                on_way.add(key)
                key = self.parent[key]
            is_fine.update(way)

    def _path(self, key: Key) -> str:
        return self._tree(key)[key[1]].xpath or "/"

    def _tree(self, key: Key) -> Tree:
        return self.sides[key[0]].tree if key[0] else self.base

    def _rows(self, children: dict[Key, list[Key]]) -> Iterator[Row]:
        waiting = [(key, 1) for key in reversed(children[ROOT])]
        while waiting:
            key, depth = waiting.pop()
            kind, name, text, attributes = self.values[key]
            yield (kind, depth, name, text, [*attributes.items()], 0)
            waiting.extend((child, depth + 1) for child in reversed(children[key]))


def _spelled(value: object) -> str:
    return value.expanded if isinstance(value, Name) else str(value)
