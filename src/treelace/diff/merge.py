"""merge: the changes of two versions of one document, as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from treelace import _kernel
from treelace.diff.differ import diff
from treelace.diff.operations import Move
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.matchers.auto import Auto
from treelace.tree import Kind, Name, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treelace.diff.delta import Delta
    from treelace.matching import Matcher

_REFERENCE = 6

T = TypeVar("T", str, Name)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place where both versions changed the base, each in its own way; the merged document has
    the left one's.

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
    there = _Version(base, left, diff(base, left, matcher=matcher, limits=limits))
    here = _Version(base, right, diff(base, right, matcher=matcher, limits=limits))
    return _Merger(base, there, here).run(limits)


class _Values(NamedTuple):
    """A node by itself."""

    kind: int
    name: Name
    text: str
    attributes: dict[Name, str]


# A node of the merged document: (0, base index), (1, left index) or (2, right index) if it is new
# there.
_Key = tuple[int, int]
_ROOT: _Key = (0, 0)


class _Version:
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

    def key(self, side: int, number: int) -> _Key:
        node = self.base_of[number]
        return (0, node) if node >= 0 else (side, number)


def _values(tree: Tree, index: int) -> _Values:
    kind = tree.kind(index)
    attributes = {
        Name(prefix, uri, local): value for prefix, uri, local, value in tree.attribute_rows(index)
    }
    if kind == Kind.TEXT and tree[index].is_reference:
        kind = _REFERENCE
    return _Values(kind, tree[index].name, tree.own_text(index), attributes)


class _Merger:
    def __init__(self, base: Tree, left: _Version, right: _Version) -> None:
        self.base = base
        self.sides = {1: left, 2: right}
        self.conflicts: list[Conflict] = []
        self.parent: dict[_Key, _Key] = {}
        self.values: dict[_Key, _Values] = {}
        # what the left version put at the same place, too
        self.dropped: set[_Key] = set()

    def run(self, limits: Limits) -> Merged:
        self._survivors()
        self._places()
        self._break_circles()
        children: dict[_Key, list[_Key]] = {key: [] for key in [_ROOT, *self.parent]}
        for key, parent in self.parent.items():
            children[parent].append(key)
        ordered = {parent: self._ordered(parent, keys) for parent, keys in children.items()}
        rows = list(self._rows(ordered))
        left = self.sides[1].tree
        tree = Tree(_kernel.tree_from_rows(rows, left.is_html, left.is_fragment, limits))  # type: ignore[arg-type]
        return Merged(tree, tuple(sorted(self.conflicts, key=lambda it: (it.path, it.kind))))

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
        told: set[int] = set()
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
                    if top not in told:
                        told.add(top)
                        words = {side: None, 3 - side: _brief(other.tree, other.new_of[node])}
                        self._conflict("deleted", node, _brief(base, node), words[1], words[2])
        self.alive = {0}
        for node in range(1, len(base)):
            if node in kept or all(node in version.new_of for version in sides.values()):
                self.alive.add(node)
                self.values[0, node] = self._merged_values(node)
        for side, version in sides.items():
            for number, node in enumerate(version.base_of):
                if node < 0:
                    self.values[side, number] = _values(version.tree, number)

    def _is_changed(self, node: int, version: _Version) -> bool:
        return (
            node in version.moved
            or node in version.grown
            or _values(self.base, node) != _values(version.tree, version.new_of[node])
        )

    def _merged_values(self, node: int) -> _Values:
        base = _values(self.base, node)
        found = [
            _values(version.tree, version.new_of[node]) if node in version.new_of else base
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
        return _Values(base.kind, name, text, attributes)

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
        places: dict[int, dict[int, _Key]] = {1: {}, 2: {}}
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
            was: _Key = (0, base_parents[node])
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
            if parent not in self.parent and parent != _ROOT
        ]
        for key in lost:
            self.parent[key] = (
                (0, self._living(self.parent[key][1])) if not self.parent[key][0] else _ROOT
            )

    def _living(self, node: int) -> int:
        parents = self.base.parents.tolist()
        while node not in self.alive:
            node = parents[node]
        return node

    def _break_circles(self) -> None:
        """Moves of both versions may put two nodes into each other: then the right one's move is
        not made.
        """
        base_parents = self.base.parents.tolist()
        is_fine = {_ROOT}
        for start in list(self.parent):
            way: list[_Key] = []
            on_way: set[_Key] = set()
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
                    self.parent[0, node] = parent if self.parent[0, node] != parent else _ROOT
                    way, on_way, key = [], set(), start
                    continue
                way.append(key)
                on_way.add(key)
                key = self.parent[key]
            is_fine.update(way)

    def _path(self, key: _Key) -> str:
        return self._tree(key)[key[1]].xpath or "/"

    def _tree(self, key: _Key) -> Tree:
        return self.sides[key[0]].tree if key[0] else self.base

    # in which order

    def _ordered(self, parent: _Key, keys: list[_Key]) -> list[_Key]:
        lists = {side: list(self._listed(side, parent)) for side in self.sides}
        inside = set(keys)
        if parent[0]:
            made = [key for key in lists[parent[0]] if key in inside]
            return self._woven(
                parent, made, [key for key in lists[3 - parent[0]] if key in inside], inside
            )
        base_list = [(0, node.index) for node in self.base[parent[1]].children]
        sorted_sides = [
            side
            for side in (1, 2)
            if _is_sorted_otherwise(base_list, lists[side], self.sides[side].moved)
        ]
        known = len(self.conflicts)
        if len(sorted_sides) == 2 and [it for it in lists[1] if it in set(lists[2])] != [
            it for it in lists[2] if it in set(lists[1])
        ]:
            self._order_conflict(parent, lists)
        before = set(self.dropped)
        leading = sorted_sides[0] if len(sorted_sides) == 1 else 1
        result = self._led_by(leading, parent, lists, base_list, inside)
        if len(self.conflicts) == known and base_list not in lists.values():
            # what the two would make of it the other way round: if that is another order, nobody
            # can say which is meant
            dropped, self.dropped = self.dropped, before
            turned = self._led_by(
                leading if len(sorted_sides) == 1 else 2,
                parent,
                lists,
                base_list,
                inside,
                is_turned=True,
            )
            self.dropped = dropped
            del self.conflicts[known:]
            if self._digests(turned) != self._digests(result):
                self._order_conflict(parent, lists)
        return result

    def _order_conflict(self, parent: _Key, lists: dict[int, list[_Key]]) -> None:
        self._conflict(
            "order", parent[1], None, f"{len(lists[1])} children", f"{len(lists[2])} children"
        )

    def _led_by(
        self,
        side: int,
        parent: _Key,
        lists: dict[int, list[_Key]],
        base_list: list[_Key],
        inside: set[_Key],
        *,
        is_turned: bool = False,
    ) -> list[_Key]:
        """The children of a base node in the order of one version, with what only the other has."""
        made = [key for key in _with_base(lists[side], base_list, inside) if key in inside]
        return self._woven(
            parent,
            made,
            [key for key in lists[3 - side] if key in inside],
            inside,
            is_turned=is_turned,
        )

    def _listed(self, side: int, parent: _Key) -> Iterator[_Key]:
        version = self.sides[side]
        number = (
            version.new_of.get(parent[1])
            if parent[0] == 0
            else parent[1]
            if parent[0] == side
            else None
        )
        if number is not None:
            for child in version.tree.children(number):
                yield version.key(side, child)

    def _woven(
        self,
        parent: _Key,
        made: list[_Key],
        rest: list[_Key],
        inside: set[_Key],
        *,
        is_turned: bool = False,
    ) -> list[_Key]:
        """`made`, with what only `rest` has behind the sibling it follows there."""
        have = set(made)
        after: dict[_Key | None, list[_Key]] = {}
        last: _Key | None = None
        for key in rest:
            if key in have:
                last = key
            else:
                after.setdefault(last, []).append(key)
        result: list[_Key] = []
        for last in [None, *made]:
            if last is not None:
                result.append(last)
            if last not in after:
                continue
            result += self._same_gap(parent, made, last, after.pop(last))
        leftover = sorted(
            inside - set(result) - self.dropped,
            key=lambda key: (3 - key[0] if key[0] and is_turned else key[0], key[1]),
        )
        return result + leftover

    def _same_gap(
        self, parent: _Key, made: list[_Key], last: _Key | None, coming: list[_Key]
    ) -> list[_Key]:
        """Both put something new between the same two: the same once, else one behind the other,
        and that is a conflict.
        """
        at = made.index(last) + 1 if last is not None else 0
        rivals = []
        while at < len(made) and made[at][0] and made[at][0] != coming[0][0]:
            rivals.append(made[at])
            at += 1
        if not rivals or not coming[0][0]:
            return coming
        mine, other = [self._digests(keys) for keys in (rivals, coming)]
        if mine == other:
            self.dropped.update(coming)
            return []
        if not parent[0]:
            words = [
                " ".join(_brief(self._tree(key), key[1]) for key in keys)
                for keys in (rivals, coming)
            ]
            first, second = words if rivals[0][0] == 1 else words[::-1]
            self._conflict("inserted", parent[1], None, first, second)
        return coming

    def _digests(self, keys: list[_Key]) -> list[str]:
        return [
            self.sides[side].tree[number].digest if side else str(number) for side, number in keys
        ]

    def _rows(self, children: dict[_Key, list[_Key]]) -> Iterator[tuple[object, ...]]:
        waiting = [(key, 1) for key in reversed(children[_ROOT])]
        while waiting:
            key, depth = waiting.pop()
            kind, name, text, attributes = self.values[key]
            yield (
                kind,
                depth,
                tuple(name),
                text,
                [(tuple(it), value) for it, value in attributes.items()],
                0,
            )
            waiting.extend((child, depth + 1) for child in reversed(children[key]))


def _is_sorted_otherwise(base: list[_Key], now: list[_Key], moved: set[int]) -> bool:
    there = set(now)
    before = [key for key in base if key in there]
    return before != [key for key in now if key in set(before)] or any(
        not key[0] and key[1] in moved for key in before
    )


def _with_base(main: list[_Key], base: list[_Key], inside: set[_Key]) -> list[_Key]:
    """`main`, with the children that it deleted and that stay all the same, where they stood."""
    have = set(main)
    missing = [key for key in base if key in inside and key not in have]
    if not missing:
        return main
    result = list(main)
    for key in missing:
        before = [it for it in base[: base.index(key)] if it in set(result)]
        result.insert(result.index(before[-1]) + 1 if before else 0, key)
    return result


def _spelled(value: object) -> str:
    return value.expanded if isinstance(value, Name) else str(value)


def _brief(tree: Tree, index: int) -> str:
    node = tree[index]
    words = (
        node.text
        if node.kind != Kind.ELEMENT
        else f"<{node.name.local}> {node.text.strip()}".strip()
    )
    return words if len(words) <= 80 else words[:79] + "…"
