"""Learning from a list page: the records and columns that `extract` found become a pattern, and anchors that find the records again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from treelace.errors import WrapperError
from treelace.wrappers.anchors import record_anchors
from treelace.wrappers.details import learn_pattern
from treelace.wrappers.form import ColumnForm, RegionForm, RowForm
from treelace.wrappers.slots import shapes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Table
    from treelace.limits import Limits
    from treelace.tree import Tree

MOST_RECORDS = 150
"""Records that a pattern is learnt from; of more, those spread evenly."""

LOWEST_FIT = 0.6
"""A record of another page may have this share of the rows that the least of the learnt records has."""


def learn_list(tree: Tree, table: Table, *, limits: Limits) -> RegionForm:
    """The region of a table that was found on a page."""
    if not table.cells or not table.records:
        raise WrapperError("a wrapper is learnt from records: this table has none")
    records = [[node.index for node in nodes] for nodes in table.records]
    hints = [
        {item.node.index: number + 1 for number, cell in enumerate(row) if cell is not None for item in cell.items if item.kind != "link"}
        for row in table.cells
    ]
    return region_from(
        tree,
        records,
        hints,
        [column.name for column in table.columns],
        [column.type for column in table.columns],
        table.rows,
        confidence=table.confidence,
        limits=limits,
    )


def region_from(
    tree: Tree,
    records: Sequence[Sequence[int]],
    hints: Sequence[dict[int, int]],
    names: Sequence[str],
    types: Sequence[str],
    texts: Sequence[Sequence[str | None]],
    *,
    confidence: float,
    limits: Limits,
) -> RegionForm:
    """The region of records with the column (from 1) of each of their leaves."""
    step = max(1, -(-len(records) // MOST_RECORDS))
    parts = [(tree, list(records[at]), hints[at]) for at in range(0, len(records), step)]
    learnt = learn_pattern(parts, limits=limits)
    votes: dict[int, Counter[int]] = {}
    for (_, _, hint), held in zip(parts, learnt.records, strict=True):
        for row, (_, node) in held.items():
            if learnt.rows[row].tag in ("#text", "img"):
                votes.setdefault(row, Counter())[hint.get(node, 0)] += 1
    column_of = {row: count.most_common(1)[0][0] for row, count in votes.items()}
    _add_owners(column_of, learnt.rows, {column for hint in hints for column, count in Counter(hint.values()).items() if count > 1})
    pattern = tuple(
        RowForm(
            row.depth,
            row.tag,
            row.keys,
            row.wrap,
            row.text,
            row.seen,
            row.fixed,
            row.shapes,
            names[column_of[number] - 1] if column_of.get(number) else "",
        )
        for number, row in enumerate(learnt.rows)
    )
    usual = [number for number, row in enumerate(learnt.rows) if number and 5 * row.seen >= 4 * len(parts)]
    fits = [sum(row in held for row in usual) / len(usual) if usual else 1.0 for held in learnt.records]
    columns = []
    for number, (name, kind) in enumerate(zip(names, types, strict=True)):
        filled = [text for row in texts if (text := row[number]) is not None]
        fill = round(len(filled) / len(texts), 3)
        length = round(sum(map(len, filled)) / len(filled), 1) if filled else 0.0
        columns.append(ColumnForm(name, kind, required=fill == 1, fill=fill, length=length, shapes=shapes_of(filled)))
    evidence = tuple({name: text[:200] for name, text in zip(names, row, strict=True) if text is not None} for row in texts[:3])
    heads, tops = _tops(tree, records)
    return RegionForm(
        "records",
        "list",
        tuple(columns),
        pages=len(parts),
        pattern=pattern,
        anchors=tuple(record_anchors(tree, heads)),
        tops=tops,
        records=(max(1, len(records) // 4), len(records) * 4),
        fit=round(LOWEST_FIT * min(fits), 3),
        confidence=confidence,
        evidence=evidence,
    )


def _add_owners(column_of: dict[int, int], rows: Sequence[RowForm], several: set[int]) -> None:
    """Gives elements the column of all their leaves, where cells of the column hold several: what else is in such an element belongs to it."""
    ends, opened = [len(rows)] * len(rows), list[int]()
    for number, row in enumerate(rows):
        while opened and rows[opened[-1]].depth >= row.depth:
            ends[opened.pop()] = number
        opened.append(number)
    for number, row in enumerate(rows):
        if number and row.tag not in ("#text", "img"):
            inside = {column_of.get(at, 0) for at in range(number + 1, ends[number]) if rows[at].tag in ("#text", "img")}
            if len(inside) == 1 and inside <= several:
                column_of[number] = inside.pop()


def _tops(tree: Tree, records: Sequence[Sequence[int]]) -> tuple[list[int], tuple[str, ...]]:
    """The first element of each record, and the tags of the longest record where records are several siblings."""
    core = tree._core
    heads = []
    for roots in records:
        elements = [root for root in roots if core.kind(root) == 1]
        if elements:
            heads.append(elements[0])
    longest = max(records, key=len)
    if len(longest) == 1:
        return heads, ()
    return heads, tuple(core.local_name(root) if core.kind(root) == 1 else "#text" for root in longest)
