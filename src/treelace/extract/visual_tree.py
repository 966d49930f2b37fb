"""A page's tag tree by what contains what on the screen (Zhai & Liu, §3.2), and the gaps between boxes (§3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from treelace.extract.mdr_regions import TagTree, elements_of
from treelace.extract.rules import FORMATTING

if TYPE_CHECKING:
    from treelace.extract.view import PageView
    from treelace.render import Boxes

TOLERANCE = 1.0
"""Pixels by which a gap within a record may exceed one between records: browsers round."""


def visual_tag_tree(view: PageView, boxes: Boxes) -> TagTree:
    """The rendered elements of a page as a tag tree: an element's parent is the nearest element before it whose box contains its own.

    Elements are taken in the order of their opening tags, as the paper does: the boxes still open are popped until one contains the next;
    formatting elements, whose text may wrap, contain only what stands inside their tags. What is not rendered is left out;
    what stands inside no box is a child of the document. Time linear in the elements, but for the pops.
    """
    tree = view.tree
    by_node = boxes.of(tree)
    inline = {node for node in by_node if view.tags[node] in FORMATTING}
    elements = [node for node in elements_of(view) if node in by_node]
    parents, ends = [0] * len(tree), [len(tree)] * len(tree)
    open_boxes: list[int] = []
    for node in elements:
        while open_boxes:
            last = open_boxes[-1]
            # a line that wraps is no rectangle: its box may cover what stands beside it
            may_hold = last not in inline or node < view.ends[last]
            if may_hold and by_node[last].contains(by_node[node]):
                break
            ends[open_boxes.pop()] = node
        parents[node] = open_boxes[-1] if open_boxes else 0
        open_boxes.append(node)
    return TagTree.nested(view, elements, parents, ends, by_node)


def keeps_gaps(tags: TagTree, groups: Sequence[tuple[int, ...]]) -> bool:
    """The gap rule: no gap between two records is smaller than any gap within one. True where there are no boxes to look at.

    >>> from treelace import Tree
    >>> from treelace.extract.view import PageView
    >>> from treelace.render import Boxes
    >>> page = PageView.of(Tree.from_brackets("{body{h1}{p}{h1}{p}}"))
    >>> near = Boxes.from_json('{"viewport": [9, 99], "boxes": [[0,0,9,99], [0,0,9,10], [0,12,9,10], [0,40,9,10], [0,52,9,10]]}')
    >>> far = Boxes.from_json('{"viewport": [9, 99], "boxes": [[0,0,9,99], [0,0,9,10], [0,28,9,10], [0,40,9,10], [0,68,9,10]]}')
    >>> [keeps_gaps(visual_tag_tree(page, boxes), [(2, 3), (4, 5)]) for boxes in (near, far)]
    [True, False]
    """
    if not tags.boxes or len(groups) < 2:
        return True
    inside = [tags.boxes[one].gap(tags.boxes[other]) for group in groups for one, other in pairwise(group)]
    between = [tags.boxes[left[-1]].gap(tags.boxes[right[0]]) for left, right in pairwise(groups)]
    return not inside or min(between) + TOLERANCE >= max(inside)
