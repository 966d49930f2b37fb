"""Top nodes of records: of a page, of records inside it, of what an anchor finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.tree import Tree


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


def outermost(tree: Tree, heads: Sequence[int]) -> list[list[int]]:
    """Records of one element each; an element inside another is no record of its own."""
    found = list[list[int]]()
    for head in heads:
        if not found or tree.end(found[-1][0]) <= head:
            found.append([head])
    return found
