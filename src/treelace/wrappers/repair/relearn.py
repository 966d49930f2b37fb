"""The wrapper that a repair leaves behind: learnt from the table that the repair read, and proved
by reading the same page again.

The rows of that table and the leaves of their cells are known, so learning is supervised: each
record is laid along the others with its columns as hints, and a row of the pattern gets the column
that the leaves laid along it have *when the pattern is applied*, without hints. Rows that take
leaves of two columns get none.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from treelace.wrappers.apply.leaf_paths import path_of
from treelace.wrappers.apply.record_roots import NO_ROW
from treelace.wrappers.apply.region_reader import Page, Reader
from treelace.wrappers.learn.anchors import names_of
from treelace.wrappers.learn.lists import region_from, with_fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Table
    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.model.form import RegionForm

FOR = 0.8
"""Share of the leaves of a row that must speak for its column, of those that speak at all."""

MOST_PARTS = 4
"""Selectors that may be added to an anchor."""

ROUNDS = 3
"""How often the columns of rows are settled: a row that loses its column may set a leaf free for
another.
"""


def relearnt(
    page: Page,
    old: RegionForm,
    table: Table,
    kept: Sequence[int],
    *,
    pattern: RegionForm | None = None,
    limits: Limits,
) -> RegionForm:
    """The region of a table that a repair read: its records, and the leaves of the columns (by
    number) that are kept.

    `pattern` is a region whose pattern is taken instead of one learnt from the records.
    """
    tree = page.tree
    records = [[node.index for node in nodes] for nodes in table.records]
    hints = [
        {
            item.node.index: number + 1
            for number, column in enumerate(kept)
            if (cell := row[column]) is not None
            for item in cell.items
            if item.kind != "link" and any(top <= item.node.index < tree.end(top) for top in tops)
        }
        for row, tops in zip(table.cells, records, strict=True)
    ]
    texts = [
        [cell.text if (cell := row[column]) is not None else None for column in kept]
        for row in table.cells
    ]
    names = [old.columns[column].name for column in kept]
    types = [old.columns[column].type for column in kept]
    made = region_from(
        page.tree,
        records,
        hints,
        names,
        types,
        texts,
        confidence=old.confidence,
        limits=limits,
        is_noisy=True,
    )
    if pattern is not None:
        made = with_fits(
            page.tree,
            replace(made, pattern=pattern.pattern, pages=pattern.pages, fit=pattern.fit),
            records,
            limits=limits,
        )
    made = _with_all_heads(page, made, records, limits=limits)
    for _ in range(ROUNDS):
        settled = _settled(page, made, hints, limits=limits)
        if settled == made:
            break
        made = settled
    return _with_paths(page, made, hints, limits=limits)


def _with_all_heads(
    page: Page, region: RegionForm, records: Sequence[Sequence[int]], *, limits: Limits
) -> RegionForm:
    """The region with a first anchor that finds more: what the records are called that it misses,
    where nothing that fits is called so too.
    """
    if len(region.tops) > 1 or not region.anchors:
        return region
    tree, anchor = page.tree, region.anchors[0]
    for _ in range(MOST_PARTS):
        reader = Reader(region)
        found = {root for record in reader.records(page, None, limits=limits) for root in record}
        missed = [
            roots[0]
            for roots in records
            if len(roots) == 1 and tree.kind(roots[0]) == 1 and not _overlaps(tree, roots[0], found)
        ]
        tops = {root for roots in records for root in roots}
        for head in missed:
            wider = next(
                (
                    made
                    for made in names_of(page.tree, head)
                    if _is_clean(page, reader, made, tops, found, limits=limits)
                ),
                None,
            )
            if wider is not None:
                anchor = f"{anchor}, {wider}"
                region = replace(region, anchors=(anchor, *region.anchors[1:]))
                break
        else:
            break
    return region


def _overlaps(tree: Tree, node: int, others: set[int]) -> bool:
    return any(
        other <= node < tree.end(other) or node <= other < tree.end(node) for other in others
    )


def _is_clean(
    page: Page, reader: Reader, selector: str, tops: set[int], found: set[int], *, limits: Limits
) -> bool:
    """Whether nothing that a selector finds beside records would be taken for one."""
    others = [
        [node.index]
        for node in page.tree.select(selector)
        if not _overlaps(page.tree, node.index, tops | found)
    ]
    return (
        not any(fit >= reader.form.fit for fit in reader.fits(page, others, limits=limits))
        if others
        else True
    )


def _settled(
    page: Page, region: RegionForm, hints: Sequence[dict[int, int]], *, limits: Limits
) -> RegionForm:
    """The region with the columns that its rows' leaves have on the page."""
    reader = Reader(region)
    column_of = {leaf: column for hint in hints for leaf, column in hint.items()}
    record_of = {leaf: record for record, hint in enumerate(hints) for leaf in hint}
    columns = [set(hint.values()) for hint in hints]
    votes: dict[int, Counter[int]] = {}
    against: dict[int, Counter[int]] = {}
    for nodes, rows, _, _ in reader.pattern.align(
        page.tree.kernel, reader.records(page, None, limits=limits), limits
    ):
        held = [
            (node, row)
            for node, row in zip(nodes.tolist(), rows.tolist(), strict=True)
            if row != NO_ROW
        ]
        owners = Counter(record_of[node] for node, _ in held if node in record_of)
        given = columns[owners.most_common(1)[0][0]] if owners else set()
        for node, row in held:
            if region.pattern[row].tag in ("#text", "img"):
                column = column_of.get(node, 0)
                votes.setdefault(row, Counter())[column] += 1
                if not column:
                    against.setdefault(row, Counter()).update(given)
    pattern = []
    for number, row in enumerate(region.pattern):
        if row.tag in ("#text", "img"):
            known = Counter(
                {column: count for column, count in votes.get(number, Counter()).items() if column}
            )
            name = ""
            if known:
                best, count = known.most_common(1)[0]
                if count >= FOR * (known.total() + against.get(number, Counter())[best]):
                    name = region.columns[best - 1].name
            row = replace(row, column=name)
        pattern.append(row)
    return replace(region, pattern=tuple(pattern))


def _with_paths(
    page: Page, region: RegionForm, hints: Sequence[dict[int, int]], *, limits: Limits
) -> RegionForm:
    """The region with the paths of leaves that it reads otherwise than they are known to be, where
    all leaves with the path agree; and of those that it reads and that nothing speaks for.
    """
    reader = Reader(region)
    column_of = {leaf: column for hint in hints for leaf, column in hint.items()}
    record_of = {leaf: record for record, hint in enumerate(hints) for leaf in hint}
    columns = [set(hint.values()) for hint in hints]
    table, _ = reader.table(page, None, limits=limits)
    votes: dict[str, Counter[int]] = {}
    wanted, unproved = set[str](), set[str]()
    for nodes, row in zip(table.records, table.cells, strict=True):
        roots = [node.index for node in nodes]
        given = {
            item.node.index: number + 1
            for number, cell in enumerate(row)
            if cell is not None
            for item in cell.items
            if item.kind != "link"
        }
        leaves = [leaf for root in roots for leaf in page.leaves(root)]
        owners = Counter(record_of[leaf] for leaf in leaves if leaf in record_of)
        have = columns[owners.most_common(1)[0][0]] if owners else set[int]()
        for leaf in leaves:
            path, read, known = (
                path_of(page.tree, roots, leaf),
                given.get(leaf, 0),
                column_of.get(leaf, 0),
            )
            if known or (read and read in have):
                votes.setdefault(path, Counter())[known] += 1
                if read != known:
                    wanted.add(path)
            elif read:
                unproved.add(path)
    paths = {}
    for path in sorted(wanted | unproved):
        known_votes = votes.get(path, Counter({0: 1}))
        column, count = known_votes.most_common(1)[0]
        if count == known_votes.total() and (path in wanted or column == 0):
            paths[path] = region.columns[column - 1].name if column else ""
    return replace(region, paths=paths)
