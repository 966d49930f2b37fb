"""Top nodes of records, and the one text in an element."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treelace.tree import Tree

NO_ROW = 2**32 - 1
"""What the kernel gives as the row of a leaf that fits nowhere."""


def tops_of(tree: Tree) -> list[int]:
    """The top elements of a page."""
    return [child.index for child in tree.document.children if child.is_element]


def inner_records(tree: Tree, parent: int, like: str) -> list[int]:
    """The children of a node that are called so (a tag, with a class or without)."""
    tag, _, word = like.partition(".")
    return [
        child
        for child in tree.children(parent)
        if tree.kind(child) == 1
        and tree.local_name(child) == tag
        and (not word or word in (tree.attribute(child, "class") or "").split())
    ]


def leaf_in(tree: Tree, element: int) -> int | None:
    """The only text in an element that is not blank (or the image that it is); None where there are
    several.
    """
    if tree.local_name(element) == "img":
        return element
    found = None
    for at in range(element + 1, tree.end(element)):
        if tree.kind(at) == 2 and tree.own_text(at).strip():
            if found is not None:
                return None
            found = at
    return found
