"""What changed as a list for a reader: each change with its place and both of its texts."""

from __future__ import annotations

from typing import NamedTuple

from treelace.diff.ignore import Ignore
from treelace.diff.operations import Attribute, Delete, Insert, Move, Operation, Rename, Update
from treelace.diff.outputs.output import Change
from treelace.diff.outputs.text import by_xid, path_of
from treelace.tree import Kind, Node

UNSEEN = Ignore(
    css=("head", "script", "style", "noscript", "template", "iframe"),
    attributes=("class", "crossorigin", "id", "integrity", "nonce", "sizes", "srcset", "style"),
    white_space=True,
)
"""What a reader of a page does not see: left out of reports for readers."""
_LONGEST = 2000
"""Characters of a text that are shown."""


class SeenChange(NamedTuple):
    """One change: `added`, `removed`, `moved`, `text`, `renamed` or `@attribute`."""

    what: str
    where: str
    old: str
    new: str


def change_list(change: Change) -> list[SeenChange]:
    """Every change that is reported, in the order of the delta; what has no text is left out.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<p>tea: 3"), parse("<p>tea: 4")
    >>> change_list(Change(delta=diff(old, new), old=old, new=new))
    [SeenChange(what='text', where='/html/body/p/text()', old='tea: 3', new='tea: 4')]
    """
    old_index = by_xid(change.delta.old_xids(change.old))
    new_index = by_xid(change.delta.new_xids(change.new))
    made = (_seen(it, change, old_index, new_index) for it in change.reported())
    return [one for one in made if one is not None and (one.old or one.new)]


def _seen(
    operation: Operation, change: Change, old_index: dict[int, int], new_index: dict[int, int]
) -> SeenChange | None:
    old, new = change.old, change.new
    match operation:
        case Delete(place=place):
            text = " ".join(_text(node) for node in operation.nodes)
            return SeenChange("removed", path_of(old[old_index[place.parent]]), text.strip(), "")
        case Insert(place=place):
            text = " ".join(_text(node) for node in operation.nodes)
            return SeenChange("added", path_of(new[new_index[place.parent]]), "", text.strip())
        case Move(xids=xids, target=target):
            text = " ".join(_text(new[new_index[xid]]) for xid in xids)
            return SeenChange("moved", path_of(new[new_index[target.parent]]), "", text.strip())
        case Update(xid=xid):
            was, now = old.own_text(old_index[xid]), new.own_text(new_index[xid])
            return SeenChange("text", path_of(new[new_index[xid]]), _one_line(was), _one_line(now))
        case Attribute(xid=xid, name=name):
            before = old.attribute(old_index[xid], name[2], namespace=name[1]) or ""
            after = new.attribute(new_index[xid], name[2], namespace=name[1]) or ""
            return SeenChange(f"@{name[2]}", path_of(new[new_index[xid]]), before, after)
        case Rename(xid=xid, old=was_called, new=is_called):
            where = path_of(new[new_index[xid]])
            return SeenChange("renamed", where, was_called.expanded, is_called.expanded)
        case _:
            return None


def _text(node: Node) -> str:
    """The texts in a node, with blanks between them."""
    tree, last = node.tree, int(node.tree.end(node.index))
    inside = range(node.index, last)
    return _one_line(" ".join(tree.own_text(at) for at in inside if tree.kind(at) == Kind.TEXT))


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
