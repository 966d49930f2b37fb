"""A delta as one HTML page: old beside new, unchanged parts folded, moves drawn as lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import NamedTuple

from treelace import look
from treelace.diff.operations import Attribute, Delete, Insert, Move, Rename, Update
from treelace.diff.outputs.output import Change
from treelace.diff.outputs.stat import stat
from treelace.diff.outputs.text import by_xid, visible
from treelace.diff.words import pieces
from treelace.look import escape
from treelace.tree import Kind, Tree

_CONTEXT = 3
"""Rows of context around a change; longer unchanged stretches are folded."""
_MOST_ROWS = 20_000
_MOST_CHARACTERS_OF_A_NODE = 400
_LEGEND = {"went": "removed", "came": "added", "changed": "changed", "moved": "moved"}

_STYLE = """
main { position: relative; font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; }
table { width: 100%; table-layout: fixed; }
td { width: 50%; padding: 0 .8em; white-space: pre-wrap; border: 0;
  border-right: 1px solid var(--line); }
del { background: var(--gone-word); text-decoration: none; }
ins { background: var(--come-word); text-decoration: none; }
tr.fold td { color: var(--soft); background: var(--hover); text-align: center; cursor: pointer; }
svg { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
path { fill: none; stroke: var(--moved); stroke-width: 1.5; opacity: .6; }
"""

_SCRIPT = """
const draw = () => {
  const svg = document.querySelector('svg'), main = document.querySelector('main');
  const o = main.getBoundingClientRect();
  svg.innerHTML = '';
  for (const a of document.querySelectorAll('[data-from]')) {
    const b = document.querySelector(`[data-to="${a.dataset.from}"]`);
    if (!b || !a.offsetParent || !b.offsetParent) continue;
    const r = a.getBoundingClientRect(), s = b.getBoundingClientRect();
    const y = r.top + r.height / 2 - o.top, z = s.top + s.height / 2 - o.top;
    const x = r.right - o.left - 24, w = s.left - o.left + 6;
    const p = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    p.setAttribute('d', `M${x} ${y}C${x + 60} ${y} ${w - 60} ${z} ${w} ${z}`);
    svg.append(p);
  }
};
for (const f of document.querySelectorAll('tr.fold'))
  f.onclick = () => {
    f.parentElement.nextElementSibling.hidden = false;
    f.parentElement.hidden = true;
    draw();
  };
addEventListener('resize', draw);
draw();
"""


class _Line(NamedTuple):
    html: str
    mark: str
    move: int | None


def html(change: Change) -> str:
    """A whole page that needs nothing else: no network, no other file. Everything from the
    documents is escaped; what is ignored stands there without a mark.
    """
    return look.page(
        f"{change.old_name} → {change.new_name}",
        f"<main>{side_by_side(change)}<svg></svg></main>",
        head=f"{escape(stat(change))} {look.legend(_LEGEND)}",
        style=_STYLE,
        script=_SCRIPT,
    )


def side_by_side(change: Change) -> str:
    """The table alone, as markup: old lines beside new ones, unchanged parts folded."""
    rows = _aligned(*Sides(change).lines())
    left_out = f"<p>… {len(rows) - _MOST_ROWS:,} more rows are left out</p>"
    more = left_out if len(rows) > _MOST_ROWS else ""
    return f"<table>{''.join(_groups(rows[:_MOST_ROWS]))}</table>{more}"


class Sides:
    """The nodes of both documents, with what became of each."""

    def __init__(self, change: Change) -> None:
        delta, old, new = change.delta, change.old, change.new
        self.old, self.new = old, new
        self.old_index, self.new_index = by_xid(delta.old_xids(old)), by_xid(delta.new_xids(new))
        self.new_of_old = {
            self.old_index[xid]: index
            for xid, index in self.new_index.items()
            if xid in self.old_index
        }
        self.moves: dict[int, int] = {}
        self.changed: set[int] = set()
        self.went: set[int] = set()
        self.came: set[int] = set()
        for operation in change.reported():
            match operation:
                case Delete(xids=xids):
                    self.went.update(_inside(old, self.old_index, xids))
                case Insert(xids=xids):
                    self.came.update(_inside(new, self.new_index, xids))
                case Move(xids=xids):
                    for xid in xids:
                        self.moves[xid] = len(self.moves) + 1
                case Update(xid=xid) | Attribute(xid=xid) | Rename(xid=xid):
                    self.changed.add(self.old_index[xid])
                case _:
                    pass  # the order of attributes is nothing to see

    def lines(self) -> tuple[dict[int, _Line], dict[int, _Line], list[tuple[int, int]]]:
        """Lines of both documents by index, and the pairs that stand beside each other."""
        moved = {self.old_index[xid]: number for xid, number in self.moves.items()}
        moved_here = {self.new_index[xid]: number for xid, number in self.moves.items()}
        old_of_new = {index: node for node, index in self.new_of_old.items()}
        left = self._lines(self.old, self.new_of_old, moved, "went", self.went)
        right = self._lines(self.new, old_of_new, moved_here, "came", self.came)
        # nodes that stay, with all above them: the same order in both
        stay, pairs = {0}, []
        parents, new_parents = self.old.parents.tolist(), self.new.parents.tolist()
        for node, partner in sorted(self.new_of_old.items()):
            above = parents[node] if node else 0
            if (
                node
                and node not in moved
                and above in stay
                and new_parents[partner] == self.new_of_old.get(above, 0)
            ):
                stay.add(node)
                if node in left and partner in right:
                    pairs.append((node, partner))
        return left, right, pairs

    def _lines(
        self,
        tree: Tree,
        partners: Mapping[int, int],
        moved: Mapping[int, int],
        mark_alone: str,
        alone: set[int],
    ) -> dict[int, _Line]:
        """A line for each node of one of the documents."""
        lines, is_old = {}, mark_alone == "went"
        for node in _shown(tree, partners):
            partner = partners.get(node)
            old, new = (node, partner) if is_old else (partner, node)
            if old is not None and new is not None and old in self.changed:
                inside = _marked(_plain(self.old, old), _plain(self.new, new), is_old=is_old)
                mark = "changed"
            else:
                inside = _written(tree, node)
                mark = mark_alone if partner is None and node in alone else ""
            move = moved.get(node)
            indented = "  " * (tree.depth(node) - 1) + inside
            lines[node] = _Line(indented, mark or ("moved" if move is not None else ""), move)
        return lines


def _inside(tree: Tree, index: Mapping[int, int], xids: Iterable[int]) -> Iterable[int]:
    return (node for xid in xids for node in range(index[xid], tree.end(index[xid])))


def _shown(tree: Tree, partners: Mapping[int, int]) -> Iterable[int]:
    """The nodes that get a line: all but the document and blank texts that stayed."""
    return (
        node
        for node in range(1, len(tree))
        if node not in partners or tree.kind(node) != Kind.TEXT or tree.own_text(node).strip()
    )


def _aligned(
    left: dict[int, _Line], right: dict[int, _Line], pairs: list[tuple[int, int]]
) -> list[tuple[_Line | None, _Line | None]]:
    rows: list[tuple[_Line | None, _Line | None]] = []
    old, new = sorted(left), sorted(right)
    i = j = 0
    for a, b in [*pairs, (1 << 40, 1 << 40)]:
        before = []
        while i < len(old) and old[i] < a:
            before.append(left[old[i]])
            i += 1
        after = []
        while j < len(new) and new[j] < b:
            after.append(right[new[j]])
            j += 1
        rows += zip_longest(before, after)
        if i < len(old) and j < len(new):
            rows.append((left[old[i]], right[new[j]]))
            i, j = i + 1, j + 1
    return rows


def _groups(rows: list[tuple[_Line | None, _Line | None]]) -> list[str]:
    is_plain = [all(cell is None or not cell.mark for cell in row) for row in rows]
    near = [False] * len(rows)
    for number, plain in enumerate(is_plain):
        if not plain:
            for at in range(max(0, number - _CONTEXT), min(len(rows), number + _CONTEXT + 1)):
                near[at] = True
    out = []
    number = 0
    while number < len(rows):
        end = number
        while end < len(rows) and near[end] == near[number]:
            end += 1
        inside = "".join(_row(row) for row in rows[number:end])
        if near[number] or end - number < 2:
            out.append(f"<tbody>{inside}</tbody>")
        else:
            out.append(
                f"<tbody><tr class=fold><td colspan=2>{end - number:,} unchanged"
                f" lines</td></tr></tbody><tbody hidden>{inside}</tbody>"
            )
        number = end
    return out


def _row(row: tuple[_Line | None, _Line | None]) -> str:
    cells = []
    for line, name in zip(row, ("from", "to"), strict=True):
        if line is None:
            cells.append("<td></td>")
            continue
        mark = f" class={line.mark}" if line.mark else ""
        move = f" data-{name}={line.move}" if line.move is not None else ""
        cells.append(f"<td{mark}{move}>{line.html}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _plain(tree: Tree, index: int) -> str:
    """A node without its children, as one line."""
    kind, words = tree.kind(index), tree.own_text(index)
    prefix, _, local = tree[index].name
    name = f"{prefix}:{local}" if prefix else local
    if kind == Kind.ELEMENT:
        spelled = ((f"{p}:{k}" if p else k, v) for p, _, k, v in tree.attribute_rows(index))
        attributes = "".join(f' {key}="{value}"' for key, value in spelled)
        return f"<{name}{attributes}>"
    if kind == Kind.TEXT:
        return visible(words.strip() or words)
    if kind == Kind.COMMENT:
        return f"<!--{visible(words)}-->"
    return f"<?{name} {visible(words)}?>" if kind == Kind.INSTRUCTION else f"<!DOCTYPE {name}>"


def _written(tree: Tree, index: int) -> str:
    words = _plain(tree, index)
    longest = _MOST_CHARACTERS_OF_A_NODE
    return escape(words if len(words) <= longest else words[: longest - 1] + "…")


def _marked(old: str, new: str, *, is_old: bool) -> str:
    out, tag = "", "del" if is_old else "ins"
    for piece in pieces(old, new):
        words = escape(piece.old if is_old else piece.new)
        out += words if piece.is_same or not words else f"<{tag}>{words}</{tag}>"
    return out
