"""The page with its records and columns marked in colour, as one HTML file that needs nothing else
and runs nothing of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from treelace.tree import Kind

if TYPE_CHECKING:
    from treelace.extract.table import Cell, Table
    from treelace.tree import Tree

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none';"
    " form-action 'none'"
)
"""Content security policy of what we write: no script, no network. The page stands in a sandboxed
frame besides.
"""

_DROPPED = frozenset(
    "script iframe frame object embed applet portal link base noembed template".split()
)
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr basefont bgsound frame"
    " keygen".split()
)
_RAW = frozenset(["style", "xmp", "plaintext", "noframes"])
_ADDRESSES = frozenset(
    ["href", "action", "formaction", "ping", "poster", "background", "srcset", "xlink:href", "data"]
)
_MOST_ROWS = 500
_MOST_TABLES = 8

_STYLE = """
body{font:14px/1.45 system-ui,sans-serif;margin:0;color:#222;background:#fff}
header{padding:.6em 1em;border-bottom:1px solid #ccc}h1{font-size:1.1em;margin:0}h2{font-size:1em;margin:.8em 1em .3em}
.scroll{max-height:40vh;overflow:auto;margin:0 1em;border:1px solid #ddd}
table{border-collapse:collapse;font-size:13px}
th,td{padding:.15em .6em;text-align:left;vertical-align:top;border-bottom:1px solid #eee;max-width:32em;overflow-wrap:anywhere}
th{position:sticky;top:0;color:#222}th small{font-weight:normal}td:first-child{color:#888}
iframe{display:block;width:calc(100% - 2em);height:85vh;margin:.8em 1em;border:1px solid #999}
"""


def marked_page(tree: Tree, tables: Sequence[Table], *, title: str = "Tables of a page") -> str:
    """One HTML page: the tables, and below them the page in which every record has a frame and
    every item the colour of its column.

    Tables that share records with one before them (other readings of the same list) are left out.
    Scripts, frames, style sheets and addresses of the page are dropped, what is left stands in a
    sandboxed frame under a content security policy: nothing of the page runs and nothing is
    fetched, so images are missing.

    >>> import treelace as tl
    >>> page = tl.parse("<script>alert(1)</script><ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i></ul>")
    >>> seen = marked_page(page, tl.extract(page))
    >>> "alert" in seen, seen.count("data-treelace-record")
    (False, 3)
    """
    kept = _apart(tables)
    parts = [_listed(table, number) for number, table in enumerate(kept)]
    said = "" if kept else "<p style='margin:1em'>no repeated structure found</p>"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta'
        f' http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><header><h1>{escape(title)}</h1></header>\n"
        + said
        + "\n".join(parts)
        + f"\n{frame(tree, kept)}\n</body></html>\n"
    )


def frame(tree: Tree, tables: Sequence[Table]) -> str:
    """The marked page alone, as a sandboxed `iframe`."""
    return f'<iframe sandbox="" title="the page" srcdoc="{escape(_marked(tree, tables))}"></iframe>'


def colour(column: int, *, table: int = 0, light: int = 82) -> str:
    """The colour of a column: hues by the golden angle, so that neighbours differ."""
    return f"hsl({round((column * 137.5 + table * 47) % 360)} 75% {light}%)"


def _apart(tables: Sequence[Table]) -> list[Table]:
    """Tables whose records share no text or node with those of an earlier one."""
    kept: list[Table] = []
    taken: list[tuple[int, int]] = []
    for table in tables:
        spans = [
            (root.index, int(root.tree.ends[root.index]))
            for roots in table.records
            for root in roots
        ]
        low, high = min(start for start, _ in spans), max(end for _, end in spans)
        if len(kept) < _MOST_TABLES and not any(low < end and start < high for start, end in taken):
            kept.append(table)
            taken.append((low, high))
    return kept


def _listed(table: Table, number: int) -> str:
    heads = "".join(
        f'<th style="background:{colour(at, table=number)}">{escape(column.name)}'
        f" <small>{escape(column.type)}</small></th>"
        for at, column in enumerate(table.columns)
    )
    rows = "".join(
        f"<tr><td>{at}</td>" + "".join(f"<td>{_shown(cell)}</td>" for cell in row) + "</tr>"
        for at, row in enumerate(table.cells[:_MOST_ROWS], start=1)
    )
    more = f"<p>… {len(table) - _MOST_ROWS:,} more rows</p>" if len(table) > _MOST_ROWS else ""
    where = f"{len(table)} records in {table.place}, confidence {table.confidence:.2f}"
    return (
        f"<h2>{escape(where)}</h2><div"
        f' class="scroll"><table><thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}</div>'
    )


def _shown(cell: Cell | None) -> str:
    return "" if cell is None else escape(cell.text)


def _marked(tree: Tree, tables: Sequence[Table]) -> str:
    """The page as HTML with marks, without what runs or fetches."""
    records: dict[int, str] = {}
    items: dict[int, tuple[int, int, str]] = {}
    for number, table in enumerate(tables):
        for at, (roots, row) in enumerate(zip(table.records, table.cells, strict=True), start=1):
            for root in roots:
                records[root.index] = f"record {at} of {len(table)}"
            for place, cell in enumerate(row):
                for item in cell.items if cell is not None else ():
                    if item.kind != "link":
                        items[item.node.index] = (
                            number,
                            place,
                            f"{table.columns[place].name} of record {at}",
                        )
    used = sorted({(number, place) for number, place, _ in items.values()})
    styles = (
        "[data-treelace-record]{outline:2px solid hsl(215 80% 50%)!important;outline-offset:1px}"
        + "".join(
            f'[data-treelace-item="{number}-{place}"]{{background:{colour(place, table=number)}!important;color:#111!important;outline:1px'
            f" solid {colour(place, table=number, light=45)}!important}}"
            for number, place in used
        )
    )
    head = (
        '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'
        f' content="{escape(POLICY)}"><style>{styles}</style>'
    )
    return "<!DOCTYPE html>" + head + _written(tree, records, items)


def _written(tree: Tree, records: dict[int, str], items: dict[int, tuple[int, int, str]]) -> str:
    kinds, ends = tree.kinds.tolist(), tree.ends.tolist()
    out: list[str] = []
    open_until: list[tuple[int, str]] = []
    index = 0
    while index < len(kinds):
        while open_until and open_until[-1][0] <= index:
            out.append(f"</{open_until.pop()[1]}>")
        if kinds[index] == Kind.ELEMENT:
            tag = tree[index].name.local.lower()
            if tag in _DROPPED or not _is_plain(tag) or _is_refresh(tree, index, tag):
                index = ends[index]
                continue
            out.append(f"<{tag}{_attributes(tree, index)}{_marks(index, records, items)}>")
            if tag not in _VOID:
                open_until.append((ends[index], tag))
        elif kinds[index] == Kind.TEXT:
            text = tree[index].text
            raw = bool(open_until) and open_until[-1][1] in _RAW
            written = text.replace("</", "<\\/") if raw else escape(text, quote=False)
            marks = "" if raw else _marks(index, records, items)
            out.append(f"<span{marks}>{written}</span>" if marks else written)
        index += 1
    out += [f"</{tag}>" for _, tag in reversed(open_until)]
    return "".join(out)


def _marks(index: int, records: dict[int, str], items: dict[int, tuple[int, int, str]]) -> str:
    marks, said = "", []
    if index in items:
        number, place, words = items[index]
        marks += f' data-treelace-item="{number}-{place}"'
        said.append(words)
    if index in records:
        marks += ' data-treelace-record=""'
        said.append(records[index])
    return f'{marks} title="{escape(", ".join(said))}"' if marks else ""


def _attributes(tree: Tree, index: int) -> str:
    """The attributes of an element, without handlers, addresses and names of our own."""
    kept = []
    for name, value in tree[index].attributes.items():
        low = name.lower()
        is_source = low == "src" and not value.lstrip().lower().startswith("data:image/")
        if (
            low.startswith(("on", "data-treelace"))
            or low in _ADDRESSES
            or low == "title"
            or is_source
            or not _is_plain(name)
        ):
            continue
        kept.append(f' {name}="{escape(value)}"')
    return "".join(kept)


def _is_plain(name: str) -> bool:
    return bool(name) and all(character.isalnum() or character in "-_:." for character in name)


def _is_refresh(tree: Tree, index: int, tag: str) -> bool:
    return tag == "meta" and tree[index].attribute("http-equiv") is not None
