"""A matching drawn as a page: the two trees side by side, the pairs joined."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treelace.matching.matching import Matching
    from treelace.tree import Tree

_DOCUMENT, _ELEMENT, _TEXT, _COMMENT = 0, 1, 2, 3
_IS_TEXT, _CHANGED, _MOVED = 1, 2, 4
_LONGEST = 120
"""Characters of a node that are shown."""


def to_html(matching: Matching, *, title: str = "Matching") -> str:
    """One HTML page that needs nothing else: two trees side by side with their pairs joined.

    What has no partner, what changed and what moved is coloured; subtrees without differences are folded. Pointing at a node shows its
    partner, a click brings the partner beside it, the search looks in both pages. Only the rows in sight are drawn, so pages of a
    hundred thousand nodes scroll as small ones do. Blank texts are left out. What the pages hold is shown as text and never run.

    >>> from treelace.matching import match
    >>> from treelace.tree import parse
    >>> page = to_html(match(parse("<p>one"), parse("<p class=x>one")), title="Two pages")
    >>> page.startswith("<!DOCTYPE html>"), "Two pages" in page
    (True, True)
    """
    from importlib.resources import files

    old_rows, new_rows = _shown(matching.old_tree), _shown(matching.new_tree)
    new_of_old, old_of_new = matching.new_of_old().tolist(), matching.old_of_new().tolist()
    sure_of_old = dict(zip(matching.old.tolist(), matching.confidence.tolist(), strict=True))
    states: dict[int, int] = {}
    old_parents, new_parents = matching.old_tree.parents.tolist(), matching.new_tree.parents.tolist()
    for i, j in matching.pairs:
        is_moved = i > 0 and j > 0 and new_of_old[old_parents[i]] != new_parents[j]
        states[i] = _CHANGED * int(_differ(matching.old_tree, i, matching.new_tree, j)) + _MOVED * int(is_moved)
    old = _columns(matching.old_tree, old_rows, new_of_old, new_rows, states, sure_of_old)
    new_states = {j: states[i] for i, j in matching.pairs}
    new_sure = {j: sure_of_old[i] for i, j in matching.pairs}
    new = _columns(matching.new_tree, new_rows, old_of_new, old_rows, new_states, new_sure)
    counts = {
        "pairs": sum(partner >= 0 for partner in old["partner"]),
        "removed": sum(partner < 0 for partner in old["partner"]),
        "added": sum(partner < 0 for partner in new["partner"]),
        "changed": sum(bool(state & _CHANGED) for state in old["state"]),
        "moved": sum(bool(state & _MOVED) for state in old["state"]),
    }
    data = json.dumps({"title": title, "counts": counts, "old": old, "new": new}, separators=(",", ":"))
    template = files("treelace.matching").joinpath("drawing.html").read_text(encoding="utf-8")
    # nothing of the pages may end the script it stands in
    return template.replace("@DATA@", data.replace("<", "\\u003c"))


def _shown(tree: Tree) -> dict[int, int]:
    """The nodes that get a row, and which: all but blank texts."""
    core = tree._core
    kept = (i for i in range(len(tree)) if core.kind(i) != _TEXT or core.text(i).strip())
    return {i: row for row, i in enumerate(kept)}


def _columns(
    tree: Tree, rows: dict[int, int], partners: list[int], partner_rows: dict[int, int], states: dict[int, int], sure: dict[int, float]
) -> dict[str, list[Any]]:
    depths = tree.depths.tolist()
    return {
        "depth": [depths[i] for i in rows],
        "words": [_words(tree, i) for i in rows],
        "partner": [partner_rows.get(partners[i], -1) for i in rows],
        "state": [states.get(i, 0) + _IS_TEXT * (tree._core.kind(i) not in (_DOCUMENT, _ELEMENT)) for i in rows],
        "sure": [round(100 * sure.get(i, 0.0)) for i in rows],
    }


def _words(tree: Tree, i: int) -> str:
    """`div#main.wide href="…"`, or what a text says."""
    core = tree._core
    kind = core.kind(i)
    if kind == _DOCUMENT:
        return "document"
    if kind != _ELEMENT:
        said = " ".join(core.text(i).split()) or core.local_name(i)
        return _cut(f"“{said}”" if kind == _TEXT else f"<!-- {said} -->" if kind == _COMMENT else f"<{said}>")
    attributes = {f"{prefix}:{name}" if prefix else name: value for prefix, _, name, value in core.attributes(i)}
    name = core.local_name(i)
    name += "".join(f"#{word}" for word in attributes.pop("id", "").split())
    name += "".join(f".{word}" for word in attributes.pop("class", "").split())
    return _cut(" ".join([name, *(f'{key}="{" ".join(value.split())}"' for key, value in attributes.items())]))


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


def _differ(old: Tree, i: int, new: Tree, j: int) -> bool:
    """Whether the two nodes themselves differ, whatever stands below them."""
    left, right = old._core, new._core
    if left.kind(i) in (_DOCUMENT, _ELEMENT):
        return left.name_parts(i)[1:] != right.name_parts(j)[1:] or sorted(left.attributes(i)) != sorted(right.attributes(j))
    return left.text(i) != right.text(j)
