"""A delta for a terminal: each place with its path and what changed there, word by word."""

from __future__ import annotations

from treelace.diff.operations import Attribute, Delete, Insert, Move, Rename, Update
from treelace.diff.outputs.output import Change
from treelace.diff.words import pieces
from treelace.diff.xids import Xids
from treelace.tree import Kind, Node
from treelace.tree.json_documents import is_json_tree, json_pointer

_COLOURS = {"-": "31", "+": "32", "~": "33", ">": "36", "@": "1"}
# equal stretches of a text longer than this are cut in their middle
_MOST_EQUAL = 60
# how an outline shows what stands for a node that moved
_HOLE = "<!--  -->"
# lines shown of one subtree
_MOST_LINES = 20


def text(change: Change) -> str:
    """A block for each place: its path, then `-` went, `+` came, `>` moved here, `~` changed.

    Places are in the order of the new document; subtrees are shown as outlines, runs of equal ones
    folded.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> from treelace.diff.outputs import Change
    >>> old = parse("<p>tea: 3 cups</p><i>x</i>")
    >>> new = parse("<p>tea: 4 cups</p><i>x</i><b>new</b>")
    >>> print(text(Change(delta=diff(old, new), old=old, new=new)), end="")
    @ /html/body
      + b "new"
    @ /html/body/p/text()
      ~ tea: [-3-]{+4+} cups
    """
    return TextReport(change).text()


class TextReport:
    """Says where the nodes of a delta stand, and what became of them."""

    def __init__(self, change: Change) -> None:
        self.old, self.new, self.has_colour = change.old, change.new, change.has_colour
        self.operations = change.reported()
        self.old_index = by_xid(change.delta.old_xids(change.old))
        self.new_index = by_xid(change.delta.new_xids(change.new))

    def text(self) -> str:
        """All of it."""
        lines: list[str] = []
        last = None
        for place, mark, words in sorted(self._rows(), key=lambda row: row[0]):
            if place != last:
                lines.append(self._coloured("@", f"@ {self.path(place)}"))
                last = place
            lines += [
                self._coloured(mark, f"  {mark} {word}") if mark != "~" else f"  ~ {word}"
                for word in words
            ]
        return "".join(line + "\n" for line in lines)

    def path(self, place: tuple[int, int]) -> str:
        """The path of (new index, 0), or, for a node that has gone, of (0, old index + 1)."""
        index, gone = place
        return path_of(self.old[gone - 1] if gone else self.new[index])

    def _rows(self) -> list[tuple[tuple[int, int], str, list[str]]]:
        rows: list[tuple[tuple[int, int], str, list[str]]] = []
        for operation in self.operations:
            match operation:
                case Delete(place=place):
                    lines = _content(operation)
                    rows.append((self._old_place(place.parent), "-", lines))
                case Insert(place=place):
                    lines = _content(operation)
                    rows.append(((self.new_index[place.parent], 0), "+", lines))
                case Move(xids=xids, origin=origin, target=target):
                    came = self.path(self._old_place(origin.parent))
                    words = [
                        f"{brief(self.new[self.new_index[xid]])}  (was in {came}, place"
                        f" {origin.at + n})"
                        for n, xid in enumerate(xids)
                    ]
                    rows.append(((self.new_index[target.parent], 0), ">", words))
                case Update(xid=xid):
                    was, now = (
                        tree.own_text(index[xid])
                        for tree, index in ((self.old, self.old_index), (self.new, self.new_index))
                    )
                    rows.append(((self.new_index[xid], 0), "~", [self.marked(was, now)]))
                case Attribute(xid=xid, name=name):
                    _, uri, local = name
                    before, after = (
                        tree.attribute(index[xid], local, namespace=uri) or ""
                        for tree, index in ((self.old, self.old_index), (self.new, self.new_index))
                    )
                    rows.append(
                        ((self.new_index[xid], 0), "~", [f"@{local}: {self.marked(before, after)}"])
                    )
                case Rename(xid=xid, old=was, new=now):
                    words = [f"{self.marked(was.expanded, now.expanded)} (renamed)"]
                    rows.append(((self.new_index[xid], 0), "~", words))
                case _:
                    pass  # the order of attributes is nothing to see
        return [row for row in rows if row[2]]

    def _old_place(self, xid: int) -> tuple[int, int]:
        return (self.new_index[xid], 0) if xid in self.new_index else (0, self.old_index[xid] + 1)

    def marked(self, old: str, new: str) -> str:
        """Both texts in one line: `[-went-]{+came+}`, or in colours."""
        out = ""
        found = pieces(old, new)
        for number, piece in enumerate(found):
            if piece.is_same:
                out += visible(
                    _folded(piece.old, is_first=number == 0, is_last=number == len(found) - 1)
                )
                continue
            if piece.old:
                went = visible(piece.old)
                out += self._coloured("-", went) if self.has_colour else f"[-{went}-]"
            if piece.new:
                came = visible(piece.new)
                out += self._coloured("+", came) if self.has_colour else f"{{+{came}+}}"
        return out

    def _coloured(self, mark: str, words: str) -> str:
        return f"\x1b[{_COLOURS[mark]}m{words}\x1b[0m" if self.has_colour else words


def path_of(node: Node) -> str:
    """Where a node stands, for a reader: its XPath, in a JSON document its JSON pointer."""
    return (json_pointer(node) if is_json_tree(node.tree) else node.xpath) or "/"


def by_xid(xids: Xids) -> dict[int, int]:
    """Index of each node by its XID."""
    return {xid: index for index, xid in enumerate(xids.of.tolist())}


def _content(operation: Delete | Insert) -> list[str]:
    """The lines of what went or came. A node that moved has left an empty comment, which is no
    content; the move is told where it went.
    """
    lines = [line for node in operation.nodes for line in shown(node)]
    return [line for line in lines if line.strip() != _HOLE] if operation.elsewhere else lines


def shown(node: Node) -> list[str]:
    """A node as lines; blank texts are nothing to see."""
    if node.kind == Kind.TEXT:
        return [f'"{visible(_cut(node.text.strip()))}"'] if node.text.strip() else []
    lines = node.to_outline(width=90, fold=True).splitlines()
    return (
        lines
        if len(lines) <= _MOST_LINES
        else [*lines[: _MOST_LINES - 1], f"… {len(lines) - _MOST_LINES + 1} more lines"]
    )


def brief(node: Node) -> str:
    """A node as one line."""
    lines = shown(node)
    return (lines[0] if lines else "blank text") + (
        f" (and {len(lines) - 1} lines inside)" if len(lines) > 1 else ""
    )


def visible(words: str) -> str:
    """Control characters as escapes: a page must not write to the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in words)


def _folded(words: str, *, is_first: bool, is_last: bool) -> str:
    if len(words) <= _MOST_EQUAL:
        return words
    half = _MOST_EQUAL // 2
    return ("" if is_first else words[:half]) + "…" + ("" if is_last else words[-half:])


def _cut(words: str, most: int = 120) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"
