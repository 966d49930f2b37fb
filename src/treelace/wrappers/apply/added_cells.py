"""Cells whose values stand in no text of a record: the heading above it, the rating that is drawn.

A column says where they are in an anchor: `group:h3.day` names the headings between the records,
`drawn:rating` the stars and bars inside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from treelace.extract.columns.added_columns import AddedColumns, HeadingKind
from treelace.extract.page.page_view import PageView
from treelace.tree import Tree

GROUP, DRAWN = "group:", "drawn:rating"
"""How such anchors begin."""


def anchor_of(kind: HeadingKind) -> str:
    """The anchor of headings of a kind.

    >>> anchor_of(("h3", ("day", "first")))
    'group:h3.day.first'
    """
    return GROUP + ".".join([kind[0], *kind[1]])


def kind_of(anchor: str) -> HeadingKind:
    """The kind of the headings of an anchor.

    >>> kind_of("group:h3.day.first")
    ('h3', ('day', 'first'))
    """
    tag, *words = anchor.removeprefix(GROUP).split(".")
    return tag, tuple(words)


def added_cells(
    tree: Tree, records: Sequence[Sequence[int]], anchors: Mapping[int, str]
) -> Iterator[tuple[int, int, str, int]]:
    """The cells of the columns with such anchors, by number: record, column, text and element."""
    if not records:
        return
    seen = AddedColumns(PageView.of(tree), [tuple(roots) for roots in records])
    for column, anchor in anchors.items():
        found = seen.drawn() if anchor == DRAWN else seen.below(kind_of(anchor))
        yield from ((cell.record, column, cell.text, cell.node) for cell in found)
