"""Words with which a page itself names things: labels, and the headers of tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treelace.extract.page.page_view import PageView

MAX_HEADER_LENGTH = 60
"""Characters above which a header of a table explains its column and does not name it."""

MAX_LABEL_LENGTH = 30
"""Characters of a label (`Replies: 2`) that may name a column."""


def as_label(text: str) -> str:
    """A text as the name of a column; empty where it is none."""
    label = text.strip(" -–—•·|\u200b\ufeff").rstrip(":：").strip()
    plain = re.sub(r"[\s#.()/&'’-]", "", label)
    is_short = 1 < len(label) <= MAX_LABEL_LENGTH and label.count("(") == label.count(")")
    return label if is_short and plain.isalpha() and plain.lower() not in ("http", "https") else ""


def table_headers(view: PageView, records: Sequence[tuple[int, ...]]) -> dict[int, str]:
    """Cells of table rows by the text of the header above them."""
    if not all(len(roots) == 1 and view.tags[roots[0]] == "tr" for roots in records):
        return {}
    if several := headers_of_several_tables(view, records):
        return several
    table = _table(view, records[0][0])
    rows = {roots[0] for roots in records}
    heads: list[str] = []
    for row in range(table, records[-1][0]):
        cells = _cells(view, row) if view.tags[row] == "tr" and row not in rows else []
        texts = [header_text(view, cell) for cell in cells]
        are_heads = len(cells) > 1 and all(view.tags[cell] == "th" for cell in cells)
        is_before = row < records[0][0] and all(view.text_count(cell) <= 2 for cell in cells)
        if are_heads or (is_before and 2 * sum(map(bool, map(as_label, texts))) > len(cells) > 0):
            heads = texts
    heads = heads or _first_row_heads(view, records)
    named: dict[int, str] = {}
    for (row,) in records:
        cells = _cells(view, row)
        if len(cells) == len(heads):
            named.update({cell: head for cell, head in zip(cells, heads, strict=True) if head})
    return named


def headers_of_several_tables(view: PageView, records: Sequence[tuple[int, ...]]) -> dict[int, str]:
    """Every cell of table rows by its header, the fullest table's first, where the rows stand in
    several tables that are not alike: some leave out columns that the fullest has.

    Empty where a table has no row of `th`, a row not as many cells, or a header that the fullest
    table does not know: a year above each table is no column.
    """
    if any(len(roots) > 1 or view.tags[roots[0]] != "tr" for roots in records):
        return {}
    heads: dict[int, list[str]] = {}
    tables = [_table(view, row) for (row,) in records]
    for table in dict.fromkeys(tables):
        heads[table] = _own_heads(view, table)
    full = max(heads.values(), key=len)
    is_known = all(said and set(said) <= set(full) for said in heads.values())
    if len(set(full)) < len(full) or not is_known or all(said == full for said in heads.values()):
        return {}
    order = sorted(range(len(records)), key=lambda at: heads[tables[at]] != full)
    named: dict[int, str] = {}
    for at in order:
        cells, said = _cells(view, records[at][0]), heads[tables[at]]
        if len(cells) != len(said):
            return {}
        named.update(zip(cells, said, strict=True))
    return named


def _own_heads(view: PageView, table: int) -> list[str]:
    """What the first row of a table says, where it is headers that differ; else nothing."""
    row = next((node for node in range(table, view.ends[table]) if view.tags[node] == "tr"), None)
    cells = [] if row is None else _cells(view, row)
    said = [header_text(view, cell) for cell in cells if view.tags[cell] == "th"]
    return said if 1 < len(said) == len(cells) == len(set(said)) and all(said) else []


def _table(view: PageView, node: int) -> int:
    """The table around a node; 0 where there is none."""
    while node > 0 and view.tags[node] != "table":
        node = view.parents[node]
    return node


def _first_row_heads(view: PageView, records: Sequence[tuple[int, ...]]) -> list[str]:
    """What the first row says, where it is words and most rows below it have numbers there."""
    grid = [[header_text(view, cell) for cell in _cells(view, roots[0])] for roots in records[:12]]
    if len(grid) < 4 or not all(map(as_label, grid[0])) or len(set(grid[0])) < len(grid[0]):
        return []
    below = [row for row in grid[1:] if len(row) == len(grid[0])]
    numbers = [
        bool(below) and all(re.match(r"\W{0,2}\d", row[at]) for row in below)
        for at in range(len(grid[0]))
    ]
    return grid[0] if any(numbers) else []


def _cells(view: PageView, row: int) -> list[int]:
    return [cell for cell in view.children[row] if view.tags[cell] in ("th", "td")]


def header_text(view: PageView, cell: int) -> str:
    """What a header cell says, without a colon at its end; of a long one its first text."""
    texts = [view.texts[text] for text in view.texts_in(cell)] or [""]
    said = " ".join(texts)
    said = said if len(said) <= MAX_HEADER_LENGTH else texts[0]
    return said.strip().removesuffix(":").rstrip()
