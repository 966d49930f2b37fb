"""Learns from a list page: extracted records become a pattern and anchors that find them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from msgspec.structs import replace

from treelace.errors import WrapperError
from treelace.extract import Table
from treelace.extract.build_table import Region, build_table
from treelace.extract.columns.alignment import Slots, slots
from treelace.extract.columns.joined_columns import joined
from treelace.extract.columns.own_classes import with_own_classes
from treelace.extract.page.page_view import PageView
from treelace.limits import Limits
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.records import missed_records
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.added_columns import with_added_columns
from treelace.wrappers.learn.anchors import holder_name, record_anchors
from treelace.wrappers.learn.headed_lists import headed_table, heads_of_records, with_heads
from treelace.wrappers.learn.merged_page import merged_page
from treelace.wrappers.learn.pattern import (
    LearntPattern,
    Part,
    evidence_of,
    expected_column,
    is_leaf,
    learn_pattern,
    parents_and_ends,
)
from treelace.wrappers.learn.shared_list import SharedList
from treelace.wrappers.model.form import ColumnForm, RegionForm, RowForm

MAX_RECORDS_LEARNT = 150
"""Records that a pattern is learnt from; of more, those spread evenly."""

MIN_AGREEMENT, MIN_VOTES, MIN_NOISY_HEADS = 0.8, 0.15, 0.6
"""Of noisy votes: the share that must agree on a row; the share of a column's votes that a row must
have; the share of the records that an anchor must find.
"""

MIN_HOLDER_PURITY, MAX_HOLDER_NAMES = 0.95, 4
"""Share of a class's elements that must belong to the column; most names kept per column."""

MIN_SHARE_OF_FIT = 0.6
"""A record of another page may have this share of the rows of the smallest learnt record."""

RECORD_RANGE = 4
"""Other pages may have so many times fewer or more records."""

MIN_MISSED_FIT, USUAL_MISSED_FIT, MAX_OTHER_FIT = 0.5, 0.7, 0.9
"""The fit that a record which no anchor finds must have at least, where some are known and where
none is; such records are not looked for where something that is no record fits as well as the
last.
"""


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """Records of a page as they were found: the top nodes of each, the column (from 1) of its
    leaves, its texts; names and types of the columns.
    """

    tree: Tree
    roots: Sequence[Sequence[int]]
    column_of_leaf: Sequence[dict[int, int]]
    texts: Sequence[Sequence[str | None]]
    names: Sequence[str]
    types: Sequence[str]


def learn_shared_list(pages: Sequence[Tree], found: SharedList, *, limits: Limits) -> RegionForm:
    """The region of a list that several pages share, learnt from the records of all."""
    tree, roots, origins = merged_page(pages, found.records, most=MAX_RECORDS_LEARNT, limits=limits)
    view = PageView.of(tree)
    records = tuple((root,) for root in roots)
    region = Region(records, round(min(1.0, found.share), 3))
    heads = heads_of_records(pages, origins)
    own = [[(node,) for node in nodes] for nodes in found.records]
    if heads is not None:
        headed = learn_list(tree, headed_table(view, region, heads), limits=limits)
        return with_added_columns(with_heads(headed), pages, own)

    def line_up() -> Slots:
        return with_own_classes(view, records, joined(view, records, slots(view, records)))

    learnt = learn_list(tree, build_table(view, region, line_up), limits=limits)
    return with_added_columns(learnt, pages, own)


def learn_list(tree: Tree, table: Table, *, limits: Limits) -> RegionForm:
    """The region of a table that was found on a page."""
    if not table.cells or not table.records:
        raise WrapperError("a wrapper is learnt from records: this table has none")
    table = _of_texts(table)
    column_of_leaf = [
        {
            item.node.index: number
            for number, cell in enumerate(row, 1)
            if cell is not None
            for item in cell.items
            if item.kind != "link"
        }
        for row in table.cells
    ]
    known = KnownRecords(
        tree,
        [[node.index for node in nodes] for nodes in table.records],
        column_of_leaf,
        table.rows,
        [column.name for column in table.columns],
        [column.type for column in table.columns],
    )
    return learn_region(known, confidence=table.confidence, limits=limits)


def _of_texts(table: Table) -> Table:
    """The table without the columns that no text or image of a record stands in (a group, a rating
    that is drawn): a pattern has no place for them.
    """
    kept = [
        number
        for number in range(len(table.columns))
        if any(cell.items for row in table.cells if (cell := row[number]) is not None)
    ]
    if len(kept) == len(table.columns):
        return table
    return table.choose([table.columns[number].name for number in kept])


def learn_region(
    known: KnownRecords, *, confidence: float, limits: Limits, is_noisy: bool = False
) -> RegionForm:
    """The region of records; `is_noisy`: some columns are wrong, and some leaves have none."""
    roots = known.roots
    whole = _whole(roots) if is_noisy else list(range(len(roots)))
    step = max(1, -(-len(whole) // MAX_RECORDS_LEARNT))
    parts = [Part(known.tree, list(roots[at]), known.column_of_leaf[at]) for at in whole[::step]]
    learnt = learn_pattern(parts, limits=limits)
    column_of_row = _columns_of_rows(known, parts, learnt, is_noisy=is_noisy)
    heads, tops = _heads_and_tops(known.tree, [roots[at] for at in whole])
    region = RegionForm(
        "records",
        "list",
        _columns(known),
        pages=len(parts),
        pattern=tuple(
            replace(row, column=known.names[column - 1]) if column else row
            for row, column in (
                (row, column_of_row.get(number, 0)) for number, row in enumerate(learnt.rows)
            )
        ),
        anchors=tuple(
            record_anchors(known.tree, heads, share=MIN_NOISY_HEADS if is_noisy else 1.0)
        ),
        tops=tops,
        records=(max(1, len(roots) // RECORD_RANGE), len(roots) * RECORD_RANGE),
        fit=round(MIN_SHARE_OF_FIT * _least_fit(learnt), 3),
        confidence=confidence,
        evidence=evidence_of(dict(zip(known.names, row, strict=True)) for row in known.texts),
    )
    return with_fits(known.tree, region, roots, limits=limits)


def _columns_of_rows(
    known: KnownRecords, parts: Sequence[Part], learnt: LearntPattern, *, is_noisy: bool
) -> dict[int, int]:
    """The column (from 1; 0: none) of each row, by the columns of the leaves laid along it."""
    votes: dict[int, Counter[int]] = {}
    for part, held in zip(parts, learnt.records, strict=True):
        for row, (_, node) in held.items():
            if is_leaf(learnt.rows[row]):
                votes.setdefault(row, Counter())[part.column_of_leaf.get(node, 0)] += 1
    several = {
        column
        for leaves in known.column_of_leaf
        for column, count in Counter(leaves.values()).items()
        if count > 1
    }
    column_of_row = (
        _elected(votes, several)
        if is_noisy
        else {row: count.most_common(1)[0][0] for row, count in votes.items()}
    )
    _add_owners(column_of_row, learnt.rows, several)
    return column_of_row


def _columns(known: KnownRecords) -> tuple[ColumnForm, ...]:
    """The columns with what is expected of them and what their holders are called."""
    holders = _holders(known.tree, known.column_of_leaf)
    made = []
    for number, (name, kind) in enumerate(zip(known.names, known.types, strict=True)):
        texts = [text for row in known.texts if (text := row[number]) is not None]
        anchors = tuple(f"holder:{called}" for called in holders.get(number + 1, ()))
        made.append(replace(expected_column(name, kind, texts, len(known.texts)), anchors=anchors))
    return tuple(made)


def _least_fit(learnt: LearntPattern) -> float:
    """The least share of the usual rows that a record has."""
    usual = [
        number
        for number, row in enumerate(learnt.rows)
        if number and 5 * row.seen >= 4 * len(learnt.records)  # four of five have it
    ]
    if not usual:
        return 1.0
    return min(sum(row in held for row in usual) / len(usual) for held in learnt.records)


def with_fits(
    tree: Tree, region: RegionForm, records: Sequence[Sequence[int]], *, limits: Limits
) -> RegionForm:
    """The region with the fits that tell its records from what else the anchors find, and records
    that no anchor finds from what else stands among the records.
    """
    reader, page = RegionReader(replace(region, fit=0.0)), Page(tree, limits=limits)
    heads = sorted(root for record in records for root in record)

    def is_own(roots: Sequence[int]) -> bool:
        return any(bisect_left(heads, root) < bisect_left(heads, tree.end(root)) for root in roots)

    found = reader.records(page)
    fits = reader.fits(page, found)
    own = [fit for record, fit in zip(found, fits, strict=True) if is_own(record)]
    others = [fit for record, fit in zip(found, fits, strict=True) if not is_own(record)]
    region = replace(region, fit=_between(own, others, region.fit))
    if len(region.tops) > 1:
        return region
    known = [record for record, fit in zip(found, fits, strict=True) if fit >= region.fit]
    among = missed_records(tree, known, 0.0, partial(reader.fits, page))
    highest = max((fit for record, fit in among if not is_own(record)), default=0.0)
    lost = [fit for record, fit in among if is_own(record) and fit > highest]
    least = (
        max(MIN_MISSED_FIT, (highest + min(lost)) / 2)
        if lost
        else max(USUAL_MISSED_FIT, (highest + 1) / 2)
    )
    return replace(region, strays=round(least, 3) if highest < MAX_OTHER_FIT else 0.0)


def _between(own: Sequence[float], others: Sequence[float], usual: float) -> float:
    """A bound between the fits of records and of others: the usual one, or the fewest mistakes."""
    if not own or max(others, default=0.0) < usual <= min(own):
        return usual
    bounds = [
        usual,
        *((low + high) / 2 for low, high in pairwise(sorted({0.0, *own, *others}))),
        0.0,
    ]
    wrong = [
        sum(fit < bound for fit in own) + sum(fit >= bound for fit in others) for bound in bounds
    ]
    return round(bounds[wrong.index(min(wrong))], 3)


def _elected(votes: Mapping[int, Counter[int]], several: set[int]) -> dict[int, int]:
    """The column of each row that enough of its leaves vote for; rows with a few votes only are not
    the column: their leaves were laid wrong.
    """
    totals = Counter[int]()
    for count in votes.values():
        for column, number in count.items():
            if column:
                totals[column] += number
    elected: dict[int, int] = {}
    for row, count in votes.items():
        known = Counter({column: number for column, number in count.items() if column})
        if not known:
            continue
        column, number = known.most_common(1)[0]
        is_enough = column in several or number >= MIN_VOTES * totals[column]
        if (
            number >= MIN_AGREEMENT * known.total()
            and is_enough
            and number >= MIN_VOTES * count.total()
        ):
            elected[row] = column
    return elected


def _holders(tree: Tree, hints: Sequence[dict[int, int]]) -> dict[int, list[str]]:
    """Per column the tag and class of the elements holding its leaves, where no others have it."""
    counts: dict[str, Counter[int]] = {}
    for hint in hints:
        for leaf, column in hint.items():
            if called := holder_name(tree, leaf):
                counts.setdefault(called, Counter())[column] += 1
    found: dict[int, list[str]] = {}
    totals = Counter(column for hint in hints for column in set(hint.values()))
    for called, votes in counts.items():
        column, number = votes.most_common(1)[0]
        if number >= MIN_HOLDER_PURITY * votes.total() and number >= MIN_VOTES * totals[column]:
            found.setdefault(column, []).append(called)
    return {column: names[:MAX_HOLDER_NAMES] for column, names in found.items()}


def _add_owners(column_of: dict[int, int], rows: Sequence[RowForm], several: set[int]) -> None:
    """Gives elements the column of all their leaves, where cells of the column hold several: what
    else is in such an element belongs to it.
    """
    _, ends = parents_and_ends(rows)
    for number, row in enumerate(rows):
        if number and not is_leaf(row):
            inside = {
                column_of.get(at, 0) for at in range(number + 1, ends[number]) if is_leaf(rows[at])
            }
            if len(inside) == 1 and inside <= several:
                column_of[number] = inside.pop()


def _whole(records: Sequence[Sequence[int]]) -> list[int]:
    """Records to learn from: those of one element, where most are; the others are aligned later."""
    lone = [number for number, roots in enumerate(records) if len(roots) == 1]
    return lone if 2 * len(lone) > len(records) else list(range(len(records)))


def _heads_and_tops(
    tree: Tree, records: Sequence[Sequence[int]]
) -> tuple[list[int], tuple[str, ...]]:
    """The first element of each record, and the top tags of the longest record of siblings."""
    heads = []
    for roots in records:
        elements = [root for root in roots if tree.kind(root) == 1]
        if elements:
            heads.append(elements[0])
    longest = max(records, key=len)
    if len(longest) == 1:
        return heads, ()
    return heads, tuple(
        tree.local_name(root) if tree.kind(root) == 1 else "#text" for root in longest
    )
