"""Repair of a list.

1. The old page is read with the old wrapper; `lace` says where each record and each leaf of each
   cell is on the new page (`matched_records`).
2. Where the leaves of old records went gives new records; what their first elements are called
   gives anchors that find all of them, also those that are new.
3. The new records are laid along each other to a new pattern; the leaves that lace found vote on
   which row of it is which column.
4. The records of the new page are read twice, by the new pattern and by where lace found the old
   leaves (`two_readings`).
5. A column of that table is proved if it is filled as it was and its texts look as they did, else
   it is left out, and named with the reason (`verdict`).
6. The wrapper that is left behind is learnt from the table (`relearn`), once with a pattern of its
   records, once with the old pattern under new names (`renamings`); the one that reads the page
   more as the table has it stays. A column that it reads otherwise is left out (`reread`). Records
   that are built unlike the others and that it reads otherwise are kept (`odd_records`).

Without the old page the table is found by its evidence rows (`evidence`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from msgspec.structs import replace

from treelace.extract import Column, Table
from treelace.limits import Limits
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.lists import RECORD_RANGE, KnownRecords, learn_region
from treelace.wrappers.learn.pattern import evidence_of
from treelace.wrappers.model.form import RegionForm
from treelace.wrappers.model.text_shapes import shapes_of
from treelace.wrappers.repair.evidence import find_table
from treelace.wrappers.repair.matched_records import MatchedRecords
from treelace.wrappers.repair.odd_records import with_odd
from treelace.wrappers.repair.relearn import relearn_region
from treelace.wrappers.repair.two_readings import has_new_content, reconcile
from treelace.wrappers.repair.verdict import (
    ColumnRepair,
    RepairedRegions,
    agreement,
    all_left_out,
    completed,
    judge_column,
    judge_reread,
    left_out,
)

MIN_RECORDS_FOUND = 0.4
"""Share of the old records that must be found again."""

MAX_RECORD_RATIO, MAX_MORE_RECORDS = 3, 5
"""The new page may have so many times fewer records, or so many times more and some."""

MAX_SHAPES = 8
"""Shapes that are kept of a column's texts, old and new."""


def repair_list(
    region: RegionForm,
    matched: MatchedRecords,
    new: Tree,
    *,
    renamed_old: RegionForm,
    limits: Limits,
) -> RepairedRegions:
    """Repairs a list by its old records; `renamed_old` has the names of the new design."""
    names = [column.name for column in region.columns]
    found = [
        number
        for number, roots in enumerate(matched.roots)
        if roots and matched.column_of_leaf[number]
    ]
    count = len(matched.texts)
    if len(found) < max(1, MIN_RECORDS_FOUND * count):
        why = f"only {len(found)} of {count} records were found on the new page"
        return RepairedRegions((), all_left_out(names, why), count)
    page = Page(new, limits=limits)
    known = _known_records(region, matched, new, found)
    made = learn_region(known, confidence=region.confidence, limits=limits, is_noisy=True)
    by_pattern = RegionReader(made).read(page).table
    table, origins = reconcile(page, region, matched, by_pattern)
    size = len(table.cells)
    if not count / MAX_RECORD_RATIO <= size <= MAX_RECORD_RATIO * count + MAX_MORE_RECORDS:
        why = f"the new page would have {size} records, the old one had {count}"
        return RepairedRegions((), all_left_out(names, why), count)
    columns = [
        judge_column(column, number, matched, table, origins)
        for number, column in enumerate(region.columns)
    ]
    proved = [number for number, column in enumerate(columns) if column.is_restored]
    if not proved:
        return RepairedRegions((), columns, count)
    shown = table.choose([names[number] for number in proved])
    learnt, by_pattern = _better_of(page, region, table, shown, proved, renamed_old)
    are_new = [
        has_new_content(matched, row, origin)
        for row, origin in zip(table.cells, origins, strict=True)
    ]
    learnt, again = _with_odd_records(page, learnt, by_pattern, shown, are_new)
    kept = _judge_again(columns, proved, shown, again, by_pattern)
    shown = completed(shown, again, kept, are_new)
    regions = (_with_columns(learnt, region, kept, shown),) if kept and again.cells else ()
    return RepairedRegions(regions, columns, count, shown, tuple(origins))


def _known_records(
    region: RegionForm, matched: MatchedRecords, new: Tree, found: Sequence[int]
) -> KnownRecords:
    """What is known of the old records on the new page, to learn from."""
    column_of_leaf = [
        {
            leaf: column + 1
            for leaf, column in matched.column_of_leaf[number].items()
            if any(root <= leaf < new.end(root) for root in matched.roots[number])
        }
        for number in found
    ]
    return KnownRecords(
        new,
        [matched.roots[number] for number in found],
        column_of_leaf,
        [
            [matched.texts[number].get(column) for column in range(len(region.columns))]
            for number in found
        ],
        [column.name for column in region.columns],
        [column.type for column in region.columns],
    )


def _better_of(
    page: Page,
    region: RegionForm,
    table: Table,
    shown: Table,
    proved: Sequence[int],
    renamed_old: RegionForm,
) -> tuple[RegionForm, Table]:
    """The region on the old or the new pattern, whichever rereads the table better."""
    tried = [
        relearn_region(page, region, table, proved, pattern=pattern)
        for pattern in (renamed_old, None)
    ]
    read = [RegionReader(learnt).read(page).table for learnt in tried]
    best = max(range(len(tried)), key=lambda number: agreement(shown, read[number]))
    return tried[best], read[best]


def _with_odd_records(
    page: Page, learnt: RegionForm, by_pattern: Table, shown: Table, are_new: Sequence[bool]
) -> tuple[RegionForm, Table]:
    """The region with records that are built unlike the others, where it rereads the table better
    then; and what it reads.
    """
    made = with_odd(page, learnt, shown, are_new)
    again = RegionReader(made).read(page).table
    is_better = agreement(shown, again) >= agreement(shown, by_pattern)
    return (made, again) if is_better else (learnt, by_pattern)


def _judge_again(
    columns: list[ColumnRepair],
    proved: Sequence[int],
    shown: Table,
    again: Table,
    by_pattern: Table,
) -> list[int]:
    """Adds to the verdicts what the new wrapper reads; the columns of the table that stay."""
    for number, column in enumerate(proved):
        columns[column] = judge_reread(columns[column], number, shown, again, by_pattern)
    return [number for number, column in enumerate(proved) if columns[column].is_restored]


def repair_list_by_evidence(region: RegionForm, new: Tree, *, limits: Limits) -> RepairedRegions:
    """A list found again by its evidence rows alone."""
    found = find_table(region, new)
    expected = max(1, region.records[1] // RECORD_RANGE)
    names = [column.name for column in region.columns]
    order = sorted(found.column_of)
    columns = [
        ColumnRepair(name, True, 1.0, ("the evidence rows have its texts there, digits aside",))
        if number in found.column_of
        else left_out(name, found.reasons[number])
        for number, name in enumerate(names)
    ]
    if not order:
        return RepairedRegions((), columns, expected)
    page = Page(new, limits=limits)
    wide = [
        tuple(
            row[found.column_of[number]] if number in found.column_of else None
            for number in range(len(names))
        )
        for row in found.table.cells
    ]
    table = Table(
        tuple(Column(column.name, column.type) for column in region.columns),
        page.typed(wide, region.columns),
        found.table.place,
        found.table.confidence,
        found.table.records,
    )
    shown = table.choose([names[number] for number in order])
    learnt = relearn_region(page, region, table, order)
    again = RegionReader(learnt).read(page).table
    kept = _judge_again(columns, order, shown, again, again)
    regions = (_with_columns(learnt, region, kept, shown),) if kept and again.cells else ()
    return RepairedRegions(regions, columns, expected, shown, (None,) * len(shown.cells))


def _with_columns(
    made: RegionForm, old: RegionForm, kept: Sequence[int], table: Table
) -> RegionForm:
    """The region with these columns only; what is expected of them is as the new page has it."""
    before = {column.name: column for column in old.columns}
    names = {made.columns[number].name for number in kept}
    columns = []
    for number in kept:
        own = made.columns[number]
        texts = [cell.text for row in table.cells if (cell := row[number]) is not None]
        fill = round(len(texts) / len(table.cells), 3)
        shapes = tuple(dict.fromkeys([*before[own.name].shapes, *shapes_of(texts)]))
        columns.append(
            replace(
                before[own.name],
                fill=fill,
                required=fill == 1,
                select="",
                anchors=own.anchors,
                shapes=shapes[:MAX_SHAPES],
            )
        )
    evidence = evidence_of(
        {
            made.columns[number].name: cell.text
            for number in kept
            if (cell := row[number]) is not None
        }
        for row in table.cells
    )
    pattern = tuple(row if row.column in names else replace(row, column="") for row in made.pattern)
    return replace(
        made,
        columns=tuple(columns),
        pattern=pattern,
        paths=_of_columns(made.paths, names),
        odd={build: _of_columns(places, names) for build, places in made.odd.items()},
        evidence=evidence,
        name=old.name,
    )


def _of_columns(places: Mapping[str, str], names: Set[str]) -> dict[str, str]:
    """The columns of places; none where a column is left out."""
    return {path: name if name in names else "" for path, name in places.items()}
