"""Learning from a list page: the records and columns that `extract` found become a pattern, and
anchors that find the records again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from treelace.errors import WrapperError
from treelace.wrappers.apply.missed_records import strays
from treelace.wrappers.apply.region_reader import Page, Reader
from treelace.wrappers.learn.anchors import holder_name, record_anchors
from treelace.wrappers.learn.details import learn_pattern
from treelace.wrappers.model.form import ColumnForm, RegionForm, RowForm
from treelace.wrappers.model.text_shapes import shapes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.extract import Table
    from treelace.limits import Limits
    from treelace.tree import Tree

MOST_RECORDS = 150
"""Records that a pattern is learnt from; of more, those spread evenly."""

PURE, LEAST, MOST_HEADS = 0.8, 0.15, 0.6
"""Of noisy votes: the share that must agree on a row, and of a column's votes that a row must have;
of the records that an anchor must find.
"""

PURELY, MOST_HOLDERS = 0.95, 4
"""A column's holder is called so if this share of what is called so belongs to the column; names
that are kept.
"""

LOWEST_FIT = 0.6
"""A record of another page may have this share of the rows that the least of the learnt records
has.
"""

LEAST_STRAY, USUAL_STRAY, MOST_STRAY = 0.5, 0.7, 0.9
"""The fit that a stray must have at least, where some are known and where none is; where something
that is no record fits better than the last, strays are not looked for.
"""


def learn_list(tree: Tree, table: Table, *, limits: Limits) -> RegionForm:
    """The region of a table that was found on a page."""
    if not table.cells or not table.records:
        raise WrapperError("a wrapper is learnt from records: this table has none")
    records = [[node.index for node in nodes] for nodes in table.records]
    hints = [
        {
            item.node.index: number + 1
            for number, cell in enumerate(row)
            if cell is not None
            for item in cell.items
            if item.kind != "link"
        }
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
    is_noisy: bool = False,
) -> RegionForm:
    """The region of records with the column (from 1) of each of their leaves; `is_noisy`: leaves
    without one are not known, some are wrong.
    """
    whole = _whole(records) if is_noisy else list(range(len(records)))
    step = max(1, -(-len(whole) // MOST_RECORDS))
    parts = [(tree, list(records[at]), hints[at]) for at in whole[::step]]
    learnt = learn_pattern(parts, limits=limits)
    votes: dict[int, Counter[int]] = {}
    for (_, _, hint), held in zip(parts, learnt.records, strict=True):
        for row, (_, node) in held.items():
            if learnt.rows[row].tag in ("#text", "img"):
                votes.setdefault(row, Counter())[hint.get(node, 0)] += 1
    several = {
        column for hint in hints for column, count in Counter(hint.values()).items() if count > 1
    }
    column_of = (
        _elected(votes, several)
        if is_noisy
        else {row: count.most_common(1)[0][0] for row, count in votes.items()}
    )
    _add_owners(column_of, learnt.rows, several)
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
    usual = [
        number
        for number, row in enumerate(learnt.rows)
        if number and 5 * row.seen >= 4 * len(parts)
    ]
    fits = [
        sum(row in held for row in usual) / len(usual) if usual else 1.0 for held in learnt.records
    ]
    holders = _holders(tree, hints)
    columns = []
    for number, (name, kind) in enumerate(zip(names, types, strict=True)):
        filled = [text for row in texts if (text := row[number]) is not None]
        fill = round(len(filled) / len(texts), 3)
        length = round(sum(map(len, filled)) / len(filled), 1) if filled else 0.0
        own = tuple(f"holder:{known}" for known in holders.get(number + 1, ()))
        columns.append(
            ColumnForm(
                name,
                kind,
                required=fill == 1,
                fill=fill,
                length=length,
                shapes=shapes_of(filled),
                anchors=own,
            )
        )
    evidence = tuple(
        {name: text[:200] for name, text in zip(names, row, strict=True) if text is not None}
        for row in texts[:3]
    )
    heads, tops = _tops(tree, [records[at] for at in whole])
    region = RegionForm(
        "records",
        "list",
        tuple(columns),
        pages=len(parts),
        pattern=pattern,
        anchors=tuple(record_anchors(tree, heads, share=MOST_HEADS if is_noisy else 1.0)),
        tops=tops,
        records=(max(1, len(records) // 4), len(records) * 4),
        fit=round(LOWEST_FIT * min(fits), 3),
        confidence=confidence,
        evidence=evidence,
    )
    return with_fits(tree, region, records, limits=limits)


def with_fits(
    tree: Tree, region: RegionForm, records: Sequence[Sequence[int]], *, limits: Limits
) -> RegionForm:
    """The region with the fits that tell its records from what else the anchors find, and strays
    from what else stands among the records.
    """
    reader, page = Reader(replace(region, fit=0.0)), Page(tree)
    heads = sorted(root for record in records for root in record)

    def is_own(roots: Sequence[int]) -> bool:
        return any(bisect_left(heads, root) < bisect_left(heads, tree.end(root)) for root in roots)

    found = reader.records(page, None, limits=limits)
    fits = reader.fits(page, found, limits=limits)
    own = [fit for record, fit in zip(found, fits, strict=True) if is_own(record)]
    others = [fit for record, fit in zip(found, fits, strict=True) if not is_own(record)]
    region = replace(region, fit=_between(own, others, region.fit))
    if len(region.tops) > 1:
        return region
    known = [record for record, fit in zip(found, fits, strict=True) if fit >= region.fit]
    among = strays(tree, known, 0.0, partial(reader.fits, page, limits=limits))
    highest = max((fit for record, fit in among if not is_own(record)), default=0.0)
    lost = [fit for record, fit in among if is_own(record) and fit > highest]
    least = (
        max(LEAST_STRAY, (highest + min(lost)) / 2) if lost else max(USUAL_STRAY, (highest + 1) / 2)
    )
    return replace(region, strays=round(least, 3) if highest < MOST_STRAY else 0.0)


def _between(own: Sequence[float], others: Sequence[float], usual: float) -> float:
    """A bound between the fits of records and of others: the usual one if it does, else the one
    that fewest are on the wrong side of.
    """
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
    the column, whoever strayed there.
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
        is_enough = column in several or number >= LEAST * totals[column]
        if number >= PURE * known.total() and is_enough and number >= LEAST * count.total():
            elected[row] = column
    return elected


def _holders(tree: Tree, hints: Sequence[dict[int, int]]) -> dict[int, list[str]]:
    """For each column what the elements that hold its leaves are called, where they have a class
    that no other leaf's holder has.
    """
    counts: dict[str, Counter[int]] = {}
    for hint in hints:
        for leaf, column in hint.items():
            if called := holder_name(tree, leaf):
                counts.setdefault(called, Counter())[column] += 1
    found: dict[int, list[str]] = {}
    totals = Counter(column for hint in hints for column in set(hint.values()))
    for called, votes in counts.items():
        column, number = votes.most_common(1)[0]
        if number >= PURELY * votes.total() and number >= LEAST * totals[column]:
            found.setdefault(column, []).append(called)
    return {column: names[:MOST_HOLDERS] for column, names in found.items()}


def _add_owners(column_of: dict[int, int], rows: Sequence[RowForm], several: set[int]) -> None:
    """Gives elements the column of all their leaves, where cells of the column hold several: what
    else is in such an element belongs to it.
    """
    ends, opened = [len(rows)] * len(rows), list[int]()
    for number, row in enumerate(rows):
        while opened and rows[opened[-1]].depth >= row.depth:
            ends[opened.pop()] = number
        opened.append(number)
    for number, row in enumerate(rows):
        if number and row.tag not in ("#text", "img"):
            inside = {
                column_of.get(at, 0)
                for at in range(number + 1, ends[number])
                if rows[at].tag in ("#text", "img")
            }
            if len(inside) == 1 and inside <= several:
                column_of[number] = inside.pop()


def _whole(records: Sequence[Sequence[int]]) -> list[int]:
    """Records to learn from: where most are one element, those that are; one in pieces is laid
    along their pattern.
    """
    lone = [number for number, roots in enumerate(records) if len(roots) == 1]
    return lone if 2 * len(lone) > len(records) else list(range(len(records)))


def _tops(tree: Tree, records: Sequence[Sequence[int]]) -> tuple[list[int], tuple[str, ...]]:
    """The first element of each record, and the tags of the longest record where records are
    several siblings.
    """
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
