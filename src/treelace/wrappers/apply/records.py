"""Finds records on a page: their top nodes, records the anchors miss, paths of their leaves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from treelace.tree import Tree

MAX_SIBLINGS_PER_RECORD = 12
"""Siblings that may together be a record that lost its element."""

MIN_RECORDS_PER_PARENT = 2
"""Records that a parent must hold for its other children to be looked at."""


def page_roots(tree: Tree) -> list[int]:
    """The top elements of a page that is one record."""
    return [child.index for child in tree.document.children if child.is_element]


def inner_roots(tree: Tree, parent: int, like: str) -> list[int]:
    """The children of a node that are called so: a tag, with a class (`li.item`) or without."""
    tag, _, word = like.partition(".")
    return [
        child
        for child in tree.children(parent)
        if tree.kind(child) == 1
        and tree.local_name(child) == tag
        and (not word or word in (tree.attribute(child, "class") or "").split())
    ]


def is_head_row(tree: Tree, node: int) -> bool:
    """Whether an element is a row of a table that names its columns."""
    if tree.local_name(node) != "tr":
        return False
    cells = [child for child in tree.children(node) if tree.kind(child) == 1]
    return bool(cells) and all(tree.local_name(cell) == "th" for cell in cells)


def outermost(tree: Tree, heads: Sequence[int]) -> list[list[int]]:
    """Records of one element each; an element inside another is no record of its own, and neither
    is the head of a table.
    """
    found = list[list[int]]()
    for head in heads:
        if (not found or tree.end(found[-1][0]) <= head) and not is_head_row(tree, head):
            found.append([head])
    return found


def with_missed_records(
    tree: Tree,
    records: Sequence[Sequence[int]],
    min_fit: float,
    fits: Callable[[list[list[int]]], list[float]],
) -> list[list[int]]:
    """The records and the missed ones, in document order; `fits` rates each candidate."""
    return sorted(
        [*map(list, records), *(roots for roots, _ in missed_records(tree, records, min_fit, fits))]
    )


def missed_records(
    tree: Tree,
    records: Sequence[Sequence[int]],
    min_fit: float,
    fits: Callable[[list[list[int]]], list[float]],
) -> list[tuple[list[int], float]]:
    """Records that the anchors miss, among the siblings of those that they find, with their fits.

    One record of a list may have another class, a box around it, or have lost its own element, so
    that its parts stand among the other records. What lies between two records is laid along the
    pattern: each sibling alone, then what is left of a gap together. It is a record if it fits at
    least as well as the region asks for (`strays` in the file), which is learnt: better than
    anything that stood among the records and was none.
    """
    gaps = _gaps(tree, records)
    gaps = [[node for node in gap if not is_head_row(tree, node)] for gap in gaps]
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
    """The visible children of records' parents that are in no record, grouped by gap."""
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


def path_of(tree: Tree, roots: Sequence[int], leaf: int) -> str:
    """The steps from a record's top to a leaf: tag, classes, and number among its namesakes.

    The pattern reads a record as a whole and may be wrong about one that is built unlike the
    others. Where that is known, the file keeps the path with its column, which goes before the
    pattern.

    >>> from treelace import parse
    >>> page = parse("<ul><li class=a><b>tea</b> <b>3</b></ul>")
    >>> [path_of(page, [page.select("li")[0].index], node.index + 1) for node in page.select("b")]
    ['li.a > b > text', 'li.a > b:2 > text']
    """
    tops = set(roots)
    steps: list[str] = []
    at = leaf
    while True:
        name = called(tree, at)
        parent = tree.parent(at)
        if at in tops or parent is None or parent == 0:
            before = (
                sum(called(tree, top) == name for top in roots if top < at) if at in tops else 0
            )
            steps.append(f"{name}:{before + 1}" if before else name)
            break
        before = 0
        for sibling in tree.children(parent):
            if sibling >= at:
                break
            before += called(tree, sibling) == name
        steps.append(f"{name}:{before + 1}" if before else name)
        at = parent
    return " > ".join(reversed(steps))


def called(tree: Tree, node: int) -> str:
    """What a node is called among its siblings; blank texts and comments are nothing."""
    if tree.kind(node) == 1:
        return ".".join(
            [tree.local_name(node), *sorted((tree.attribute(node, "class") or "").split())]
        )
    return "text" if tree.kind(node) == 2 and tree.own_text(node).strip() else ""
