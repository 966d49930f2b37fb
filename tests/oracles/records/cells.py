"""What a cell reads as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracles.records.view import INLINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracles.records.view import PageView


def cell(
    view: PageView, roots: tuple[int, ...], nodes: Sequence[int]
) -> tuple[str, int, list[tuple[str, int]]]:
    """What a cell made of these items reads as (empty for images), the element that holds it, and
    its items by kind and node.
    """
    items: list[tuple[str, int]] = []
    text, last, core = "", -1, _core(view, nodes)
    for node in nodes:
        if node in view.texts:
            items.append(("text", node))
            if core[0] <= node <= core[-1]:
                text += (
                    view.texts[node]
                    if not text or _runs_on(view, last, node)
                    else " " + view.texts[node]
                )
                last = node
        else:
            items.append(("image", node))
        link = _link_around(view, node, roots)
        if link is not None and ("link", link) not in items:
            items.append(("link", link))
    return text, holder_of(view, core), items


def _core(view: PageView, nodes: Sequence[int]) -> Sequence[int]:
    """The nodes without the brackets and commas at their ends."""
    full = [
        number
        for number, node in enumerate(nodes)
        if any(map(str.isalnum, view.texts.get(node, "")))
    ]
    return nodes[full[0] : full[-1] + 1] if full else nodes


def _runs_on(view: PageView, last: int, node: int) -> bool:
    """Whether the second text continues the first without a space: nothing but inline tags between,
    and no white space on either side.
    """
    if view.raw[last][-1:].isspace() or view.raw[node][:1].isspace():
        return False
    between = range(last + 1, node)
    return not any(
        view.raw.get(index, "").isspace()
        or view.tags[index] == "br"
        or view.tags[index] not in INLINE
        for index in between
    ) and not any(view.tags[index] not in INLINE for index in _left(view, last, node))


def _left(view: PageView, last: int, node: int) -> list[int]:
    """The elements that end between two nodes."""
    found, above = [], view.parents[last]
    while above and view.ends[above] <= node:
        found.append(above)
        above = view.parents[above]
    return found


def _link_around(view: PageView, node: int, roots: tuple[int, ...]) -> int | None:
    top = next((root for root in roots if root <= node < view.ends[root]), node)
    while node >= top and node:
        if view.tags[node] == "a" and view.tree[node].attribute("href") is not None:
            return node
        node = view.parents[node]
    return None


def holder_of(view: PageView, nodes: Sequence[int]) -> int:
    """The lowest element around all of these nodes; an image is its own."""
    above = nodes[0] if view.tags[nodes[0]] != "#text" else view.parents[nodes[0]]
    while above and not all(above <= node < view.ends[above] for node in nodes):
        above = view.parents[above]
    return above
