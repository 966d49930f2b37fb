"""The operations of a delta, as Python sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from treelace import _kernel
from treelace.tree import Name, Node, Tree


@dataclass(frozen=True, slots=True)
class Place:
    """A child position: XID of the parent (0: the document), position among its children from 1."""

    parent: int
    at: int


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a text that was replaced; `at` counts the characters of the old text before it."""

    at: int
    old: str
    new: str


@dataclass(frozen=True, slots=True, eq=False)
class Delete:
    """A run of adjacent siblings went away. `place` is in the old document; a node of `elsewhere`
    has moved away from there before.
    """

    place: Place
    nodes: tuple[Node, ...]
    xids: tuple[int, ...]
    elsewhere: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Insert:
    """A run of adjacent siblings came in. `place` is in the new document; a node of `elsewhere` has
    moved there from outside.
    """

    place: Place
    nodes: tuple[Node, ...]
    xids: tuple[int, ...]
    elsewhere: frozenset[int]


@dataclass(frozen=True, slots=True)
class Move:
    """A run of siblings moved; `origin` is in the old document, `target` in the new one."""

    xids: tuple[int, ...]
    origin: Place
    target: Place


@dataclass(frozen=True, slots=True)
class Update:
    """A text, comment or instruction changed: in full (`edits` is empty), or in the pieces of
    `edits` (`old` and `new` are None).
    """

    xid: int
    old: str | None
    new: str | None
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Rename:
    """An element, instruction or doctype has another name."""

    xid: int
    old: Name
    new: Name


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute came (`old` is None), went (`new` is None), or changed: in full, or in the
    pieces of `edits` (both are None).
    """

    xid: int
    name: Name
    old: str | None
    new: str | None
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Reorder:
    """Attributes changed order, which equality ignores: places in natural order, both ways."""

    xid: int
    old: tuple[int, ...]
    new: tuple[int, ...]


Operation: TypeAlias = Delete | Insert | Move | Update | Rename | Attribute | Reorder


def operations_of(core: _kernel.Delta) -> tuple[Operation, ...]:
    """All operations of a kernel delta."""
    content = Tree(core.content)
    xids = core.content_xids.tolist()
    holes = set(core.holes)
    return tuple(
        _operation(core.operation(number), content, xids, holes) for number in range(len(core))
    )


def _operation(row: tuple[Any, ...], content: Tree, xids: list[int], holes: set[int]) -> Operation:
    match row:
        case ("delete" | "insert" as kind, parent, at, start, end):
            tops = []
            index = start
            while index < end:
                tops.append(content[index])
                index = int(content.end(index))
            inside = range(start, end)
            away = frozenset(xids[it] for it in inside if it in holes)
            cls = Delete if kind == "delete" else Insert
            return cls(Place(parent, at), tuple(tops), tuple(xids[top.index] for top in tops), away)
        case ("move", moved, parent, at, new_parent, new_at):
            return Move(tuple(moved), Place(parent, at), Place(new_parent, new_at))
        case ("update", xid, change):
            return Update(xid, *_change(change))
        case ("rename", xid, old, new):
            return Rename(xid, Name(*old), Name(*new))
        case ("attribute", xid, name, change):
            return Attribute(xid, Name(*name), *_change(change))
        case (_, xid, old, new):
            return Reorder(xid, tuple(old), tuple(new))
    raise AssertionError(row)


def _change(
    change: tuple[str, list[tuple[int, str, str]]],
) -> tuple[str | None, str | None, tuple[Edit, ...]]:
    kind, pieces = change
    if kind == "edits":
        return None, None, tuple(Edit(*piece) for piece in pieces)
    _, old, new = pieces[0]
    return (None if kind == "came" else old), (None if kind == "went" else new), ()
