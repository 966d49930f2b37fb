"""Paths: where a leaf stands inside its record, step by step, as a name that a column can be known
by.

The pattern reads a record as a whole and may be wrong about one that is built unlike the others.
Where that is known, the path of the leaf is kept with its column, and says it before the pattern
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.tree import Tree


def path_of(tree: Tree, roots: Sequence[int], leaf: int) -> str:
    """The steps from a top node of a record to a leaf: tag and classes of each, with its number
    among siblings that are called the same.

    >>> from treelace import parse
    >>> page = parse("<ul><li class=a><b>tea</b> <b>3</b></ul>")
    >>> [path_of(page, [page.select("li")[0].index], node.index + 1) for node in page.select("b")]
    ['li.a > b > text', 'li.a > b:2 > text']
    """
    tops = set(roots)
    steps: list[str] = []
    at = leaf
    while True:
        called = _called(tree, at)
        parent = tree.parent(at)
        if at in tops or parent is None or parent == 0:
            before = (
                sum(_called(tree, top) == called for top in roots if top < at) if at in tops else 0
            )
            steps.append(f"{called}:{before + 1}" if before else called)
            break
        before = 0
        for sibling in tree.children(parent):
            if sibling >= at:
                break
            before += _called(tree, sibling) == called
        steps.append(f"{called}:{before + 1}" if before else called)
        at = parent
    return " > ".join(reversed(steps))


def _called(tree: Tree, node: int) -> str:
    """What a node is called among its siblings; blank texts and comments are nothing."""
    if tree.kind(node) == 1:
        return ".".join(
            [tree.local_name(node), *sorted((tree.attribute(node, "class") or "").split())]
        )
    return "text" if tree.kind(node) == 2 and tree.own_text(node).strip() else ""
