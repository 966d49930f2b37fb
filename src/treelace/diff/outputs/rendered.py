"""Two versions as pages that a browser draws, each with what changed marked in it."""

from __future__ import annotations

from collections.abc import Iterable

from treelace.diff.outputs.html import Sides
from treelace.diff.outputs.output import Change
from treelace.tree import Tree
from treelace.tree.harmless_html import Looks, harmless_html

MARK = "data-treelace-change"
"""The attribute that says what became of a node: went, came, moved, changed."""


def rendered(change: Change, looks: Looks | None = None) -> tuple[str, str]:
    """The old and the new page as HTML that runs nothing and asks for nothing, with what was kept
    of their looks.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<p>tea: 3"), parse("<p>tea: 4<p>milk")
    >>> rendered(Change(delta=diff(old, new), old=old, new=new))[1].count("data-treelace-change")
    2
    """
    sides = Sides(change)
    moved = {sides.old_index[xid] for xid in sides.moves}
    old = _marks(change.old, went=sides.went, moved=moved, changed=sides.changed)
    new = _marks(
        change.new,
        came=sides.came,
        moved={sides.new_index[xid] for xid in sides.moves},
        changed={sides.new_of_old[index] for index in sides.changed if index in sides.new_of_old},
    )
    return harmless_html(change.old, old, looks), harmless_html(change.new, new, looks)


def _marks(tree: Tree, **kinds: Iterable[int]) -> dict[int, str]:
    parents = tree.parents.tolist()
    marks = {}
    for kind, nodes in kinds.items():
        inside = set(nodes)
        for index in inside:
            if not index or parents[index] not in inside:
                marks[index] = f' {MARK}="{kind}"'
    return marks
