"""Links and labels that stand side by side: `cups` and `pots` are two words, with no space too."""

from __future__ import annotations

from collections.abc import Sequence

from treelace.tree import Tree

MAX_STEPS = 4
"""Elements between a text and the link around it."""


def with_links_apart(text: str, tree: Tree, nodes: Sequence[int]) -> str:
    """The text of a cell with a space between two links, or two labels of one class, that nothing
    parts; `nodes` are its text nodes, in their order.

    >>> from treelace import parse
    >>> page = parse("<p><a href=/1>cups</a><a href=/2>pots</a> and <a href=/3>ja<b>rs</b></a>")
    >>> texts = [at for at in range(len(page)) if page.kind(at) == 2]
    >>> with_links_apart("cupspots and jars", page, texts)
    'cups pots and jars'
    >>> page = parse("<p><i class=tag>tea</i><i class=tag>jam</i><b class=n>1</b><b class=n>2</b>")
    >>> texts = [at for at in range(len(page)) if page.kind(at) == 2]
    >>> with_links_apart("teajam12", page, texts)
    'tea jam12'
    """
    made, place, last = "", 0, -1
    for node in nodes:
        piece = " ".join(tree.own_text(node).split())
        at = text.find(piece, place)
        if at < 0:
            return text
        made += text[place:at]
        if last >= 0 and at == place > 0 and _are_two(tree, last, node):
            made += " "
        made, place, last = made + piece, at + len(piece), node
    return made + text[place:]


def _are_two(tree: Tree, left: int, right: int) -> bool:
    """Whether two texts stand in two links, or in neighbours of one class and are words."""
    links = _link_around(tree, left), _link_around(tree, right)
    if min(links) >= 0:
        return links[0] != links[1]
    boxes = tree.parent(left) or 0, tree.parent(right) or 0
    if boxes[0] == boxes[1] or tree.parent(boxes[0]) != tree.parent(boxes[1]):
        return False
    names = [(tree.local_name(box), tree.attribute(box, "class")) for box in boxes]
    are_words = all(any(map(str.isalpha, tree.own_text(node))) for node in (left, right))
    return names[0] == names[1] and bool(names[0][1]) and are_words


def _link_around(tree: Tree, node: int) -> int:
    """The link that a text stands in; -1 where it stands in none."""
    above = tree.parent(node)
    for _ in range(MAX_STEPS):
        if not above:
            break
        if tree.local_name(above) == "a":
            return above
        above = tree.parent(above)
    return -1
