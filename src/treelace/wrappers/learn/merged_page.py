"""One page with the records of many, so that columns are learnt from all of them."""

from __future__ import annotations

from collections.abc import Sequence

from treelace import _kernel
from treelace.limits import Limits
from treelace.tree import Tree


def merged_page(
    pages: Sequence[Tree], records: Sequence[Sequence[int]], *, most: int, limits: Limits
) -> tuple[Tree, list[int], list[tuple[int, int]]]:
    """The page with most records, with records of the others beside its own; all of them; and where
    each comes from, by the number of its page and its node there.

    What a column looks like is learnt from many records, and a page of ten products may have none
    on sale.
    """
    first = max(range(len(pages)), key=lambda number: (len(records[number]), -number))
    page, own = pages[first], list(records[first])
    rows = [_row(page, node, 0) for node in range(1, page.end(own[-1]))]
    heads, depth = own, page.depth(own[-1])
    others = [
        (number, node) for number, nodes in enumerate(records) if number != first for node in nodes
    ]
    step = max(1, -(-len(others) // max(1, most - len(own))))
    origins = [*((first, node) for node in own), *others[::step]]
    for number, node in others[::step]:
        other = pages[number]
        heads.append(len(rows) + 1)
        shift = depth - other.depth(node)
        rows += [_row(other, at, shift) for at in range(node, other.end(node))]
    rows += [_row(page, node, 0) for node in range(page.end(records[first][-1]), len(page))]
    kernel = _kernel.tree_from_rows(rows, page.is_html, page.is_fragment, limits)
    return Tree(kernel), heads, origins


def _row(
    tree: Tree, node: int, shift: int
) -> tuple[int, int, tuple[str, str, str], str, list[tuple[tuple[str, str, str], str]], int]:
    name = tree[node].name
    return (
        tree.kind(node),
        tree.depth(node) + shift,
        (name.prefix, name.namespace, name.local),
        tree.own_text(node) if tree.kind(node) != 1 else "",
        [
            ((prefix, namespace, local), value)
            for prefix, namespace, local, value in tree.attribute_rows(node)
        ],
        0,
    )
