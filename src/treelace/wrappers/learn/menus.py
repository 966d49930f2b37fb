"""Menus of detail pages: which `nav` leads elsewhere, and which says something of the page."""

from __future__ import annotations

from collections.abc import Sequence

from treelace.tree import Tree
from treelace.wrappers.learn.pattern import FilledPattern
from treelace.wrappers.learn.text_blocks import text_leaves
from treelace.wrappers.model.text_shapes import has_letters


def menus_of(filled: FilledPattern, trees: Sequence[Tree], titles: Sequence[str]) -> set[int]:
    """The rows that are menus; `titles` are the pages' titles."""
    names = [(title, *_headings(tree)) for title, tree in zip(titles, trees, strict=True)]
    return {row for row in range(len(filled.rows)) if _is_menu(filled, row, names)}


def _headings(tree: Tree) -> list[str]:
    return [" ".join(node.text.split()) for node in tree.select("h1")]


def _is_menu(filled: FilledPattern, row: int, names: Sequence[Sequence[str]]) -> bool:
    """Whether a row is a `nav` of links, of a head or foot, or the way to the page, which ends with
    what the page is called. In some themes one beside the text holds date, author and tags of a
    page, and most of its texts lead nowhere.
    """
    if filled.rows[row].tag != "nav":
        return False
    if any(filled.rows[at].tag in ("header", "footer") for at in filled.above(row)):
        return True
    linked = others = 0
    for leaf in text_leaves(filled, row):
        pages = sum(has_letters(text) for text, _ in filled.values[leaf].values())
        if "a" in filled.rows[leaf].wrap.split() or _is_in_link(filled, leaf, row):
            linked += pages
        elif _says_name(filled, leaf, names):
            return True
        else:
            others += pages
    return linked >= others


def _says_name(filled: FilledPattern, leaf: int, names: Sequence[Sequence[str]]) -> bool:
    """Whether a text is most of what the page is called, on most pages that have it."""
    held = filled.values[leaf]
    said = sum(
        any(2 * len(text) > len(name) and text in name for name in names[page])
        for page, (text, _) in held.items()
    )
    return 2 * said > len(held)


def _is_in_link(filled: FilledPattern, leaf: int, top: int) -> bool:
    return any(filled.rows[at].tag == "a" for at in filled.above(leaf) if at > top)
