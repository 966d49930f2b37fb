"""The restricted tree distances by their definitions (unit costs), in plain Python on nested tuples
(label, children).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

from tests.oracles.zhang_shasha import Forest, PlainTree, size

Item = TypeVar("Item")


def lined_up(
    left: Sequence[Item],
    right: Sequence[Item],
    delete: Callable[[Item], float],
    insert: Callable[[Item], float],
    pair: Callable[[Item, Item], float],
) -> float:
    """E: the string edit distance of two lists."""

    @functools.cache
    def cost(i: int, j: int) -> float:
        if i == 0 or j == 0:
            return sum(map(delete, left[:i])) + sum(map(insert, right[:j]))
        a, b = left[i - 1], right[j - 1]
        return min(
            cost(i - 1, j) + delete(a), cost(i, j - 1) + insert(b), cost(i - 1, j - 1) + pair(a, b)
        )

    return cost(len(left), len(right))


def nodes(tree: PlainTree) -> int:
    """Number of nodes of one tree."""
    return size((tree,))


def subtrees(tree: PlainTree) -> list[PlainTree]:
    """All subtrees, in pre-order."""
    return [tree, *(sub for child in tree[1] for sub in subtrees(child))]


@functools.cache
def top_down(left: PlainTree, right: PlainTree) -> float:
    """Selkow: roots always mapped."""
    return (left[0] != right[0]) + lined_up(left[1], right[1], nodes, nodes, top_down)


@functools.cache
def simple_tree_matching(left: PlainTree, right: PlainTree) -> float:
    """The number of pairs of Zhai & Liu, Figure 9."""
    if left[0] != right[0]:
        return 0
    rows, columns = len(left[1]), len(right[1])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            both = best[i - 1][j - 1] + simple_tree_matching(left[1][i - 1], right[1][j - 1])
            best[i][j] = max(best[i][j - 1], best[i - 1][j], both)
    return 1 + best[rows][columns]


def simple_distance(left: PlainTree, right: PlainTree) -> float:
    """Nodes that simple tree matching leaves out."""
    return nodes(left) + nodes(right) - 2 * simple_tree_matching(left, right)


@functools.cache
def restricted_top_down(left: PlainTree, right: PlainTree) -> float:
    """RTDM, with differing inner roots as far apart as can be."""
    if left == right:
        return 0
    if not left[1] or not right[1]:
        return (left[0] != right[0]) + nodes(left) - 1 + nodes(right) - 1
    if left[0] != right[0]:
        return nodes(left) + nodes(right)
    return lined_up(left[1], right[1], nodes, nodes, restricted_top_down)


def embeds(part: PlainTree, whole: PlainTree) -> bool:
    """Nierman & Jagadish, at one node: equal label, and the children embed in order into some of
    the children (all ways are tried).
    """
    if part[0] != whole[0]:
        return False

    def place(parts: Forest, wholes: Forest) -> bool:
        if not parts:
            return True
        return any(
            embeds(parts[0], tree) and place(parts[1:], wholes[k + 1 :])
            for k, tree in enumerate(wholes)
        )

    return place(part[1], whole[1])


def contained(part: PlainTree, whole: PlainTree) -> bool:
    """Whether some node of `whole` takes `part` in."""
    return any(embeds(part, sub) for sub in subtrees(whole))


def nierman_jagadish(left: PlainTree, right: PlainTree) -> float:
    """Nierman & Jagadish: whole subtrees for 1 where the other tree contains them."""

    def prune(tree: PlainTree) -> float:
        return 1 if contained(tree, right) else 1 + sum(map(prune, tree[1]))

    def graft(tree: PlainTree) -> float:
        return 1 if contained(tree, left) else 1 + sum(map(graft, tree[1]))

    @functools.cache
    def distance(one: PlainTree, other: PlainTree) -> float:
        return (one[0] != other[0]) + lined_up(one[1], other[1], prune, graft, distance)

    return distance(left, right)


def bottom_up(left: PlainTree, right: PlainTree) -> float:
    """Valiente: equal subtrees, level by level, each to the first place that is wholly free."""
    spots: list[tuple[tuple[int, ...], PlainTree]] = []

    def walk(
        tree: PlainTree, path: tuple[int, ...], out: list[tuple[tuple[int, ...], PlainTree]]
    ) -> None:
        out.append((path, tree))
        for k, child in enumerate(tree[1]):
            walk(child, (*path, k), out)

    walk(right, (), spots)
    queue: list[tuple[tuple[int, ...], PlainTree]] = []
    walk(left, (), queue)
    queue.sort(key=lambda entry: len(entry[0]))
    gone: list[tuple[int, ...]] = []
    taken: list[tuple[int, ...]] = []
    mapped = 0
    for path, tree in queue:
        if any(path[: len(top)] == top for top in gone):
            continue
        for spot, other in spots:
            touches = any(spot[: len(top)] == top or top[: len(spot)] == spot for top in taken)
            if other == tree and not touches:
                gone.append(path)
                taken.append(spot)
                mapped += nodes(tree)
                break
    return nodes(left) + nodes(right) - 2 * mapped


def constrained(left: PlainTree, right: PlainTree) -> float:
    """Zhang's constrained distance, as the recurrences have it."""

    @functools.cache
    def tree(a: PlainTree, b: PlainTree) -> float:
        ways = [forest(a[1], b[1]) + (a[0] != b[0])]
        ways += [nodes(b) + tree(a, c) - nodes(c) for c in b[1]]
        ways += [nodes(a) + tree(c, b) - nodes(c) for c in a[1]]
        return min(ways)

    @functools.cache
    def forest(one: Forest, other: Forest) -> float:
        ways = [lined_up(one, other, nodes, nodes, tree)]
        ways += [size(other) + forest(one, c[1]) - size(c[1]) for c in other]
        ways += [size(one) + forest(c[1], other) - size(c[1]) for c in one]
        return min(ways)

    return tree(left, right)


def alignment(left: PlainTree, right: PlainTree) -> float:
    """Jiang's alignment distance, as the recurrences have it."""

    @functools.cache
    def tree(a: PlainTree, b: PlainTree) -> float:
        ways = [forest(a[1], b[1]) + (a[0] != b[0])]
        ways += [nodes(b) + tree(a, c) - nodes(c) for c in b[1]]
        ways += [nodes(a) + tree(c, b) - nodes(c) for c in a[1]]
        return min(ways)

    @functools.cache
    def forest(one: Forest, other: Forest) -> float:
        if not one or not other:
            return size(one) + size(other)
        a, b = one[-1], other[-1]
        ways = [
            forest(one[:-1], other) + nodes(a),
            forest(one, other[:-1]) + nodes(b),
            forest(one[:-1], other[:-1]) + tree(a, b),
        ]
        ways += [
            1 + forest(one[:k], other[:-1]) + forest(one[k:], b[1]) for k in range(len(one) + 1)
        ]
        ways += [
            1 + forest(one[:-1], other[:k]) + forest(a[1], other[k:]) for k in range(len(other) + 1)
        ]
        return min(ways)

    return tree(left, right)
