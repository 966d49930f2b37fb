"""Matches columns of detail pages and inner tables to rows of the new pattern, by vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from treelace.extract import Cell
from treelace.tree import Tree
from treelace.wrappers.learn.pattern import LearntPattern, Part, evidence_of, is_leaf
from treelace.wrappers.model.form import ColumnForm, RegionForm, RowForm
from treelace.wrappers.model.text_shapes import shape, without_digits
from treelace.wrappers.repair.verdict import ColumnRepair, left_out

MIN_VOTE_SHARE = 0.8
"""Share of the leaves of a row that must be its column, of those that say anything."""

MIN_FITTING_TEXTS = 0.6
"""Share of a column's texts that must look as they did."""

MIN_FIELDS_READ_ALIKE = 0.9
"""Share of a column's cells that the new wrapper must read as they are known to be."""

SHAPE_CONFIDENCE = 0.7
"""What a text that only looks as it did adds to the confidence, where one that reappears adds 1."""

UNFIT_CONFIDENCE = 0.2
"""Confidence of a column whose texts look otherwise."""

MIN_PREFERENCE = 1.6
"""How many times more columns a new pattern must restore than the old one, renamed."""


class RowVotes:
    """Votes of leaves. A leaf of a known column votes for it; one of no column votes against all
    columns that its record has elsewhere.
    """

    def __init__(self) -> None:
        self._for: dict[int, Counter[int]] = {}
        self._against: dict[int, Counter[int]] = {}

    def add(self, row: int, column: int | None, columns_of_record: Iterable[int]) -> None:
        """The vote of a leaf that was laid along a row."""
        if column is not None:
            self._for.setdefault(row, Counter())[column] += 1
        else:
            self._against.setdefault(row, Counter()).update(columns_of_record)

    def elected(self) -> dict[int, int]:
        """The column of each row that enough leaves vote for."""
        columns = {}
        for row, votes in sorted(self._for.items()):
            column, number = votes.most_common(1)[0]
            against = self._against.get(row, Counter())[column]
            if number >= MIN_VOTE_SHARE * (votes.total() + against):
                columns[row] = column
        return columns


@dataclass(frozen=True, slots=True)
class OldRecord:
    """An old record on a new page: its top nodes, the columns of its leaves, and its old texts."""

    tree: Tree
    roots: list[int]
    column_of_leaf: dict[int, int]
    texts: dict[int, str]


def as_parts(records: Sequence[OldRecord]) -> list[Part]:
    """The records as learning takes them, with columns from 1."""
    return [
        Part(one.tree, one.roots, {leaf: column + 1 for leaf, column in one.column_of_leaf.items()})
        for one in records
    ]


def elected_columns(learnt: LearntPattern, records: Sequence[OldRecord]) -> dict[int, int]:
    """The column of each row that enough of its leaves were."""
    votes = RowVotes()
    for record, held in zip(records, learnt.records, strict=True):
        columns = set(record.column_of_leaf.values())
        for row, (_, node) in held.items():
            column = record.column_of_leaf.get(node)
            if column is not None or is_leaf(learnt.rows[row]):
                votes.add(row, column, columns)
    return votes.elected()


def take_over(
    region: RegionForm,
    records: Sequence[OldRecord],
    learnt: LearntPattern,
    rows: list[RowForm],
    column_of_row: Mapping[int, int],
    *,
    is_old: bool = False,
) -> tuple[RegionForm | None, list[ColumnRepair]]:
    """The region with the columns whose texts look as they did, and why; `is_old`: on the old
    pattern, with what it knows of more pages.
    """
    made: list[ColumnForm] = []
    columns: list[ColumnRepair] = []
    for number, column in enumerate(region.columns):
        own = [row for row, of in column_of_row.items() if of == number]
        pairs = [
            (" ".join(held[row][0] for row in own if row in held), record.texts[number])
            for record, held in zip(records, learnt.records, strict=True)
            if number in record.texts and any(row in held for row in own)
        ]
        was_there = any(number in record.texts for record in records)
        columns.append(_judge_texts(column, pairs, was_there=was_there))
        if not columns[-1].is_restored:
            continue
        labels = tuple(anchor for anchor in column.anchors if anchor.startswith("label:"))
        made.append(replace(column, anchors=labels, select=""))
        for row in own if not is_old else ():
            shapes = tuple(dict.fromkeys([*rows[row].shapes, *column.shapes]))
            rows[row] = replace(rows[row], column=column.name, text="", shapes=shapes)
    if not made:
        return None, columns
    names = {column.name for column in made}
    evidence = evidence_of(
        {
            region.columns[number].name: text
            for number, text in record.texts.items()
            if region.columns[number].name in names
        }
        for record in records
    )
    region = replace(region, columns=tuple(made), pattern=tuple(rows), evidence=evidence)
    return region if is_old else replace(region, pages=len(records), runs=()), columns


def _judge_texts(
    column: ColumnForm, pairs: Sequence[tuple[str, str]], *, was_there: bool
) -> ColumnRepair:
    """Whether the texts of a column, each as it is and as it was, look as they did."""
    if not was_there:
        return left_out(column.name, "the old page has no value of it")
    if not pairs:
        return left_out(column.name, "nothing on the new page was found to be it")
    same = [without_digits(now) == without_digits(before) for now, before in pairs]
    shaped = [shape(now) in {*column.shapes, shape(before)} for now, before in pairs]
    fitting = sum(map(max, same, shaped))
    if fitting < MIN_FITTING_TEXTS * len(pairs):
        now, before = pairs[shaped.index(False)]
        reason = f"{now[:40]!r} does not look like {before[:40]!r}"
        return left_out(column.name, reason, confidence=UNFIT_CONFIDENCE)
    if len(pairs) > 1:
        reason = f"{sum(same)} of {len(pairs)} texts reappear but for digits"
    else:
        reason = "its text reappears but for digits" if same[0] else "its place and shape agree"
    confidence = round((sum(same) + SHAPE_CONFIDENCE * (fitting - sum(same))) / len(pairs), 3)
    return ColumnRepair(column.name, True, confidence, (reason,))


def read_again(
    made: RegionForm,
    region: RegionForm,
    columns: list[ColumnRepair],
    read: Sequence[tuple[OldRecord, Sequence[Cell | None]]],
) -> tuple[RegionForm | None, list[ColumnRepair]]:
    """The region without the columns that it does not read as they are known to be, on the same
    pages; `read` has each record with the row that it reads.
    """
    numbers = {column.name: number for number, column in enumerate(region.columns)}
    verdicts = {column.name: column for column in columns}
    for at, column in enumerate(made.columns):
        cells = [(_leaves_of(record, numbers[column.name]), row[at]) for record, row in read]
        verdicts[column.name] = _judge_cells(verdicts[column.name], cells)
    kept = tuple(column for column in made.columns if verdicts[column.name].is_restored)
    names = {column.name for column in kept}
    made = replace(
        made,
        columns=kept,
        pattern=tuple(
            row if row.column in names else replace(row, column="") for row in made.pattern
        ),
        evidence=tuple(
            {name: text for name, text in row.items() if name in names} for row in made.evidence
        ),
    )
    return made if kept else None, [verdicts[column.name] for column in columns]


def _leaves_of(record: OldRecord, number: int) -> set[int]:
    return {leaf for leaf, column in record.column_of_leaf.items() if column == number}


def _judge_cells(
    verdict: ColumnRepair, cells: Sequence[tuple[set[int], Cell | None]]
) -> ColumnRepair:
    """The verdict after rereading; `cells` pairs each record's known leaves with the read cell."""
    pairs = [(leaves, cell) for leaves, cell in cells if leaves]
    if not pairs:
        return verdict
    alike = sum(
        cell is not None and any(item.node.index in leaves for item in cell.items)
        for leaves, cell in pairs
    )
    otherwise = sum(cell is not None for _, cell in pairs) - alike
    head = f"the new wrapper reads {alike} of {len(pairs)}"
    if alike < MIN_FIELDS_READ_ALIKE * (alike + otherwise) or 2 * alike < len(pairs):
        reason = f"{head} of them alike" + (f", {otherwise} otherwise" if otherwise else "")
        return left_out(verdict.name, *verdict.reasons, reason)
    return ColumnRepair(verdict.name, True, verdict.confidence, (*verdict.reasons, f"{head} alike"))
