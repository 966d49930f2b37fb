"""Repair of a table inside detail pages: its records are found again by where their leaves went,
the element that holds them, and what they are called there.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.record_roots import inner_roots
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.pattern import lay_along
from treelace.wrappers.repair.field_columns import (
    MIN_PREFERENCE,
    OldRecord,
    as_parts,
    elected_columns,
    learn_new_pattern,
    read_again,
    take_over,
)
from treelace.wrappers.repair.verdict import ColumnRepair, all_left_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Cell
    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.learn.pattern import LearntPattern
    from treelace.wrappers.model.form import RegionForm
    from treelace.wrappers.repair.matched_records import MatchedRecords

MIN_FOUND_RECORDS = 2
"""Records of a table inside a page that must be found again."""

MIN_CLASS_SHARE = 0.8
"""Share of the records inside a page that have the class they are called by."""


def repair_inner_table(
    inner: RegionForm,
    main: RegionForm,
    main_pattern: LearntPattern,
    matched: Sequence[MatchedRecords],
    news: Sequence[Tree],
    *,
    renamed_old: RegionForm,
    limits: Limits,
) -> tuple[RegionForm | None, list[ColumnRepair]]:
    """The region of a table inside the new pages, and each column's verdict; `main` and
    `main_pattern` are what the pages' own record is now.
    """
    names = [f"{inner.name}: {column.name}" for column in inner.columns]
    if not any(one.texts for one in matched):
        return None, all_left_out(names, "the old page has no record of it")
    place = _place(main_pattern, matched, news)
    if place is None:
        return None, all_left_out(names, "its records were not found together on the new page")
    parent_row, like = place
    records: list[OldRecord] = []
    for one, new, held in zip(matched, news, main_pattern.records, strict=True):
        if parent_row in held:
            records += _old_records(one, new, inner_roots(new, held[parent_row][1], like))
    if sum(bool(record.column_of_leaf) for record in records) < MIN_FOUND_RECORDS:
        return None, all_left_out(names, "its records were not found together on the new page")
    tried = []
    for pattern in (
        lay_along(renamed_old, as_parts(records), limits=limits),
        learn_new_pattern(records, limits=limits),
    ):
        columns_of_rows = elected_columns(pattern, records)
        made, columns = take_over(inner, records, pattern, list(pattern.rows), columns_of_rows)
        if made is not None:
            made = replace(made, parent=parent_row, like=like)
            read = _read_rows(made, main, records, news, limits=limits)
            made, columns = read_again(made, inner, columns, read)
        tried.append((made, columns))
    by_old, by_new = tried
    restored = [sum(column.is_restored for column in columns) for _, columns in tried]
    made, columns = by_old if restored[0] * MIN_PREFERENCE >= restored[1] else by_new
    return made, [
        ColumnRepair(name, column.is_restored, column.confidence, column.reasons)
        for name, column in zip(names, columns, strict=True)
    ]


def _place(
    main_pattern: LearntPattern, matched: Sequence[MatchedRecords], news: Sequence[Tree]
) -> tuple[int, str] | None:
    """The row of the page's pattern below which most old records are now, and what they are called
    there.
    """
    places = Counter[tuple[int, str]]()
    for one, new, held in zip(matched, news, main_pattern.records, strict=True):
        row_of = {node: row for row, (_, node) in held.items()}
        for parent, roots in _roots_by_parent(one, new).items():
            if parent in row_of and len(roots) >= MIN_FOUND_RECORDS:
                places[row_of[parent], _common_name(new, roots)] += len(roots)
    return places.most_common(1)[0][0] if places else None


def _roots_by_parent(matched: MatchedRecords, new: Tree) -> dict[int, list[int]]:
    """The elements that old records are now, by what holds them."""
    found: dict[int, list[int]] = {}
    for roots in matched.roots:
        for root in roots[:1]:
            parent = new.parent(root)
            if parent and new.kind(root) == 1:
                found.setdefault(parent, []).append(root)
    return found


def _common_name(new: Tree, roots: Sequence[int]) -> str:
    """The tag of most elements, with the class that nearly all of them have."""
    tag = Counter(new.local_name(root) for root in roots).most_common(1)[0][0]
    own = [root for root in roots if new.local_name(root) == tag]
    words = Counter(
        word
        for root in own
        for word in set((new.attribute(root, "class") or "").split())
        if "." not in word
    )
    shared = (word for word, number in words.items() if number >= MIN_CLASS_SHARE * len(own))
    word = min(shared, default="")
    return f"{tag}.{word}" if word else tag


def _old_records(matched: MatchedRecords, new: Tree, roots: Sequence[int]) -> list[OldRecord]:
    """The records of a table inside a new page, with what is known of those that were there."""
    made = []
    for root in roots:
        column_of_leaf: dict[int, int] = {}
        texts: dict[int, str] = {}
        for held, before in zip(matched.column_of_leaf, matched.texts, strict=True):
            inside = {leaf: column for leaf, column in held.items() if root <= leaf < new.end(root)}
            if len(inside) * 2 > len(held) and len(inside) > len(column_of_leaf):
                column_of_leaf, texts = inside, before
        made.append(OldRecord(new, [root], column_of_leaf, texts))
    return made


def _read_rows(
    made: RegionForm,
    main: RegionForm,
    records: Sequence[OldRecord],
    news: Sequence[Tree],
    *,
    limits: Limits,
) -> list[tuple[OldRecord, Sequence[Cell | None]]]:
    """Each record with the row that the new wrapper reads of it."""
    rows: dict[tuple[int, int], Sequence[Cell | None]] = {}
    for new in news:
        page = Page(new)
        node_of_row = RegionReader(main).read(page, limits=limits).node_of_row
        table = RegionReader(made).read(page, node_of_row, limits=limits).table
        for nodes, row in zip(table.records, table.cells, strict=True):
            rows[id(new), nodes[0].index] = row
    nothing = [None] * len(made.columns)
    return [(record, rows.get((id(record.tree), record.roots[0]), nothing)) for record in records]
