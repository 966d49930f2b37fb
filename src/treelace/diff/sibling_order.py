"""The order of the children of a merged node: each version may have sorted, added and removed."""

from __future__ import annotations

from collections.abc import Iterator

from treelace.diff.merge_model import Conflict, Key, Version, brief
from treelace.tree import Tree


class SiblingOrder:
    """Puts children in order, and keeps the conflicts it meets."""

    def __init__(self, base: Tree, sides: dict[int, Version]) -> None:
        self.base, self.sides = base, sides
        self.conflicts: list[Conflict] = []
        # what the left version put at the same place, too
        self.dropped: set[Key] = set()

    def ordered(self, parent: Key, keys: list[Key]) -> list[Key]:
        """The children of a node, in the order that both versions want."""
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

    def _order_conflict(self, parent: Key, lists: dict[int, list[Key]]) -> None:
        self._conflict("order", parent[1], f"{len(lists[1])} children", f"{len(lists[2])} children")

    def _led_by(
        self,
        side: int,
        parent: Key,
        lists: dict[int, list[Key]],
        base_list: list[Key],
        inside: set[Key],
        *,
        is_turned: bool = False,
    ) -> list[Key]:
        """The children of a base node in the order of one version, with what only the other has."""
        made = [key for key in _with_base(lists[side], base_list, inside) if key in inside]
        return self._woven(
            parent,
            made,
            [key for key in lists[3 - side] if key in inside],
            inside,
            is_turned=is_turned,
        )

    def _listed(self, side: int, parent: Key) -> Iterator[Key]:
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
        parent: Key,
        made: list[Key],
        rest: list[Key],
        inside: set[Key],
        *,
        is_turned: bool = False,
    ) -> list[Key]:
        """`made`, with what only `rest` has behind the sibling it follows there."""
        have = set(made)
        after: dict[Key | None, list[Key]] = {}
        last: Key | None = None
        for key in rest:
            if key in have:
                last = key
            else:
                after.setdefault(last, []).append(key)
        result: list[Key] = []
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
        self, parent: Key, made: list[Key], last: Key | None, coming: list[Key]
    ) -> list[Key]:
        """Both insert between the same two: equal nodes once, others in sequence, as a conflict."""
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
                " ".join(brief(self._tree(key), key[1]) for key in keys)
                for keys in (rivals, coming)
            ]
            first, second = words if rivals[0][0] == 1 else words[::-1]
            self._conflict("inserted", parent[1], first, second)
        return coming

    def _digests(self, keys: list[Key]) -> list[str]:
        return [
            self.sides[side].tree[number].digest if side else str(number) for side, number in keys
        ]

    def _tree(self, key: Key) -> Tree:
        return self.sides[key[0]].tree if key[0] else self.base

    def _conflict(self, kind: str, node: int, left: str, right: str) -> None:
        path = self.base[node].xpath or "/"
        self.conflicts.append(Conflict(kind, path, None, left, right))


def _is_sorted_otherwise(base: list[Key], now: list[Key], moved: set[int]) -> bool:
    there = set(now)
    before = [key for key in base if key in there]
    return before != [key for key in now if key in set(before)] or any(
        not key[0] and key[1] in moved for key in before
    )


def _with_base(main: list[Key], base: list[Key], inside: set[Key]) -> list[Key]:
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
