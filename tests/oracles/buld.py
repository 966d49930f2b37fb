"""BULD by its definition, in plain Python: every candidate looked at, every subtree compared,
nothing indexed.
"""

from __future__ import annotations

import math

from treelace import Tree
from treelace.tree import Kind, Node

SHORT_TEXT = 24


def buld(old: Tree, new: Tree, *, depth: int, is_immediate: bool = False) -> set[tuple[int, int]]:
    """The pairs of phases 1 to 4 for documents without ID attributes.

    With `is_immediate`, single children are matched as soon as their parents are, which section
    5.1 says, and which undoes the example of section 4; else in phase 4, as 5.2 says.
    """
    if old == new:
        return {(i, i) for i in range(len(old))}
    match: dict[int, int] = {0: 0}  # new to old
    taken: set[int] = {0}

    def pair(a: Node, b: Node) -> None:
        match[b.index] = a.index
        taken.add(a.index)

    roots = [
        next((child for child in tree[0].children if child.kind == Kind.ELEMENT), None)
        for tree in (old, new)
    ]

    def spread_down() -> None:
        for node in new:
            if node.index in match:
                mine = [child for child in node.children if child.index not in match]
                theirs = [
                    child for child in old[match[node.index]].children if child.index not in taken
                ]
                for child in mine:
                    same = [other for other in theirs if label(other) == label(child)]
                    if len(same) == 1 and sum(label(other) == label(child) for other in mine) == 1:
                        pair(same[0], child)

    if roots[0] is not None and roots[1] is not None:
        pair(roots[0], roots[1])

    def free(a: Node, b: Node) -> bool:
        return a.index not in taken and b.index not in match

    # phases 2 and 3: the heaviest subtree of the new version first, then the first inserted
    whole = weight(new[0])
    queue = [(child, n) for n, child in enumerate(new[0].children)]
    count = len(queue)
    while queue:
        place = max(range(len(queue)), key=lambda k: (weight(queue[k][0]), -queue[k][1]))
        node, _ = queue.pop(place)
        reach = depth + math.floor(5 * math.log(len(new)) * weight(node) / whole)
        chosen = None
        if node.index not in match:
            chosen = _best(old, node, match, taken, reach)
        elif old[match[node.index]].equals(node) and all(
            match.get(b) == a for a, b in _side_by_side(old[match[node.index]], node)
        ):
            continue
        if chosen is None:
            queue += [(child, count + n) for n, child in enumerate(node.children)]
            count += len(list(node.children))
            continue
        for a, b in _side_by_side(chosen, node):
            if free(old[a], new[b]):
                pair(old[a], new[b])
        for a_up, b_up in list(zip(_ancestors(chosen), _ancestors(node), strict=False))[:reach]:
            if not free(a_up, b_up) or label(a_up) != label(b_up):
                break
            pair(a_up, b_up)
        if is_immediate:
            spread_down()
    # phase 4, bottom-up
    for node in _post_order(new[0]):
        if node.index in match:
            continue
        sums: dict[int, float] = {}
        for child in node.children:
            if child.index in match:
                parent = old[match[child.index]].parent
                assert parent is not None
                sums[parent.index] = sums.get(parent.index, 0.0) + weight(child)
        fit = {
            i: total for i, total in sums.items() if i not in taken and label(old[i]) == label(node)
        }
        if fit:
            pair(old[max(fit, key=lambda i: fit[i])], node)
    # phase 4, top-down
    spread_down()
    return {(a, b) for b, a in match.items()}


def weight(node: Node) -> float:
    """1 + the children for elements, 1 + ln(length) for what has text; a document weighs what its
    children weigh.
    """
    if node.kind in (Kind.ELEMENT, Kind.DOCUMENT):
        return (node.kind == Kind.ELEMENT) + sum(weight(child) for child in node.children)
    return 1 + math.log(max(1, len(_text(node))))


def label(node: Node) -> tuple[object, ...]:
    """Kind, and (namespace, local name) of what has a name."""
    return (node.kind, node.name.namespace, node.name.local)


def _best(old: Tree, node: Node, match: dict[int, int], taken: set[int], reach: int) -> Node | None:
    candidates = [
        other
        for other in old
        if other.index not in taken and other.kind == node.kind and other.equals(node)
    ]
    is_short = node.kind != Kind.ELEMENT and len(_text(node).encode()) < SHORT_TEXT
    if len(candidates) == 1 and not is_short:
        return candidates[0]
    for level, ancestor in enumerate(_ancestors(node)[:reach]):
        under = [
            other
            for other in candidates
            if len(_ancestors(other)) > level
            and _ancestors(other)[level].index == match.get(ancestor.index)
        ]
        if level == 0:
            under.sort(key=lambda other: _position(other) != _position(node))
        if under:
            return under[0]
    return None


def _text(node: Node) -> str:
    return node.tree._core.text(node.index)


def _position(node: Node) -> int:
    assert node.parent is not None
    return [child.index for child in node.parent.children].index(node.index)


def _ancestors(node: Node) -> list[Node]:
    found = []
    up = node.parent
    while up is not None:
        found.append(up)
        up = up.parent
    return found


def _side_by_side(a: Node, b: Node) -> list[tuple[int, int]]:
    size = int(a.tree.ends[a.index]) - a.index
    return [(a.index + k, b.index + k) for k in range(size)]


def _post_order(node: Node) -> list[Node]:
    return [inner for child in node.children for inner in _post_order(child)] + [node]
