"""Learning: a wrapper from pages that are alike, without the columns that tell nothing of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from treelace.errors import TreelaceError, WrapperError
from treelace.extract.types import IMAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Cell
    from treelace.tree import Tree
    from treelace.wrappers import Wrapper

PAGES_TO_LEARN_FROM = 10
"""Pages a wrapper is learnt from."""
SURELY_A_LIST = 0.95
"""How sure the extractor must be of a list for a page to count as one."""
FIRST_PAGES_TRIED = 5
"""Pages that are tried as the first one of a class of lists."""
FEWEST_RECORDS = 4
"""Records of the longest list of a class of lists, at least."""


def learn(trees: Sequence[Tree]) -> tuple[Wrapper | None, str]:
    """A wrapper for pages that are alike, or None and the reason.

    They are lists where most of them show a list nearly for certain; else each is one record.
    Columns that say the same on every page are frame and left out.
    """
    from treelace.extract import extract
    from treelace.wrappers import Wrapper

    first = [next(iter(extract(tree)), None) for tree in trees]
    # paragraphs of a text repeat as well, in one column
    sure = [
        table
        for table in first
        if table is not None and table.confidence >= SURELY_A_LIST and len(table.columns) > 1
    ]
    is_list = (
        len(sure) > len(trees) / 2 and max(len(table.cells) for table in sure) >= FEWEST_RECORDS
    )
    try:
        if is_list:
            return without_columns(
                _purest_list(trees, [0 if table is None else len(table.cells) for table in first]),
                set(),
            ), ""
        wrapper = Wrapper.learn(trees, kind="detail")
        return without_columns(
            wrapper, frame_columns(wrapper, trees) if len(trees) > 1 else set()
        ), ""
    except TreelaceError as error:
        return None, str(error)


def _purest_list(trees: Sequence[Tree], sizes: Sequence[int]) -> Wrapper:
    """The best of a few wrappers: what is learnt from lists depends on which page comes first.

    The best one finds most records on all pages; of equals, the one whose columns mix fewest shapes
    of texts (a price among ratings).
    """
    from treelace.wrappers import Wrapper

    longest = sorted(range(len(trees)), key=lambda number: (-sizes[number], number))[
        :FIRST_PAGES_TRIED
    ]
    made, failure = [], None
    for number in longest:
        try:
            made.append(
                Wrapper.learn(
                    [trees[number], *(tree for at, tree in enumerate(trees) if at != number)],
                    kind="list",
                )
            )
        except TreelaceError as error:
            failure = error
    if not made:
        raise failure or WrapperError("no list was found")
    return max(made, key=lambda wrapper: _purity(wrapper, trees))


def _purity(wrapper: Wrapper, trees: Sequence[Tree]) -> tuple[int, float]:
    shapes: dict[str, Counter[str]] = {}
    found = 0
    for tree in trees:
        try:
            table = wrapper.apply(tree, force=True)[0]
        except TreelaceError:
            continue
        found += len(table.cells)
        for row in table.cells:
            for column, cell in zip(table.columns, row, strict=True):
                if cell is not None:
                    shapes.setdefault(column.name, Counter())[
                        re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", cell.text))
                    ] += 1
    mixed = sum(counts.total() - counts.most_common(1)[0][1] for counts in shapes.values())
    return found, -mixed


def link_key(wrapper: Wrapper, trees: Sequence[Tree]) -> list[str]:
    """The column whose text leads to the record's own page, different in each; empty if none.

    Better than any value as a key: an address outlives prices, names and designs. Pictures lead
    there, too, but pictures come and go.
    """
    first = wrapper.form.regions[0]
    if first.kind == "page":
        return []
    tables = [wrapper.apply(tree, force=True)[0] for tree in trees]
    for at, column in enumerate(first.columns):
        links = [
            [None if (cell := row[at]) is None else cell.link for row in table.cells]
            for table in tables
        ]
        if (
            column.type != IMAGE.name
            and links
            and all(all(part) and len(set(part)) == len(part) for part in links)
        ):
            return [f"{column.name} link"]
    return []


def frame_columns(wrapper: Wrapper, trees: Sequence[Tree]) -> set[str]:
    """The columns that say one thing on all pages."""
    tables = [wrapper.apply(tree, force=True)[0] for tree in trees]
    return {
        column.name
        for at, column in enumerate(tables[0].columns)
        if len({_text(row[at]) for table in tables for row in table.cells}) == 1
    }


def noisy_columns(wrapper: Wrapper, pairs: Sequence[tuple[Tree, Tree]]) -> set[str]:
    """Columns that differ between two fetches on a third of the pages: counters, adverts, times.

    A third, because adverts that take turns are the same twice now and then; and two pages at
    least, because a price may change between two looks.
    """
    changed: Counter[str] = Counter()
    for pair in pairs:
        old, new = (wrapper.apply(tree, force=True)[0] for tree in pair)
        if old.cells and new.cells:
            changed.update(
                column.name
                for at, column in enumerate(old.columns)
                if _text(old.cells[0][at]) != _text(new.cells[0][at])
            )
    return {name for name, count in changed.items() if count >= max(2, len(pairs) / 3)}


def _text(cell: Cell | None) -> str | None:
    return cell.text if cell is not None else None


def without_columns(wrapper: Wrapper, dropped: set[str]) -> Wrapper:
    """The wrapper's first table without these columns; unchanged if no column would be left."""
    from msgspec.structs import replace

    from treelace.wrappers import Wrapper

    first = wrapper.form.regions[0]
    kept = {column.name for column in first.columns} - dropped
    if not kept:
        return wrapper
    columns = tuple(column for column in first.columns if column.name in kept)
    pattern = tuple(row if row.column in kept else replace(row, column="") for row in first.pattern)
    evidence = tuple(
        {name: text for name, text in row.items() if name in kept} for row in first.evidence
    )
    return Wrapper(
        replace(
            wrapper.form,
            regions=(replace(first, columns=columns, pattern=pattern, evidence=evidence),),
        )
    )
