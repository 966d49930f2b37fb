"""A matching drawn as a page: the two trees side by side, the pairs joined."""

from __future__ import annotations

import bisect
import itertools
import json
from typing import TYPE_CHECKING, Any

from treelace import look
from treelace.tree import Kind

if TYPE_CHECKING:
    from treelace.matching.matching import Matching
    from treelace.tree import Tree

_IS_TEXT, _CHANGED, _MOVED = 1, 2, 4
"""Bits of a node's state."""
_LONGEST = 120
"""Characters of a node that are shown."""
_LONGEST_CHANGE = 600
"""Characters of what changed on a node."""
_UNSURE = 50
"""Pairs with a confidence below so many hundredths are marked."""


def to_html(
    matching: Matching, *, title: str = "Matching", names: tuple[str, str] = ("", "")
) -> str:
    """One self-contained HTML page: two trees, called `names`, side by side with pairs joined.

    What has no partner, what changed, what moved (under another parent, or among its siblings) and
    what the matcher is unsure of is marked and counted; subtrees without differences are folded.
    Pointing at a node shows its partner, their confidence and what changed; a click brings the
    partner beside it, the search looks in both pages. Only the rows in sight are drawn, so pages of
    a hundred thousand nodes scroll as small ones do. Blank texts are left out. What the pages hold
    is shown as text and never run.

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
    moved = _moved(matching, old_rows)
    changes = {i: _change(matching.old_tree, i, matching.new_tree, j) for i, j in matching.pairs}
    states = {i: _CHANGED * bool(changes[i]) + _MOVED * (i in moved) for i, _ in matching.pairs}
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
        "unsure": sum(
            partner >= 0 and sure < _UNSURE
            for partner, sure in zip(old["partner"], old["sure"], strict=True)
        ),
    }
    said = {old_rows[i]: change for i, change in changes.items() if change and i in old_rows}
    data = json.dumps(
        {
            "title": title,
            "names": names,
            "unsure": _UNSURE,
            "counts": counts,
            "changes": said,
            "old": old,
            "new": new,
        },
        separators=(",", ":"),
    )
    template = files("treelace.matching").joinpath("drawing.html").read_text(encoding="utf-8")
    # nothing of the pages may end the script it stands in
    template = template.replace("@COLOURS@", look.COLOURS.strip())
    return template.replace("@DATA@", data.replace("<", "\\u003c"))


def _moved(matching: Matching, shown: dict[int, int]) -> set[int]:
    """Old nodes under another parent, and the fewest siblings that explain a new order."""
    new_of_old = matching.new_of_old().tolist()
    old_parents, new_parents = (
        matching.old_tree.parents.tolist(),
        matching.new_tree.parents.tolist(),
    )
    moved: set[int] = set()
    families: dict[int, list[tuple[int, int]]] = {}
    for i, j in matching.pairs:
        if i == 0 or j == 0 or i not in shown:
            continue
        if new_of_old[old_parents[i]] != new_parents[j]:
            moved.add(i)
        else:
            families.setdefault(old_parents[i], []).append((i, j))
    for family in families.values():
        if any(before > after for (_, before), (_, after) in itertools.pairwise(family)):
            moved |= {i for i, _ in family} - _in_order(family)
    return moved


def _in_order(family: list[tuple[int, int]]) -> set[int]:
    """The most siblings that kept their order: a longest increasing subsequence, O(n log n)."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for place, (_, j) in enumerate(family):
        length = bisect.bisect_left(ends, j)
        ends[length : length + 1] = [j]
        at[length : length + 1] = [place]
        before.append(at[length - 1] if length else -1)
    kept: set[int] = set()
    place = at[-1]
    while place >= 0:
        kept.add(family[place][0])
        place = before[place]
    return kept


def _shown(tree: Tree) -> dict[int, int]:
    """The nodes that get a row, and which: all but blank texts."""
    kept = (i for i in range(len(tree)) if tree.kind(i) != Kind.TEXT or tree.own_text(i).strip())
    return {i: row for row, i in enumerate(kept)}


def _columns(
    tree: Tree,
    rows: dict[int, int],
    partners: list[int],
    partner_rows: dict[int, int],
    states: dict[int, int],
    sure: dict[int, float],
) -> dict[str, list[Any]]:
    depths = tree.depths.tolist()
    joined = {
        i for i in rows if partners[i] in partner_rows
    }  # a text that was blank has its partner left out
    return {
        "depth": [depths[i] for i in rows],
        "words": [_words(tree, i) for i in rows],
        "partner": [partner_rows[partners[i]] if i in joined else -1 for i in rows],
        "state": [
            (states[i] if i in joined else 0)
            + _IS_TEXT * (tree.kind(i) not in (Kind.DOCUMENT, Kind.ELEMENT))
            for i in rows
        ],
        "sure": [round(100 * sure[i]) if i in joined else 0 for i in rows],
    }


def _words(tree: Tree, i: int) -> str:
    """`div#main.wide href="…"`, or what a text says."""
    kind = tree.kind(i)
    if kind == Kind.DOCUMENT:
        return "document"
    if kind != Kind.ELEMENT:
        said = " ".join(tree.own_text(i).split()) or tree.local_name(i)
        return _cut(
            f"“{said}”"
            if kind == Kind.TEXT
            else f"<!-- {said} -->"
            if kind == Kind.COMMENT
            else f"<{said}>"
        )
    attributes = {
        f"{prefix}:{name}" if prefix else name: value
        for prefix, _, name, value in tree.attribute_rows(i)
    }
    name = tree.local_name(i)
    name += "".join(f"#{word}" for word in attributes.pop("id", "").split())
    name += "".join(f".{word}" for word in attributes.pop("class", "").split())
    return _cut(
        " ".join(
            [name, *(f'{key}="{" ".join(value.split())}"' for key, value in attributes.items())]
        )
    )


def _cut(words: str, longest: int = _LONGEST) -> str:
    return words if len(words) <= longest else words[: longest - 1] + "…"


def _change(old: Tree, i: int, new: Tree, j: int) -> str:
    """What differs between the two nodes themselves, not below them; empty for nothing."""
    if old.kind(i) not in (Kind.DOCUMENT, Kind.ELEMENT):
        return (
            ""
            if old.own_text(i) == new.own_text(j)
            else _cut(f"{_short(old.own_text(i))} → {_short(new.own_text(j))}", _LONGEST_CHANGE)
        )
    names = old[i].name[1:], new[j].name[1:]
    before, after = old.attribute_rows(i), new.attribute_rows(j)
    if names[0] == names[1] and sorted(before) == sorted(after):
        return ""
    said = (
        [f"{names[0][1]} → {names[1][1]}"]
        if names[0][1] != names[1][1]
        else ["another namespace"]
        if names[0] != names[1]
        else []
    )
    was = {f"{prefix}:{name}" if prefix else name: value for prefix, _, name, value in before}
    now = {f"{prefix}:{name}" if prefix else name: value for prefix, _, name, value in after}
    said += [f"− {name}={_short(value)}" for name, value in was.items() if name not in now]
    said += [
        f"{name}: {_short(was[name])} → {_short(value)}"
        for name, value in now.items()
        if name in was and was[name] != value
    ]
    said += [f"+ {name}={_short(value)}" for name, value in now.items() if name not in was]
    return _cut("; ".join(said) or "another namespace of an attribute", _LONGEST_CHANGE)


def _short(value: str) -> str:
    return f"“{_cut(' '.join(value.split()), 200)}”"
