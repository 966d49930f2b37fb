"""The new page's records, read twice: by the new pattern, and by where old leaves went.

A cell is given where both agree, or where one of them finds the old text again (digits aside);
where they contradict each other it is left empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from treelace.extract import Cell, Table
from treelace.wrappers.apply.page import Page
from treelace.wrappers.model.form import RegionForm
from treelace.wrappers.model.text_shapes import has_letters, has_words, without_digits
from treelace.wrappers.repair.matched_records import MatchedRecords, owners_of, pieces_of_record

MIN_SAME_WORDS = 0.6
"""Share of words that a text must keep to be the old one, changed."""

MIN_SAME_TEXTS = 0.3
"""Share of texts that a record must keep to be the old one."""

MIN_NUMBER_CONFIDENCE = 0.75
"""Confidence of a leaf without letters, which cannot be known again by its text."""


def reconcile(
    page: Page, region: RegionForm, matched: MatchedRecords, by_pattern: Table
) -> tuple[Table, list[int | None]]:
    """The records of the new page: the old ones by where their leaves went, compared with the
    pattern; then those that only the pattern finds. For each the number of the old record, or None.
    """
    row_of: dict[int, int] = {}
    for number, nodes in enumerate(by_pattern.records):
        for node in nodes:
            row_of.setdefault(node.index, number)
    found: list[tuple[tuple[int, ...], int | None, tuple[Cell | None, ...]]] = []
    taken: set[int] = set()
    owners = owners_of(matched.column_of_leaf)
    nothing = (None,) * len(region.columns)
    for record, column_of_leaf in enumerate(matched.column_of_leaf):
        rows = [row_of[root] for root in matched.roots[record] if root in row_of]
        at = next((row for row in rows if row not in taken), None)
        if at is None and not column_of_leaf:
            continue
        if at is not None:
            taken.add(at)
        cells = _cells(page, matched, record, by_pattern.cells[at] if at is not None else nothing)
        if any(cells):
            roots = matched.roots[record] or pieces_of_record(
                page.tree, record, sorted(column_of_leaf), owners
            )
            found.append((tuple(roots), record, cells))
    for at, cells in enumerate(by_pattern.cells):
        if at not in taken:
            found.append((tuple(node.index for node in by_pattern.records[at]), None, cells))
    found.sort(key=lambda one: one[0])
    body = page.typed([cells for _, _, cells in found], region.columns)
    records = tuple(tuple(page.tree[root] for root in roots) for roots, _, _ in found)
    table = Table(by_pattern.columns, body, by_pattern.place, by_pattern.confidence, records)
    return table, [origin for _, origin, _ in found]


def _cells(
    page: Page, matched: MatchedRecords, record: int, by_pattern: Sequence[Cell | None]
) -> tuple[Cell | None, ...]:
    """The cells of an old record with the old text (digits aside), or that both readings have.

    Where most texts of a record are other ones, the record has a new content, and the agreement of
    both is enough.
    """
    leaves: dict[int, list[int]] = {}
    for leaf, column in sorted(matched.column_of_leaf[record].items()):
        leaves.setdefault(column, []).append(leaf)
    before = matched.texts[record]
    by_match = {column: page.cell(own) for column, own in leaves.items()}
    worded = [column for column in by_match if has_letters(before.get(column, ""))]
    kept = sum(_has_same_words(by_match[column].text, before[column]) for column in worded)
    is_new = kept < MIN_SAME_TEXTS * len(worded)
    return tuple(
        _agreed(
            before[column],
            by_match.get(column),
            by_pattern[column],
            leaves.get(column, []),
            matched.confidence,
            is_new,
        )
        if column in before
        else None
        for column in range(len(by_pattern))
    )


def _agreed(
    before: str,
    by_match: Cell | None,
    by_pattern: Cell | None,
    leaves: list[int],
    confidence: Mapping[int, float],
    is_new: bool,
) -> Cell | None:
    """The cell that both readings agree on, or that has the old text again; None if not sure."""
    is_worded = has_letters(before)
    for cell in (by_match, by_pattern):
        if cell is not None and is_worded and without_digits(cell.text) == without_digits(before):
            return cell
    if by_match is None or has_letters(by_match.text) != is_worded or not has_words(by_match.text):
        return None
    if by_pattern is not None and not {item.node.index for item in by_pattern.items} & set(leaves):
        return None
    if is_worded:
        is_right = is_new or _has_same_words(by_match.text, before)
    else:
        is_sure = all(confidence.get(leaf, 1.0) >= MIN_NUMBER_CONFIDENCE for leaf in leaves)
        is_right = is_sure and without_digits(by_match.text) == without_digits(before)
    return by_match if is_right else None


def _has_same_words(text: str, before: str) -> bool:
    left, right = Counter(without_digits(text).split()), Counter(without_digits(before).split())
    return (left & right).total() >= MIN_SAME_WORDS * max(left.total(), right.total())


def has_new_content(
    matched: MatchedRecords, row: Sequence[Cell | None], origin: int | None
) -> bool:
    """Whether most texts of a record changed, so that there is nothing to compare them with."""
    if origin is None:
        return True
    before = matched.texts[origin]
    same = sum(
        cell is not None
        and column in before
        and without_digits(cell.text) == without_digits(before[column])
        for column, cell in enumerate(row)
    )
    return 2 * same < len(before)
