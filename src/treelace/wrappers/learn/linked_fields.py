"""Fields of detail pages that are links: what these say that a field is."""

from __future__ import annotations

from collections.abc import Sequence

from treelace.extract.columns.link_names import name_of_links
from treelace.tree import Tree
from treelace.wrappers.learn.fields import Field

MAX_LEVELS_TO_LINK = 4
"""Levels above a text in which a link may stand that is its own."""


def note_links(fields: Sequence[Field], trees: Sequence[Tree]) -> None:
    """Notes what the links of fields say that they are."""
    for field in fields:
        links = [_link_around(trees[page], node) for page, node in sorted(field.nodes.items())]
        field.leads_to = name_of_links(list(field.texts.values()), links)


def _link_around(tree: Tree, node: int) -> str:
    """Where the nearest link around a node leads to."""
    at: int | None = node
    for _ in range(MAX_LEVELS_TO_LINK):
        if not at:
            break
        if tree.kind(at) == 1 and tree.local_name(at) == "a":
            return tree.attribute(at, "href") or ""
        at = tree.parent(at)
    return ""
