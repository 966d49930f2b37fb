"""Repair of detail pages: the fields of the page's own record, and the tables inside it.

A page is one record. Of one or several pages, each as it was and as it is, `lace` (or the evidence
rows) says which leaf of the new page was which field. The new pages are laid along each other with
that knowledge; a row of the new pattern is the column that its leaves were. Records of a table
inside are found again by where their leaves went: the element that holds them, and what they are
called there. A column is taken over if most of its texts look as they did and the new wrapper reads
them so on the same pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from treelace.extract import Cell
from treelace.limits import Limits
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.records import inner_roots, page_roots
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.anchors import column_anchors
from treelace.wrappers.learn.pattern import LearntPattern, is_leaf, lay_along, learn_pattern
from treelace.wrappers.model.form import ColumnForm, RegionForm, RowForm
from treelace.wrappers.model.text_shapes import shape, without_digits
from treelace.wrappers.repair.field_columns import (
    MIN_PREFERENCE,
    OldRecord,
    as_parts,
    elected_columns,
    read_again,
    take_over,
)
from treelace.wrappers.repair.matched_records import MatchedRecords
from treelace.wrappers.repair.verdict import ColumnRepair, all_left_out

MIN_FOUND_RECORDS = 2
"""Records of a table inside a page that must be found again."""

MIN_CLASS_SHARE = 0.8
"""Share of the records inside a page that have the class they are called by."""


@dataclass(frozen=True, slots=True)
class RepairedFields:
    """The region of a page's own fields (None if not proved), column verdicts, and its pattern."""

    region: RegionForm | None
    columns: list[ColumnRepair]
    pattern: LearntPattern

    @property
    def restored(self) -> int:
        """How many columns were taken over."""
        return sum(column.is_restored for column in self.columns)


def repair_fields(
    region: RegionForm,
    matched: Sequence[MatchedRecords],
    news: Sequence[Tree],
    *,
    renamed_old: RegionForm | None,
    limits: Limits,
) -> RepairedFields:
    """The fields of the page's own record found again.

    Two patterns are tried: the old one under new names (`renamed_old`), which knows more pages than
    are here, and one learnt from the new pages.
    """
    records = [
        OldRecord(new, page_roots(new), one.column_of_leaf[0], one.texts[0])
        for one, new in zip(matched, news, strict=True)
    ]
    learnt = learn_pattern(as_parts(records), limits=limits)
    rows = list(learnt.rows)
    column_of_row = elected_columns(learnt, records)
    if len(records) == 1:
        _mark_labels(matched[0], learnt, rows, column_of_row)
        _add_values_after_labels(region, news[0], learnt.records[0], column_of_row)
    by_new = _repaired(region, records, learnt, rows, column_of_row, limits=limits)
    if renamed_old is None:
        return by_new
    laid = lay_along(renamed_old, as_parts(records), limits=limits)
    numbers = {column.name: number for number, column in enumerate(region.columns)}
    column_of_row = {
        number: numbers[row.column] for number, row in enumerate(laid.rows) if row.column
    }
    by_old = _repaired(
        region, records, laid, list(laid.rows), column_of_row, is_old=True, limits=limits
    )
    return by_old if by_old.restored * MIN_PREFERENCE >= by_new.restored else by_new


def _repaired(
    region: RegionForm,
    records: Sequence[OldRecord],
    learnt: LearntPattern,
    rows: list[RowForm],
    column_of_row: Mapping[int, int],
    *,
    is_old: bool = False,
    limits: Limits,
) -> RepairedFields:
    """The region on one pattern, with the columns that it reads as they are known to be."""
    made, columns = take_over(region, records, learnt, rows, column_of_row, is_old=is_old)
    if made is None:
        return RepairedFields(None, columns, learnt)
    trees = [record.tree for record in records]
    made = replace(
        made, columns=tuple(_anchored(column, made, learnt, trees) for column in made.columns)
    )
    reader = RegionReader(made)
    read = [
        (record, reader.read(Page(record.tree, limits=limits)).table.cells[0]) for record in records
    ]
    return RepairedFields(*read_again(made, region, columns, read), learnt)


def _mark_labels(
    matched: MatchedRecords,
    learnt: LearntPattern,
    rows: list[RowForm],
    column_of_row: Mapping[int, int],
) -> None:
    """Marks as labels of a single new page the texts that were fixed in the old pattern."""
    for row, (text, node) in learnt.records[0].items():
        if (
            row not in column_of_row
            and node in matched.labels
            and without_digits(text) == without_digits(matched.labels[node])
        ):
            rows[row] = replace(rows[row], fixed=True, text=text)


def _add_values_after_labels(
    region: RegionForm,
    new: Tree,
    held: Mapping[int, tuple[str, int]],
    column_of_row: dict[int, int],
) -> None:
    """Gives columns that the matcher missed the leaf after their label, if it looks like theirs."""
    row_of_node = {node: row for row, (_, node) in held.items()}
    value_of_label = _leaves_after_labels(new, sorted(row_of_node))
    for number, column in enumerate(region.columns):
        labels = [
            anchor.removeprefix("label:")
            for anchor in column.anchors
            if anchor.startswith("label:")
        ]
        if labels and number not in column_of_row.values():
            node = value_of_label.get(labels[0])
            row = row_of_node.get(node) if node is not None else None
            if row is None or row in column_of_row or shape(held[row][0]) not in column.shapes:
                continue
            column_of_row[row] = number


def _leaves_after_labels(new: Tree, nodes: Sequence[int]) -> dict[str, int | None]:
    """The text after each text; None after one that stands there twice."""
    texts = [node for node in nodes if new.kind(node) == 2]
    found: dict[str, int | None] = {}
    for node, after in zip(texts, [*texts[1:], None], strict=False):
        words = " ".join(new.own_text(node).split())
        found[words] = None if words in found else after
    return found


def _anchored(
    column: ColumnForm, made: RegionForm, learnt: LearntPattern, news: Sequence[Tree]
) -> ColumnForm:
    """The column with the ways to find it that hold on all new pages, beside its labels."""
    rows = [
        number
        for number, row in enumerate(made.pattern)
        if row.column == column.name and is_leaf(row)
    ]
    nodes = {
        page: held[rows[0]][1]
        for page, held in enumerate(learnt.records)
        if len(rows) == 1 and rows[0] in held
    }
    if not nodes:
        return column
    anchors = dict.fromkeys([*column_anchors(news, nodes), *column.anchors])
    return replace(column, anchors=tuple(anchors))


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
        learn_pattern(as_parts(records), limits=limits),
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
    """The row of the page's pattern that now holds most old records, and their tag and class."""
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
        page = Page(new, limits=limits)
        node_of_row = RegionReader(main).read(page).node_of_row
        table = RegionReader(made).read(page, node_of_row).table
        for nodes, row in zip(table.records, table.cells, strict=True):
            rows[id(new), nodes[0].index] = row
    nothing = [None] * len(made.columns)
    return [(record, rows.get((id(record.tree), record.roots[0]), nothing)) for record in records]
