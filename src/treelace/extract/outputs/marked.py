"""The page with records and columns marked in colour: one HTML file without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from treelace import look
from treelace.extract.cells.cell import Cell, Column
from treelace.extract.cells.value_text import value_text
from treelace.extract.outputs.table_data import MIN_SURE_CONFIDENCE, TableData
from treelace.look import NO_NETWORK, column_colour, escape
from treelace.tree import Tree
from treelace.tree.harmless_html import NODE, element_numbers, harmless_html

T = TypeVar("T", bound=TableData)
RECORD_ID = "treelace-r"
"""Begins the `id` of each record of the first table; its number follows, from 1."""
MAX_SHOWN_ROWS = 500
"""Rows of a table that are listed; how many more there are is said."""

MAX_SHOWN_TABLES = 8
"""Tables of a page that are listed."""


_STYLE = """
.scroll { max-height: 40vh; overflow: auto; margin: 0 1em; border: 1px solid var(--line); }
table { font-size: 13px; }
th, td { max-width: 32em; }
th { position: sticky; top: 0; }
th small { font-weight: normal; }
td:first-child, h2 small { color: var(--soft); }
h2 small { font-weight: normal; }
details { margin: .8em 1em; }
details h2, details .scroll { margin-left: 0; margin-right: 0; padding-left: 0; }
iframe { display: block; width: calc(100% - 2em); height: 85vh; margin: .8em 1em;
  border: 1px solid var(--line); background: #fff; }
"""


def marked_page(tree: Tree, tables: Sequence[TableData], *, title: str = "Tables of a page") -> str:
    """One HTML page: the tables, then the page with records framed and items in column colours.

    Tables that share records with one before them (other readings of the same list) are left out;
    those that are likelier not what a person wants are folded away at the end.
    Scripts, frames, style sheets and addresses of the page are dropped, what is left stands in a
    sandboxed frame under a content security policy: nothing of the page runs and nothing is
    fetched, so images are missing.

    >>> import treelace as tl
    >>> rows = "<li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i>"
    >>> page = tl.parse(f"<script>alert(1)</script><ul>{rows}</ul>")
    >>> seen = marked_page(page, tl.extract(page))
    >>> "alert" in seen, seen.count("data-treelace-record=")
    (False, 2)
    """
    kept = apart(tables)
    # the others are folded away below, unless there is no better one
    sure = sum(table.confidence >= MIN_SURE_CONFIDENCE for table in kept) or 1
    parts = [_listed(table, number) for number, table in enumerate(kept)]
    nothing = "" if kept else "<p style='margin:1em'>no repeated structure found</p>"
    body = nothing + "\n".join(parts[:sure]) + f"\n{frame(tree, kept[:sure])}"
    if others := parts[sure:]:
        said = f"{len(others)} other table{'s' * (len(others) > 1)}, likelier not what you want"
        body += f"\n<details><summary>{said}</summary>{''.join(others)}</details>"
    return look.page(title, body, style=_STYLE)


def frame(tree: Tree, tables: Sequence[TableData], *, style: str = "") -> str:
    """The marked page alone, as a sandboxed `iframe`."""
    return look.frame(marked_html(tree, tables), title="the page", style=style)


def apart(tables: Sequence[T]) -> list[T]:
    """Tables whose records share no text or node with those of an earlier one."""
    kept: list[T] = []
    taken: list[tuple[int, int]] = []
    for table in tables:
        spans = [
            (root.index, int(root.tree.ends[root.index]))
            for roots in table.records
            for root in roots
        ]
        low, high = min(start for start, _ in spans), max(end for _, end in spans)
        if len(kept) < MAX_SHOWN_TABLES and not any(
            low < end and start < high for start, end in taken
        ):
            kept.append(table)
            taken.append((low, high))
    return kept


def _listed(table: TableData, number: int) -> str:
    where = f"in {table.place}, confidence {table.confidence:.2f}"
    shown = look.table(
        [column.name for column in table.columns],
        [
            [_short(cell, column) for cell, column in zip(row, table.columns, strict=True)]
            for row in table.cells
        ],
        notes=["" if column.type == "text" else column.type for column in table.columns],
        most_rows=MAX_SHOWN_ROWS,
        is_coloured=True,
        is_numbered=True,
        hue=number,
    )
    count = f"{len(table):,} record{'s' * (len(table) != 1)}"
    return f'<h2>{count} <small>{escape(where)}</small></h2><div class="scroll">{shown}</div>'


def _short(cell: Cell | None, column: Column) -> str | None:
    """What a cell says, without a label in front; of a picture, the name of its file."""
    if cell is None or column.type != "image":
        return None if cell is None else value_text(cell.text, column.name)
    return cell.text.split("?")[0].rstrip("/").rsplit("/", 1)[-1] or cell.text


def marked_html(
    tree: Tree, tables: Sequence[TableData], *, policy: str = NO_NETWORK, is_numbered: bool = False
) -> str:
    """The page as HTML with records and cells marked, without what runs or fetches; its elements
    say their numbers where it `is_numbered`.
    """
    records: dict[int, str] = {}
    first_roots: dict[int, int] = {}
    items: dict[int, tuple[int, int, str]] = {}
    for number, table in enumerate(tables):
        for at, (roots, row) in enumerate(zip(table.records, table.cells, strict=True), start=1):
            for root in roots:
                records[root.index] = f"record {at} of {len(table)}"
            if number == 0 and roots:
                first_roots[roots[0].index] = at
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
        "[data-treelace-record]{outline:2px solid hsl(215 80% 50%)!important;outline-offset:1px;"
        "scroll-margin:30vh}[data-treelace-record]:target{outline:4px solid #d9480f!important}"
        + "".join(
            f'[data-treelace-item="{number}-{place}"]'
            f"{{background:{column_colour(place, table=number)}!important;color:#111!important;"
            f"outline:1px solid {column_colour(place, table=number, light=45)}!important}}"
            for number, place in used
        )
    )
    head = (
        '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'
        f' content="{escape(policy)}"><style>{styles}</style>'
    )
    marks = {
        index: _marks(index, records, items)
        + (f' id="{RECORD_ID}{first_roots[index]}"' if index in first_roots else "")
        for index in {*records, *items}
    }
    if is_numbered:
        for index in element_numbers(tree):
            marks[index] = marks.get(index, "") + f' {NODE}="{index}"'
    return "<!DOCTYPE html>" + head + harmless_html(tree, marks)


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
