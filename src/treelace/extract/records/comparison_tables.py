"""Comparison tables: a table whose columns are the records and whose rows are the fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from treelace.extract.page.page_view import PageView
from treelace.named import unique_names

MIN_AGREEMENT = 0.75
"""Share of the cells of a row that must be of one kind, on average."""

MIN_LEAD_OF_ROWS = 0.25
"""How much more the rows must agree in themselves than the columns do."""

MAX_LABEL_LENGTH = 48
"""Characters of a label at the head of a row."""

MAX_FIELDS = 100
"""Rows above which a table is no comparison: each is a field."""


class ComparisonRecords(NamedTuple):
    """Records made of cells, one from each row; their items by row number; the rows' labels."""

    records: tuple[tuple[int, ...], ...]
    columns: list[dict[int, list[int]]]
    names: list[str]


def comparison_records(view: PageView, rows: Sequence[tuple[int, ...]]) -> ComparisonRecords | None:
    """The columns of a table as records, where its rows are fields; None where they are not.

    `rows` are records that are rows of one table. It is a comparison table if all its rows have the
    same three cells or more, the first of each row a label (short, all different), and the other
    cells of a row are of one kind (prices, weights, yes and no), which those of a column are not. A
    table of numbers alone, or of words alone, says nothing either way: its rows stay records.

    >>> from treelace import parse
    >>> from treelace.extract.page.page_view import PageView
    >>> rows = "<td><th>A<th>B", "<th>Price<td>€3<td>€4", "<th>Radio<td>yes<td>no"
    >>> page = parse(f"<table><tr>{'<tr>'.join(rows)}</table>")
    >>> comparison_records(PageView.of(page), [(row.index,) for row in page.select("tr")]).names
    ['name', 'Price', 'Radio']
    """
    if not 2 <= len(rows) <= MAX_FIELDS or not all(
        len(row) == 1 and view.tags[row[0]] == "tr" for row in rows
    ):
        return None
    table = _table_around(view, rows[0][0])
    if table is None or any(not table < row[0] < view.ends[table] for row in rows):
        return None
    if (
        len(_cells_of(view, rows[0][0])) < 3
    ):  # looked at first: pages laid out by tables have large ones
        return None
    grid = [_cells_of(view, row) for row in _rows_of(view, table)]
    if (
        len(grid) < 3
        or len(grid[0]) < 3
        or len({len(cells) for cells in grid}) > 1
        or _has_spans(view, table)
    ):
        return None
    labels = [_text(view, cells[0]) for cells in grid]
    named = labels[1:] if not labels[0] else labels
    if not all(0 < len(label) <= MAX_LABEL_LENGTH for label in named) or len(set(named)) < len(
        named
    ):
        return None
    kinds = [[look_of(_text(view, cell)) for cell in cells[1:]] for cells in grid]
    by_row = agreement(kinds[1:])
    by_column = agreement([list(column) for column in zip(*kinds[1:], strict=True)])
    if by_row < MIN_AGREEMENT or by_row - by_column < MIN_LEAD_OF_ROWS:
        return None
    records = tuple(tuple(cells[at] for cells in grid) for at in range(1, len(grid[0])))
    columns = [
        {number: items for number, cell in enumerate(record) if (items := view.items_in((cell,)))}
        for record in records
    ]
    return ComparisonRecords(records, columns, unique_names([label or "name" for label in labels]))


def _table_around(view: PageView, node: int) -> int | None:
    while node and view.tags[node] != "table":
        node = view.parents[node]
    return node or None


def _cells_of(view: PageView, row: int) -> list[int]:
    return [cell for cell in view.below(row) if view.tags[cell] in ("td", "th")]


def _rows_of(view: PageView, table: int) -> list[int]:
    """The rows of a table that hold text, those of tables inside it left out."""
    found, index = [], table + 1
    while index < view.ends[table]:
        if view.tags[index] == "table":
            index = view.ends[index]
            continue
        if view.tags[index] == "tr" and view.shown[index] and view.text_count(index):
            found.append(index)
        index += 1
    return found


def _has_spans(view: PageView, table: int) -> bool:
    return any(
        (cell.attribute(name) or "1") != "1"
        for cell in view.tree[table].select("td, th")
        for name in ("colspan", "rowspan")
    )


def _text(view: PageView, cell: int) -> str:
    return " ".join(view.texts[text] for text in view.texts_in(cell))


def look_of(text: str) -> str:
    """What a text looks like: numbers as 9 with unit or currency; yes and no; else words."""
    if re.search(r"\d", text):
        return re.sub(r"\d[\d.,]*", "9", text.lower())[:16]
    return (
        "yes or no"
        if text.lower() in ("yes", "no", "✓", "✗", "✔", "✘", "-", "–", "—", "")
        else "words"
    )


def agreement(lines: Sequence[Sequence[str]]) -> float:
    """The mean share of the most frequent kind."""
    return sum(Counter(line).most_common(1)[0][1] / len(line) for line in lines) / len(lines)
