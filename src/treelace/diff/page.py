"""A delta as one HTML page: old and new side by side, unchanged parts folded, moves drawn as
lines.
"""

from __future__ import annotations

from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from treelace.diff.ignore import Ignore
from treelace.diff.operations import Attribute, Delete, Insert, Move, Rename, Update
from treelace.diff.render import by_xid, stat, visible
from treelace.diff.words import pieces
from treelace.tree import Kind

if TYPE_CHECKING:
    from treelace.diff.delta import Delta
    from treelace.tree import Tree

_NOTHING = Ignore()
# rows of context around a change; longer unchanged stretches are folded
_CONTEXT = 3
_MOST_ROWS = 20_000

_STYLE = """
body{font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;margin:0;color:#222;background:#fff}
header{padding:.6em 1em;border-bottom:1px solid #ccc;font-family:system-ui,sans-serif}
table{border-collapse:collapse;width:100%;table-layout:fixed}
td{width:50%;padding:0 .8em;vertical-align:top;white-space:pre-wrap;overflow-wrap:anywhere;border-right:1px solid #ddd}
.went{background:#ffecec}.came{background:#e6ffed}.moved{background:#e8f1ff}.changed{background:#fff8e0}
del{background:#ffb8b8;text-decoration:none}ins{background:#a6f0b8;text-decoration:none}
tr.fold td{color:#888;background:#f6f6f6;text-align:center;cursor:pointer}
main{position:relative}svg{position:absolute;inset:0;width:100%;height:100%;pointer-events:none}
path{fill:none;stroke:#3b7dd8;stroke-width:1.5;opacity:.6}
@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}td{border-color:#444}tr.fold td{background:#262626}
.went{background:#4a2020}.came{background:#1d4226}.moved{background:#1d2f4d}.changed{background:#45401c}del{background:#8a3030}ins{background:#2a7a3d}}
"""

_SCRIPT = """
const draw=()=>{const svg=document.querySelector('svg'),main=document.querySelector('main'),o=main.getBoundingClientRect();svg.innerHTML='';
for(const a of document.querySelectorAll('[data-from]')){const b=document.querySelector(`[data-to="${a.dataset.from}"]`);
if(!b||!a.offsetParent||!b.offsetParent)continue;
const r=a.getBoundingClientRect(),s=b.getBoundingClientRect();
const y=r.top+r.height/2-o.top,z=s.top+s.height/2-o.top,x=r.right-o.left-24,w=s.left-o.left+6;
const p=document.createElementNS('http://www.w3.org/2000/svg','path');
p.setAttribute('d',`M${x} ${y}C${x+60} ${y} ${w-60} ${z} ${w} ${z}`);svg.append(p)}};
for(const f of document.querySelectorAll('tr.fold'))
f.onclick=()=>{f.parentElement.nextElementSibling.hidden=false;f.parentElement.hidden=true;draw()};
addEventListener('resize',draw);draw();
"""


class _Line(NamedTuple):
    html: str
    mark: str
    move: int | None


def page(
    delta: Delta, old: Tree, new: Tree, *, title: str = "What changed", ignore: Ignore = _NOTHING
) -> str:
    """A whole page that needs nothing else: no network, no other file. Everything from the
    documents is escaped; what is ignored stands there without a mark.
    """
    rows = _aligned(*_lines(delta, old, new, ignore))
    body = "".join(_groups(rows[:_MOST_ROWS]))
    more = (
        f"<p>… {len(rows) - _MOST_ROWS:,} more rows are left out</p>"
        if len(rows) > _MOST_ROWS
        else ""
    )
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport"'
        f' content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><header><b>{escape(title)}</b>"
        f" {escape(stat(delta, old, new, ignore=ignore))}</header>"
        f"<main><table>{body}</table><svg></svg></main>{more}<script>{_SCRIPT}</script></html>\n"
    )


def _lines(
    delta: Delta, old: Tree, new: Tree, ignore: Ignore
) -> tuple[dict[int, _Line], dict[int, _Line], list[tuple[int, int]]]:
    """Lines of both documents by index, and the pairs that stand beside each other."""
    old_index, new_index = by_xid(delta.old_xids(old)), by_xid(delta.new_xids(new))
    partner = {old_index[xid]: index for xid, index in new_index.items() if xid in old_index}
    back = {index: node for node, index in partner.items()}
    moves: dict[int, int] = {}
    changed: set[int] = set()
    went: set[int] = set()
    came: set[int] = set()
    for operation in ignore.reported(delta, old, new):
        match operation:
            case Delete(xids=xids):
                went.update(
                    index
                    for xid in xids
                    for index in range(old_index[xid], int(old.end(old_index[xid])))
                )
            case Insert(xids=xids):
                came.update(
                    index
                    for xid in xids
                    for index in range(new_index[xid], int(new.end(new_index[xid])))
                )
            case Move(xids=xids):
                for xid in xids:
                    moves[xid] = len(moves) + 1
            case Update(xid=xid) | Attribute(xid=xid) | Rename(xid=xid):
                changed.add(xid)
            case _:
                pass
    moved_old = {old_index[xid]: number for xid, number in moves.items()}
    moved_new = {new_index[xid]: number for xid, number in moves.items()}
    changed_old = {old_index[xid] for xid in changed}
    left: dict[int, _Line] = {}
    right: dict[int, _Line] = {}
    for tree, lines, other, found in (
        (old, left, partner, moved_old),
        (new, right, back, moved_new),
    ):
        is_old = tree is old
        for index in range(1, len(tree)):
            if (
                tree.kind(index) == Kind.TEXT
                and not tree.own_text(index).strip()
                and index in other
            ):
                continue
            mate = other.get(index)
            mark = (
                ""
                if mate is not None or index not in (went if is_old else came)
                else "went"
                if is_old
                else "came"
            )
            inside = _written(tree, index)
            if mate is not None and (index if is_old else mate) in changed_old:
                mark, inside = (
                    "changed",
                    _marked(
                        _plain(old, index if is_old else mate),
                        _plain(new, mate if is_old else index),
                        is_old=is_old,
                    ),
                )
            if index in found:
                mark = mark or "moved"
            lines[index] = _Line("  " * (tree.depth(index) - 1) + inside, mark, found.get(index))
    # nodes that stay, with all above them: the same order in both
    stay = {0}
    pairs = []
    parents = old.parents.tolist()
    for node in range(1, len(old)):
        if (
            node in partner
            and node not in moved_old
            and parents[node] in stay
            and int(new.parents[partner[node]]) == partner.get(parents[node], 0)
        ):
            stay.add(node)
            if node in left and partner[node] in right:
                pairs.append((node, partner[node]))
    return left, right, pairs


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
    return escape(words if len(words) <= 400 else words[:399] + "…")


def _marked(old: str, new: str, *, is_old: bool) -> str:
    out = ""
    for piece in pieces(old, new):
        words = escape(piece.old if is_old else piece.new)
        out += (
            words
            if piece.is_same
            else (
                f"<{'del' if is_old else 'ins'}>{words}</{'del' if is_old else 'ins'}>"
                if words
                else ""
            )
        )
    return out
