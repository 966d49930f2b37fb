"""Selection: what an expression finds on a page, as a person sees it."""

from __future__ import annotations

import re
from bisect import bisect_right
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from treelace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.tree import Node, Tree


class Selected(NamedTuple):
    """A node that a selection found: its text as it is seen, its index, and whether it stands in a
    menu, a form or the foot of the page.
    """

    text: str
    node: int
    is_frame: bool


_UNSEEN = "script, style, template, noscript"
_ROLES = ("navigation", "contentinfo", "banner", "search", "dialog", "menu")
_FRAME = ", ".join(
    (
        "nav",
        "footer",
        "form",
        "button",
        "dialog",
        "body > header",
        *(f"[role={role}]" for role in _ROLES),
    )
)


def selected(tree: Tree, expression: str) -> list[Selected]:
    """The nodes that CSS, or XPath after `xpath:`, finds, without scripts and styles in them."""
    if expression.startswith("xpath:"):
        answer = tree.select_xpath(expression[6:])
        nodes = answer if isinstance(answer, list) else []
    else:
        nodes = tree.select(expression.removeprefix("css:"))
    unseen, frame = _ranges(tree, _UNSEEN), _ranges(tree, _FRAME)
    found = []
    for node in nodes:
        if node.is_element:
            found.append(Selected(_seen_text(node, unseen), node.index, _is_in(node.index, frame)))
        elif not _is_in(node.index, unseen):
            found.append(
                Selected(" ".join(node.text.split()), node.index, _is_in(node.index, frame))
            )
    return found


def check_selection(tree: Tree, expression: str) -> None:
    """Says by a `UsageError` that a selection finds nothing on a page, with the nearest name."""
    if selected(tree, expression):
        return
    known = {
        word
        for node in tree.select("*")
        for word in (
            node.tag,
            f"#{node.attributes.get('id', '')}",
            *(f".{name}" for name in node.attributes.get("class", "").split()),
        )
    }
    names = re.findall(r"[.#]?[A-Za-z_][\w-]*", expression.removeprefix("xpath:"))
    near = [get_close_matches(name, sorted(known), n=1) for name in names if name not in known]
    hint = "".join(f"; did you mean {one[0]!r}?" for one in near[:1] if one)
    raise UsageError(
        f"{expression!r} finds nothing on the page{hint} (--when appears waits for it to come)"
    )


def _ranges(tree: Tree, selector: str) -> tuple[list[int], list[int]]:
    """Where elements start and end, those inside others left out."""
    starts, ends = list[int](), list[int]()
    for node in tree.select(selector):
        if not ends or node.index >= ends[-1]:
            starts.append(node.index)
            ends.append(int(tree.ends[node.index]))
    return starts, ends


def _is_in(index: int, ranges: tuple[list[int], list[int]]) -> bool:
    starts, ends = ranges
    at = bisect_right(starts, index) - 1
    return at >= 0 and index < ends[at]


def _seen_text(node: Node, unseen: tuple[list[int], list[int]]) -> str:
    """The text of an element without the scripts and styles in it; of a script, its own."""
    start, end = node.index, int(node.tree.ends[node.index])
    holes = [one for one in unseen[0][bisect_right(unseen[0], start) :] if one < end]
    if not holes:
        return " ".join(node.text.split())
    parts = [
        node.tree.own_text(at)
        for at in range(start, end)
        if node.tree.kind(at) == _TEXT and not _is_in(at, unseen)
    ]
    return " ".join("".join(parts).split())


_TEXT = 2


def frame_only(found: Sequence[Selected]) -> set[str]:
    """Texts only in the page's frame; none if most of the selection is: it was asked for."""
    frame = {one.text for one in found if one.is_frame}
    if 2 * sum(one.is_frame for one in found) > len(found):
        return set()
    return frame - {one.text for one in found if not one.is_frame}
