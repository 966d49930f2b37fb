"""Repair: a wrapper re-attached to a redesigned page, column by column, each with its proof.

1. The old page is read with the old wrapper; `lace` says where each record and each piece of each
   cell is on the new page.
2. Where the pieces of old records went gives new records; what their first elements are called
   gives anchors that find all of them, also those that are new.
3. The new records are laid along each other to a new pattern; the pieces that lace found vote on
   which row of it is which column.
4. The records of the new page are read twice, by the new pattern and by where lace found the old
   pieces; a cell is given where both agree, or where one of them finds the old text again (digits
   aside); where they contradict each other it is left empty.
5. A column of that table is proved if it is filled as it was and its texts look as they did (shape,
   type, link, the words themselves). Else it is left out, and named with the reason.
6. The wrapper that is left behind is learnt from the table (`relearning`), once with a pattern of
   its records, once with the old pattern in the words of the new design (`translating`); the one
   that reads the page more as the table has it stays. A column that it reads otherwise is left out.

Detail pages, and tables inside them, are repaired in `repair_pages`; a list without its old page in
`evidence`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from treelace.extract import Column, Table
from treelace.extract.types import type_named
from treelace.wrappers.apply.region_reader import Page, Reader
from treelace.wrappers.learn.lists import region_from
from treelace.wrappers.model.form import ColumnForm, RegionForm, WrapperForm
from treelace.wrappers.model.text_shapes import shape
from treelace.wrappers.repair.details import repair_fields, repair_inside
from treelace.wrappers.repair.evidence import from_evidence, mined
from treelace.wrappers.repair.matched_records import (
    Seen,
    masked,
    matching_of,
    pieces,
    seen_by_matching,
)
from treelace.wrappers.repair.relearn import relearnt
from treelace.wrappers.repair.translation import Dictionary, translated
from treelace.wrappers.repair.verdict import ColumnRepair, Repair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.extract import Cell
    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.wrapper import Wrapper

AGREE, FILLED, LOOKS, READS, SAME = 0.94, 0.5, 0.5, 0.8, 0.5
"""What a column must reach: cells that the pattern finds alike, fill of what it was, texts of a
known shape, texts that read as its type, words that reappear.
"""

FITTING = 0.9
"""Texts of which this share has a known shape need not read as their type: `31 February` is a date
all the same.
"""

NEAR, MOSTLY, SURELY = 0.6, 0.3, 0.75
"""Share of words that a text must keep to be the old one, changed; share of texts that a record
must keep to be the old one; confidence of a leaf without letters, which cannot be known again by
its text.
"""

FEWEST_RECORDS = 0.4
"""Share of the old records that must be found again."""


def repair(
    wrapper: Wrapper, old: Sequence[Tree] | None, new: Sequence[Tree], *, limits: Limits
) -> Repair:
    """The wrapper re-attached to new pages, from the same pages as they were, or without them from
    its evidence rows alone.

    A list is repaired from the first pair of pages, a wrapper of detail pages from all of them.
    """
    from treelace.wrappers.wrapper import Wrapper, class_of

    if wrapper.regions[0].kind != "list":
        return _pages(wrapper, old, new, limits=limits)
    first = wrapper.regions[0]
    if old is None:
        region, columns, table, origins = _mined_list(first, new[0], limits=limits)
        expected = max(1, first.records[1] // 4)
    else:
        seen = seen_by_matching(first, old[0], new[0], limits=limits)
        pairs = [(old[0], new[0], seen.became)]
        old_words = translated(first, pairs, Dictionary(pairs), limits=limits)
        region, columns, table, origins = _list(
            first, seen, new[0], old_words=old_words, limits=limits
        )
        expected = seen.expected
    made = None if region is None else Wrapper(WrapperForm("wrapper", 1, class_of(new), (region,)))
    return Repair(
        made, tuple(columns), expected, len(table.cells) if table else 0, table, tuple(origins)
    )


def _pages(
    wrapper: Wrapper, old: Sequence[Tree] | None, new: Sequence[Tree], *, limits: Limits
) -> Repair:
    """The same for detail pages: their own fields, then the tables inside."""
    from treelace.wrappers.wrapper import Wrapper, class_of

    first, *inner = wrapper.regions
    matchings = (
        []
        if old is None
        else [matching_of(before, now, limits=limits) for before, now in zip(old, new, strict=True)]
    )
    if old is None:
        seen = [from_evidence(first, now) for now in new]
    else:
        seen = [
            seen_by_matching(first, *pair, limits=limits, matching=one)
            for *pair, one in zip(old, new, matchings, strict=True)
        ]
    pairs = [
        (before, now, one.became) for before, now, one in zip(old or (), new, seen, strict=False)
    ]
    words = Dictionary(pairs)
    old_words = translated(first, pairs, words, limits=limits) if old is not None else None
    region, columns, learnt = repair_fields(first, seen, new, old_words=old_words, limits=limits)
    found: list[RegionForm] = []
    for one in inner:
        if old is None or region is None:
            why = (
                "a table inside a page is found again from the old page only"
                if old is None
                else "the page's own record was not found again"
            )
            columns += [
                ColumnRepair(f"{one.name}: {column.name}", False, 0.0, (why,))
                for column in one.columns
            ]
            continue
        inside = [
            seen_by_matching(one, before, now, limits=limits, matching=matching, around_it=first)
            for before, now, matching in zip(old, new, matchings, strict=True)
        ]
        inner_words = translated(one, pairs, words, around=first, limits=limits)
        made, judged = repair_inside(
            one, region, learnt, inside, new, old_words=inner_words, limits=limits
        )
        columns += judged
        if made is not None:
            found.append(made)
    if region is None:
        return Repair(None, tuple(columns), 1, 0)
    table, _ = Reader(region).table(Page(new[0]), None, limits=limits)
    return Repair(
        Wrapper(WrapperForm("wrapper", 1, class_of(new), (region, *found))),
        tuple(columns),
        1,
        1,
        table,
        (0,),
    )


def _mined_list(region: RegionForm, new: Tree, *, limits: Limits) -> _Found:
    """A list found again by its evidence rows alone."""
    found = mined(region, new)
    names = [column.name for column in region.columns]
    order = sorted(found.column_of)
    columns = [
        ColumnRepair(name, True, 1.0, ("the evidence rows have its texts there, digits aside",))
        if number in found.column_of
        else ColumnRepair(name, False, 0.0, (found.reasons[number],))
        for number, name in enumerate(names)
    ]
    if not order:
        return None, columns, None, []
    cells = tuple(
        tuple(row[found.column_of[number]] for number in order) for row in found.table.cells
    )
    heads = tuple(Column(names[number], region.columns[number].type) for number in order)
    page = Page(new)
    body = page.typed(list(cells), [region.columns[number] for number in order])
    table = Table(heads, body, found.table.place, found.table.confidence, found.table.records)
    wide = Table(
        tuple(
            Column(name, column.type) for name, column in zip(names, region.columns, strict=True)
        ),
        tuple(
            tuple(
                row[order.index(number)] if number in found.column_of else None
                for number in range(len(names))
            )
            for row in body
        ),
        table.place,
        table.confidence,
        table.records,
    )
    learnt = relearnt(page, region, wide, order, limits=limits)
    again, _ = Reader(learnt).table(page, None, limits=limits)
    for number, column in enumerate(order):
        columns[column] = _read_again(columns[column], number, table, again)
    kept = [number for number, column in enumerate(order) if columns[column].is_restored]
    made = _only(learnt, region, kept, table) if kept and again.cells else None
    return made, columns, table, [None] * len(table.cells)


_Found = tuple[RegionForm | None, list[ColumnRepair], "Table | None", "list[int | None]"]


def _list(
    region: RegionForm,
    seen: Seen,
    new: Tree,
    *,
    old_words: RegionForm | None = None,
    limits: Limits,
) -> _Found:
    names = [column.name for column in region.columns]
    used = [number for number, tops in enumerate(seen.tops) if tops and seen.leaves[number]]
    if len(used) < max(1, FEWEST_RECORDS * len(seen.records)):
        why = f"only {len(used)} of {len(seen.records)} records were found on the new page"
        return None, [ColumnRepair(name, False, 0.0, (why,)) for name in names], None, []
    hints = [
        {
            leaf: column + 1
            for leaf, column in seen.leaves[number].items()
            if any(top <= leaf < new.end(top) for top in seen.tops[number])
        }
        for number in used
    ]
    texts = [[seen.records[number].get(column) for column in range(len(names))] for number in used]
    made = region_from(
        new,
        [seen.tops[number] for number in used],
        hints,
        names,
        [column.type for column in region.columns],
        texts,
        confidence=region.confidence,
        limits=limits,
        is_noisy=True,
    )
    page = Page(new)
    by_pattern, _ = Reader(made).table(page, None, limits=limits)
    table, origins = _reconciled(page, region, seen, by_pattern)
    if not seen.expected / 3 <= len(table.cells) <= 3 * seen.expected + 5:
        why = f"the new page would have {len(table.cells)} records, the old one had {seen.expected}"
        return None, [ColumnRepair(name, False, 0.0, (why,)) for name in names], None, []
    columns = [
        _proof(column, number, seen, table, origins) for number, column in enumerate(region.columns)
    ]
    shown = [number for number, column in enumerate(columns) if column.is_restored]
    if not shown:
        return None, columns, None, []
    shown_table = table.choose([names[number] for number in shown])
    patterns = [old_words, None] if old_words is not None else [None]
    tried = [
        relearnt(page, region, table, shown, pattern=pattern, limits=limits) for pattern in patterns
    ]
    read = [Reader(learnt).table(page, None, limits=limits)[0] for learnt in tried]
    worth = [_worth(shown_table, again) for again in read]
    learnt, again = max(zip(tried, read, worth, strict=True), key=lambda one: one[2])[:2]
    for number, column in enumerate(shown):
        columns[column] = _read_again(columns[column], number, shown_table, again)
    kept = [number for number, column in enumerate(shown) if columns[column].is_restored]
    renewed = [
        _is_renewed(seen, row, origin) for row, origin in zip(table.cells, origins, strict=True)
    ]
    shown_table = _completed(shown_table, again, kept, renewed)
    region_made = _only(learnt, region, kept, shown_table) if kept and again.cells else None
    return region_made, columns, shown_table, origins


def _worth(table: Table, again: Table) -> tuple[int, float]:
    """How well a wrapper reads what a repair read: columns that stay, and the share of cells,
    roughly.
    """
    counts = [_counts(number, table, again) for number in range(len(table.columns))]
    kept = sum(
        agree >= AGREE * (agree + differ) and agree >= FILLED * have
        for agree, differ, have in counts
    )
    return kept, round(
        sum(agree - 3 * differ for agree, differ, _ in counts)
        / max(1, sum(have for _, _, have in counts)),
        2,
    )


def _reconciled(
    page: Page, region: RegionForm, seen: Seen, by_pattern: Table
) -> tuple[Table, list[int | None]]:
    """The records of the new page: the old ones by where their pieces went, compared with the
    pattern; then those that only the pattern finds.
    """
    row_of: dict[int, int] = {}
    for number, nodes in enumerate(by_pattern.records):
        for node in nodes:
            row_of.setdefault(node.index, number)
    found: list[tuple[tuple[int, ...], int | None, tuple[Cell | None, ...]]] = []
    taken: set[int] = set()
    owners = sorted((leaf, record) for record, held in enumerate(seen.leaves) for leaf in held)
    for record, leaves in enumerate(seen.leaves):
        at = next(
            (
                row_of[top]
                for top in seen.tops[record]
                if top in row_of and row_of[top] not in taken
            ),
            None,
        )
        if at is None and not leaves:
            continue
        if at is not None:
            taken.add(at)
        pattern = by_pattern.cells[at] if at is not None else (None,) * len(region.columns)
        own: dict[int, list[int]] = {}
        for leaf, column in sorted(leaves.items()):
            own.setdefault(column, []).append(leaf)
        cells = _cells(page, seen, record, own, pattern)
        if any(cells):
            places = seen.tops[record] or pieces(page.tree, record, sorted(leaves), owners)
            found.append((tuple(places), record, cells))
    for at, cells in enumerate(by_pattern.cells):
        if at not in taken:
            found.append((tuple(node.index for node in by_pattern.records[at]), None, cells))
    found.sort(key=lambda one: one[0])
    body = page.typed([cells for _, _, cells in found], region.columns)
    records = tuple(tuple(page.tree[place] for place in places) for places, _, _ in found)
    return Table(by_pattern.columns, body, by_pattern.place, by_pattern.confidence, records), [
        origin for _, origin, _ in found
    ]


def _cells(
    page: Page, seen: Seen, record: int, own: dict[int, list[int]], pattern: Sequence[Cell | None]
) -> tuple[Cell | None, ...]:
    """The cells of an old record: those that have the old text again, but for digits; changed ones
    where both readings agree.

    Where most texts of a record are other ones, the record has a new content, and the agreement of
    both is enough.
    """
    before = seen.records[record]
    matched = {column: page.cell(leaves) for column, leaves in own.items()}
    worded = [column for column in matched if _has_letters(before.get(column, ""))]
    is_new = sum(
        _is_near(matched[column].text, before[column]) for column in worded
    ) < MOSTLY * len(worded)
    return tuple(
        _agreed(
            before[column],
            matched.get(column),
            pattern[column],
            own.get(column, []),
            seen.confidence,
            is_new,
        )
        if column in before
        else None
        for column in range(len(pattern))
    )


def _agreed(
    before: str,
    matched: Cell | None,
    pattern: Cell | None,
    leaves: list[int],
    confidence: Mapping[int, float],
    is_new: bool,
) -> Cell | None:
    """The cell that both readings agree on, or that has the old text again; None where nothing is
    sure.
    """
    has_letters = _has_letters(before)
    for cell in (matched, pattern):
        if cell is not None and has_letters and masked(cell.text) == masked(before):
            return cell
    if (
        matched is None
        or _has_letters(matched.text) != has_letters
        or not any(map(str.isalnum, matched.text))
    ):
        return None
    agrees = pattern is not None and bool({item.node.index for item in pattern.items} & set(leaves))
    if not has_letters:
        is_sure = all(confidence.get(leaf, 1.0) >= SURELY for leaf in leaves)
        return (
            matched
            if is_sure and (agrees or pattern is None) and masked(matched.text) == masked(before)
            else None
        )
    return (
        matched
        if (agrees or pattern is None) and (is_new or _is_near(matched.text, before))
        else None
    )


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def _is_near(text: str, before: str) -> bool:
    left, right = Counter(masked(text).split()), Counter(masked(before).split())
    return (left & right).total() >= NEAR * max(left.total(), right.total())


def _proof(
    column: ColumnForm, number: int, seen: Seen, table: Table, origins: Sequence[int | None]
) -> ColumnRepair:
    """Whether a column of the new table is the old column."""
    before = [record[number] for record in seen.records if number in record]
    cells = [cell for row in table.cells if (cell := row[number]) is not None]
    old_fill = len(before) / len(seen.records)
    if not before:
        return ColumnRepair(column.name, False, 0.0, ("the old page has no value of it",))
    if not cells:
        return ColumnRepair(
            column.name, False, 0.0, ("nothing on the new page was found to be it",)
        )
    fill = len(cells) / len(table.cells)
    shapes = {shape(text) for text in before}
    looks = sum(shape(cell.text) in shapes for cell in cells) / len(cells)
    reads = (
        1.0
        if type_named(column.type).keeps_text or looks >= FITTING
        else sum(cell.value is not None for cell in cells) / len(cells)
    )
    old = [
        (row[number], origin)
        for row, origin in zip(table.cells, origins, strict=True)
        if origin is not None and row[number] is not None
    ]
    same = sum(
        cell is not None and masked(cell.text) == masked(seen.records[origin][number])
        for cell, origin in old
    )
    linked = sum(link.get(number, False) for link in seen.links) / len(before)
    now_linked = sum(cell.link is not None for cell in cells) / len(cells)
    checks = [
        (
            min(1.0, fill / old_fill),
            FILLED,
            f"filled in {fill:.0%} of records, {old_fill:.0%} before",
        ),
        (looks, LOOKS, f"{looks:.0%} of its texts have a known shape"),
        (reads, READS, f"{reads:.0%} read as {column.type}"),
        (
            same / len(old) if old else 0.0,
            SAME,
            f"{same} of {len(old)} texts reappear but for digits",
        ),
        (
            1 - abs(linked - now_linked) if any(seen.links) else 1.0,
            0.5,
            f"{now_linked:.0%} are links, {linked:.0%} before",
        ),
    ]
    failed = [what for value, least, what in checks if value < least]
    if failed:
        return ColumnRepair(column.name, False, 0.0, tuple(failed))
    return ColumnRepair(
        column.name,
        True,
        round(min(looks, checks[0][0]), 3),
        tuple(what for _, _, what in checks[:4]),
    )


def _read_again(column: ColumnRepair, number: int, table: Table, again: Table) -> ColumnRepair:
    """The column with what the new wrapper reads of it on the same page: it stays in the wrapper if
    that is what the repair read.
    """
    agree, differ, have = _counts(number, table, again)
    reason = f"the new wrapper reads {agree} of {have} of them alike" + (
        f", {differ} otherwise" if differ else ""
    )
    if agree < AGREE * (agree + differ) or agree < FILLED * have:
        return ColumnRepair(column.name, False, 0.0, (*column.reasons, reason), is_read=True)
    return ColumnRepair(
        column.name,
        True,
        round(min(column.confidence, agree / (agree + differ)), 3),
        (*column.reasons, reason),
    )


def _counts(number: int, table: Table, again: Table) -> tuple[int, int, int]:
    """Of a column: cells that both tables read alike, cells that they read otherwise, cells of the
    first.
    """
    given = {
        item.node.index
        for row in table.cells
        if (cell := row[number]) is not None
        for item in cell.items
    }
    agree = sum(
        any(item.node.index in given for item in cell.items)
        for row in again.cells
        if (cell := row[number]) is not None
    )
    return (
        agree,
        _differing(number, table, again),
        sum(row[number] is not None for row in table.cells),
    )


def _is_renewed(seen: Seen, row: Sequence[Cell | None], origin: int | None) -> bool:
    """Whether most texts of a record are not what they were, so that there is nothing to compare
    them with.
    """
    if origin is None:
        return True
    before = seen.records[origin]
    same = sum(
        cell is not None and column in before and masked(cell.text) == masked(before[column])
        for column, cell in enumerate(row)
    )
    return 2 * same < len(before)


def _completed(table: Table, again: Table, kept: Sequence[int], renewed: Sequence[bool]) -> Table:
    """The table with the cells that only the new wrapper reads, in columns that it was found to
    read right and records that have new texts.
    """
    record_of = _owners(table)
    cells = [list(row) for row in table.cells]
    for row in again.cells:
        owners = Counter(
            record_of[item.node.index]
            for cell in row
            if cell is not None
            for item in cell.items
            if item.node.index in record_of
        )
        record = owners.most_common(1)[0][0] if owners else -1
        if owners and renewed[record]:
            own = cells[record]
            for number in kept:
                own[number] = own[number] or row[number]
    return Table(
        table.columns, tuple(map(tuple, cells)), table.place, table.confidence, table.records
    )


def _owners(table: Table) -> dict[int, int]:
    """The record of each leaf in a table's cells."""
    return {
        item.node.index: record
        for record, row in enumerate(table.cells)
        for cell in row
        if cell is not None
        for item in cell.items
        if item.kind != "link"
    }


def _differing(number: int, table: Table, again: Table) -> int:
    """Records of which both tables have the column, each another cell."""
    record_of = _owners(table)
    differ = 0
    for row in again.cells:
        cell = row[number]
        owners = Counter(
            record_of[item.node.index]
            for other in row
            if other is not None
            for item in other.items
            if item.node.index in record_of
        )
        if cell is not None and owners:
            other = table.cells[owners.most_common(1)[0][0]][number]
            differ += other is not None and not {item.node.index for item in cell.items} & {
                item.node.index for item in other.items
            }
    return differ


def _only(made: RegionForm, old: RegionForm, kept: Sequence[int], table: Table) -> RegionForm:
    """The region with these columns only; what is expected of them is as the new page has it."""
    before = {column.name: column for column in old.columns}
    names = {made.columns[number].name for number in kept}
    columns = []
    for number in kept:
        own = made.columns[number]
        texts = [cell.text for row in table.cells if (cell := row[number]) is not None]
        fill = round(len(texts) / len(table.cells), 3)
        shapes = tuple(
            dict.fromkeys(
                [
                    *before[own.name].shapes,
                    *(known for known, _ in Counter(map(shape, texts)).most_common(4)),
                ]
            )
        )
        columns.append(
            replace(
                before[own.name],
                fill=fill,
                required=fill == 1,
                select="",
                anchors=own.anchors,
                shapes=shapes[:8],
            )
        )
    evidence = tuple(
        {
            made.columns[number].name: cell.text[:200]
            for number in kept
            if (cell := row[number]) is not None
        }
        for row in table.cells[:3]
    )
    pattern = tuple(row if row.column in names else replace(row, column="") for row in made.pattern)
    paths = {path: name if name in names else "" for path, name in made.paths.items()}
    return replace(
        made, columns=tuple(columns), pattern=pattern, paths=paths, evidence=evidence, name=old.name
    )
