"""A page's tag tree by containment on screen, and gaps of boxes (Zhai & Liu, §3.2, §3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from treelace.extract.extractors.depta_steps.data_regions import TagTree
from treelace.extract.page.html_rules import FORMATTING

if TYPE_CHECKING:
    from treelace.extract.page.page_view import PageView
    from treelace.render import Boxes
    from treelace.render.boxes import Box

TOLERANCE = 1.0
"""Pixels by which a gap within a record may exceed one between records: browsers round."""


def visual_tag_tree(view: PageView, boxes: Boxes) -> TagTree:
    """A tag tree in which an element's parent is the nearest one before whose box holds its own.

    Elements are taken in the order of their opening tags, as the paper does: the boxes still open
    are popped until one holds the next. The paper does not say what holds where boxes neither
    contain each other nor lie apart (a picture is higher than the line of its link, a cell spans
    two rows, a margin is negative), or where one shows nothing (an empty `span`, a `br`, a picture
    that was not fetched): there the tags decide, so that what the boxes do not say is as MDR has
    it. Formatting elements, whose text may wrap, hold only what stands inside their tags. What
    stands inside no box is a child of the document. Time linear in the elements, but for the pops.
    """
    tree = view.tree
    by_node = boxes.of(tree)
    elements = view.elements
    parents, ends = [0] * len(tree), [len(tree)] * len(tree)
    open_boxes: list[int] = []
    for node in elements:
        while open_boxes and not _holds(view, by_node, open_boxes[-1], node):
            ends[open_boxes.pop()] = node
        parents[node] = open_boxes[-1] if open_boxes else 0
        open_boxes.append(node)
    return TagTree.nested(view, elements, parents, ends, by_node)


def _holds(view: PageView, boxes: Mapping[int, Box], outer: int, node: int) -> bool:
    """Whether an element that is open holds the next one."""
    box, other = boxes.get(outer), boxes.get(node)
    if box is None or other is None or not box.has_area or not other.has_area:
        return node < view.ends[outer]
    if node < view.ends[outer]:
        return box.overlaps(other)
    # a line that wraps is no rectangle: its box may cover what stands beside it
    return view.tags[outer] not in FORMATTING and box.contains(other)


def keeps_gaps(tags: TagTree, groups: Sequence[tuple[int, ...]]) -> bool:
    """The gap rule: no gap between records is smaller than one within; True without boxes.

    Gaps are seen between what can be seen: an element without area (an empty paragraph that ends a
    record) has none beside it.

    >>> from treelace import Tree
    >>> from treelace.extract.page.page_view import PageView
    >>> from treelace.render import Boxes
    >>> page = PageView.of(Tree.from_brackets("{body{h1}{p}{h1}{p}}"))
    >>> page_box = '{"viewport": [9, 99], "boxes": [[0,0,9,99], '
    >>> near = Boxes.from_json(page_box + "[0,0,9,10], [0,12,9,10], [0,40,9,10], [0,52,9,10]]}")
    >>> far = Boxes.from_json(page_box + "[0,0,9,10], [0,28,9,10], [0,40,9,10], [0,68,9,10]]}")
    >>> [keeps_gaps(visual_tag_tree(page, boxes), [(2, 3), (4, 5)]) for boxes in (near, far)]
    [True, False]
    """
    seen = [
        [box for node in group if (box := tags.boxes.get(node)) is not None and box.has_area]
        for group in groups
    ]
    shown = [boxes for boxes in seen if boxes]
    if len(shown) < 2:
        return True
    inside = [one.gap(other) for boxes in shown for one, other in pairwise(boxes)]
    between = [left[-1].gap(right[0]) for left, right in pairwise(shown)]
    return not inside or min(between) + TOLERANCE >= max(inside)
