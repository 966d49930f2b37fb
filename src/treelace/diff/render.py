"""A delta for people: as lines with paths and word-level marks, and as counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.diff.operations import Attribute, Delete, Insert, Move, Rename, Reorder, Update
from treelace.diff.xids import Xids
from treelace.tree import Kind

if TYPE_CHECKING:
    from treelace.diff.delta import Delta
    from treelace.diff.operations import Edit
    from treelace.tree import Node, Tree

_COLOURS = {"−": "31", "+": "32", "~": "33", "→": "36", "@": "1"}


def stat(delta: Delta, old: Tree, new: Tree) -> str:
    """How much changed, in one line."""
    counts = ", ".join(f"{count:,} {name}" for name, count in delta.counts.items()) or "no change"
    return f"{counts} ({len(old) - 1:,} → {len(new) - 1:,} nodes)\n"


def text(delta: Delta, old: Tree, new: Tree, *, has_colour: bool = False) -> str:
    """One block a place: its path, then what went (−), came (+), moved (→) or changed (~) there."""
    return Told(delta, old, new, has_colour=has_colour).text()


class Told:
    """Says where the nodes of a delta stand."""

    def __init__(self, delta: Delta, old: Tree, new: Tree, *, has_colour: bool = False) -> None:
        self.delta, self.old, self.new, self.has_colour = delta, old, new, has_colour
        self.old_index = _by_xid(delta.old_xids(old))
        self.new_index = _by_xid(delta.new_xids(new))

    def text(self) -> str:
        """All of it."""
        lines: list[str] = []
        last = ""
        for path, mark, words in sorted(self._rows(), key=lambda row: row[0]):
            place = self.path(path)
            if place != last:
                lines.append(self._coloured("@", place))
                last = place
            lines += [self._coloured(mark, f"  {mark} {word}") for word in words]
        return "".join(line + "\n" for line in lines)

    def path(self, place: tuple[int, int]) -> str:
        """XPath of a place: (index in the new document, 0), or, where the node has gone, (index, index in the old one + 1)."""
        index, gone = place
        return (self.old[gone - 1] if gone else self.new[index]).xpath

    def _rows(self) -> list[tuple[tuple[int, int], str, list[str]]]:
        rows = []
        for operation in self.delta.operations:
            match operation:
                case Delete(place=place, nodes=nodes):
                    rows.append((self._old_place(place.parent), "−", [shown for node in nodes for shown in _shown(node)]))
                case Insert(place=place, nodes=nodes):
                    rows.append(((self.new_index[place.parent], 0), "+", [shown for node in nodes for shown in _shown(node)]))
                case Move(xids=xids, origin=origin):
                    nodes_here = [self.new[self.new_index[xid]] for xid in xids]
                    came = self.path(self._old_place(origin.parent))
                    words = [f"{_brief(node)} from {came}[{origin.at}]" for node in nodes_here]
                    rows.append(((self.new_index[operation.target.parent], 0), "→", words))
                case Update(xid=xid):
                    words = [self._changed(operation.old, operation.new, operation.edits)]
                    rows.append(((self.new_index[xid], 0), "~", words))
                case Attribute(xid=xid, name=name):
                    words = [f"@{name.qualified}: {self._changed(operation.old, operation.new, operation.edits)}"]
                    rows.append(((self.new_index[xid], 0), "~", words))
                case Rename(xid=xid):
                    rows.append(((self.new_index[xid], 0), "~", [f"<{operation.old.qualified}> is now <{operation.new.qualified}>"]))
                case Reorder():
                    pass
        return rows

    def _old_place(self, xid: int) -> tuple[int, int]:
        if xid in self.new_index:
            return self.new_index[xid], 0
        index = self.old_index[xid]
        return 0, index + 1

    def _changed(self, old: str | None, new: str | None, edits: tuple[Edit, ...]) -> str:
        if edits:
            return " … ".join(f"[-{_cut(edit.old)}-]{{+{_cut(edit.new)}+}}" for edit in edits)
        if old is None:
            return f"{{+{_cut(new or '')}+}}"
        if new is None:
            return f"[-{_cut(old)}-]"
        return f"{_cut(old)!r} → {_cut(new)!r}"

    def _coloured(self, mark: str, line: str) -> str:
        return f"\x1b[{_COLOURS[mark]}m{line}\x1b[0m" if self.has_colour else line


def _by_xid(xids: Xids) -> dict[int, int]:
    return {xid: index for index, xid in enumerate(xids.of.tolist())}


def _shown(node: Node) -> list[str]:
    if node.kind == Kind.TEXT:
        return [repr(_cut(node.text))] if node.text.strip() else []
    return node.to_outline(width=80, fold=True).splitlines()


def _brief(node: Node) -> str:
    lines = _shown(node)
    more = f" (+{len(lines) - 1})" if len(lines) > 1 else ""
    return (lines[0] if lines else "blank text") + more


def _cut(words: str, most: int = 120) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"
