"""Leaves of a pattern that hold one field together: lists of values, and alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.wrappers.model.text_shapes import has_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.wrappers.learn.filled_pattern import FilledPattern


def value_runs(filled: FilledPattern) -> list[list[int]]:
    """Runs of leaves that stand for a list of values in one line (`<a>Drama</a>, <a>Comedy</a>`):
    siblings formatted alike, several on some record and not the same number on all, with no words
    between. Their values are counted off from the left.
    """
    found: list[list[int]] = []
    for parent in range(len(filled.rows)):
        if filled.is_leaf(parent):
            continue
        run: list[int] = []
        for child in [*filled.children(parent), -1]:
            is_mark = (
                child >= 0 and filled.rows[child].tag == "#text" and not _has_words(filled, child)
            )
            if is_mark:
                continue
            if (
                child >= 0
                and _is_formatted(filled, child)
                and (not run or _formatting(filled, run[0]) == _formatting(filled, child))
            ):
                run.append(child)
                continue
            if _is_list(filled, parent, run):
                found.append(run)
            run = [child] if child >= 0 and _is_formatted(filled, child) else []
    return found


def _is_list(filled: FilledPattern, parent: int, run: Sequence[int]) -> bool:
    """Whether records have different numbers of values in a run, and at most half are fixed."""
    counts = {sum(record in filled.values[row] for row in run) for record in filled.values[parent]}
    return len(run) > 1 and len(counts - {0}) > 1 and 2 * sum(map(filled.is_fixed, run)) <= len(run)


def _is_formatted(filled: FilledPattern, row: int) -> bool:
    return (
        filled.rows[row].tag == "#text"
        and bool(filled.rows[row].wrap)
        and not filled.rows[row].text.endswith(":")
    )


def _formatting(filled: FilledPattern, row: int) -> tuple[str, tuple[str, ...]]:
    return filled.rows[row].wrap, filled.rows[row].keys


def _has_words(filled: FilledPattern, row: int) -> bool:
    return any(has_words(text) for text, _ in filled.values[row].values())


def count_off(filled: FilledPattern, runs: Sequence[Sequence[int]]) -> None:
    """Moves the values of each run to its first rows, in document order."""
    for run in runs:
        for record in {record for row in run for record in filled.values[row]}:
            values = sorted(
                (filled.values[row].pop(record) for row in run if record in filled.values[row]),
                key=lambda value: value[1],
            )
            for row, value in zip(run, values, strict=False):
                filled.values[row][record] = value


def alternatives(filled: FilledPattern) -> dict[int, list[int]]:
    """Leaves that stand for each other: neighbours below one row, formatted alike, that no record
    has both of; the first with the others.

    They come from values that many pages share (`R`, `PG-13`), which look like fixed texts while
    the pattern is learnt. The values of the others are moved to the first.
    """
    found: dict[int, list[int]] = {}
    for parent in range(len(filled.rows)):
        first = -1
        for child in filled.children(parent) if not filled.is_leaf(parent) else ():
            texts = filled.values[child]
            if (
                filled.rows[child].tag != "#text"
                or not texts
                or any(text.endswith(":") for text, _ in texts.values())
            ):
                first = -1
            elif (
                first >= 0
                and _formatting(filled, first) == _formatting(filled, child)
                and not texts.keys() & filled.values[first].keys()
            ):
                filled.values[first].update(texts)
                filled.values[child].clear()
                found.setdefault(first, []).append(child)
            else:
                first = child
    return found
