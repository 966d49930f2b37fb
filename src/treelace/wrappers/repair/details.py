"""Repair of wrappers of detail pages: their fields, and the tables inside them.

A page is one record. Of one or several pages, each as it was and as it is, `lace` (or the evidence
rows) says which leaf of the new page was which field. The new pages are laid along each other with
these as hints; a row of the new pattern is the column that its leaves were. Records of a table
inside are found again by where their leaves went: the element that holds them, and what they are
called there. A column is taken over if most of its texts look as they did and the new wrapper reads
them so on the same pages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from treelace.wrappers.apply.record_roots import NO_ROW, inner_records, tops_of
from treelace.wrappers.apply.region_reader import Page, Reader
from treelace.wrappers.learn.anchors import column_anchors
from treelace.wrappers.learn.details import Learnt, learn_pattern
from treelace.wrappers.model.text_shapes import shape
from treelace.wrappers.repair.matched_records import Seen, masked
from treelace.wrappers.repair.verdict import ColumnRepair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.extract import Cell, Table
    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.model.form import ColumnForm, RegionForm, RowForm

FOR, LOOKS, ALIKE = 0.8, 0.6, 0.9
"""Share of a row's leaves that must speak for its column; of a column's texts that must look as
they did; of its cells that must be read so again.
"""

PREFERRED = 1.6
"""How many more columns a pattern of the new pages must restore than the old one in new words,
which knows more pages.
"""

FEWEST = 2
"""Records of a table inside a page that must be found again."""

CALLED = 0.8
"""Share of the records inside a page that have the class they are called by."""


@dataclass(frozen=True, slots=True)
class Known:
    """A record of a new page: its top nodes, which leaf was which column, and the texts it had by
    column.
    """

    tree: Tree
    roots: list[int]
    leaves: dict[int, int]
    before: dict[int, str]


def repair_fields(
    region: RegionForm,
    seen: Sequence[Seen],
    news: Sequence[Tree],
    *,
    old_words: RegionForm | None,
    limits: Limits,
) -> tuple[RegionForm | None, list[ColumnRepair], Learnt]:
    """The region of a page's own fields on the new pages, what became of each column, and the
    pattern it stands on.

    Two patterns are tried: the old one in new words (`old_words`), which knows more pages than are
    here, and one learnt from the new pages.
    """
    records = [
        Known(new, tops_of(new), one.leaves[0], one.records[0])
        for one, new in zip(seen, news, strict=True)
    ]
    tried: list[tuple[RegionForm | None, list[ColumnRepair], Learnt]] = []
    for learnt in ([_laid(old_words, records, limits=limits)] if old_words is not None else []) + [
        _learnt(records, limits=limits)
    ]:
        rows = list(learnt.rows)
        if old_words is not None and not tried:
            names = {column.name: number for number, column in enumerate(region.columns)}
            column_of = {number: names[row.column] for number, row in enumerate(rows) if row.column}
        else:
            column_of = _elected(learnt, records)
            if len(records) == 1:
                _with_labels(region, seen[0], news[0], learnt, rows, column_of)
        is_old = old_words is not None and not tried
        made, columns = _taken_over(region, records, learnt, rows, column_of, is_old=is_old)
        if made is not None:
            made = replace(
                made,
                columns=tuple(_anchored(column, made, learnt, news) for column in made.columns),
            )
            tables = [
                Reader(made).table(Page(new), None, limits=limits)[0].cells[0] for new in news
            ]
            made, columns = _read_again(
                made, region, columns, list(zip(records, tables, strict=True))
            )
        tried.append((made, columns, learnt))
    return max(
        tried,
        key=lambda one: (
            sum(column.is_restored for column in one[1]) * (1 if one is tried[-1] else PREFERRED)
        ),
    )


def _with_labels(
    region: RegionForm,
    seen: Seen,
    new: Tree,
    learnt: Learnt,
    rows: list[RowForm],
    column_of: dict[int, int],
) -> None:
    """Of one page nothing says which texts are its own: those that the old pattern had as fixed are
    not; and a field may stand after its label.
    """
    held = learnt.records[0]
    for row, (text, node) in held.items():
        if (
            row not in column_of
            and node in seen.labels
            and masked(text) == masked(seen.labels[node][1])
        ):
            rows[row] = replace(rows[row], fixed=True, text=text)
    _after_labels(region, Page(new), held, column_of)


def _laid(region: RegionForm, records: Sequence[Known], *, limits: Limits) -> Learnt:
    """Records laid along a pattern that is there."""
    pattern, laid = Reader(region).pattern, []
    for known in records:
        held = dict[int, tuple[str, int]]()
        nodes, rows, _, _ = pattern.align(known.tree.kernel, [known.roots], limits)[0]
        for node, row in zip(nodes.tolist(), rows.tolist(), strict=True):
            if row != NO_ROW:
                text = (
                    " ".join(known.tree.own_text(node).split())
                    if known.tree.kind(node) == 2
                    else known.tree.attribute(node, "src") or ""
                )
                held[row] = (text, node)
        laid.append(held)
    return Learnt(region.pattern, laid)


def repair_inside(
    inner: RegionForm,
    main: RegionForm,
    learnt: Learnt,
    seen: Sequence[Seen],
    news: Sequence[Tree],
    *,
    old_words: RegionForm | None,
    limits: Limits,
) -> tuple[RegionForm | None, list[ColumnRepair]]:
    """The region of a table inside the new pages; `main` and `learnt` are what their own record is
    now.
    """

    def lost(why: str) -> tuple[None, list[ColumnRepair]]:
        return None, [
            ColumnRepair(f"{inner.name}: {column.name}", False, 0.0, (why,))
            for column in inner.columns
        ]

    if not any(one.records for one in seen):
        return lost("the old page has no record of it")
    places = Counter[tuple[int, str]]()
    for number, (one, new) in enumerate(zip(seen, news, strict=True)):
        row_of = {node: row for row, (_, node) in learnt.records[number].items()}
        for parent, roots in _by_parent(one, new).items():
            if parent in row_of and len(roots) >= FEWEST:
                places[row_of[parent], _called(new, roots)] += len(roots)
    if not places:
        return lost("its records were not found together on the new page")
    (parent_row, like), _ = places.most_common(1)[0]
    records: list[Known] = []
    for number, (one, new) in enumerate(zip(seen, news, strict=True)):
        if parent_row in learnt.records[number]:
            records += _known_inside(
                one, new, inner_records(new, learnt.records[number][parent_row][1], like)
            )
    if sum(bool(record.leaves) for record in records) < FEWEST:
        return lost("its records were not found together on the new page")
    tried = []
    for pattern in ([_laid(old_words, records, limits=limits)] if old_words is not None else []) + [
        _learnt(records, limits=limits)
    ]:
        made, columns = _taken_over(
            inner, records, pattern, list(pattern.rows), _elected(pattern, records)
        )
        if made is not None:
            made = replace(made, parent=parent_row, like=like)
            made, columns = _read_again(
                made, inner, columns, _read_inside(made, main, records, news, limits=limits)
            )
        tried.append((made, columns))
    made, columns = max(
        tried,
        key=lambda one: (
            sum(column.is_restored for column in one[1]) * (1 if one is tried[-1] else PREFERRED)
        ),
    )
    return made, [
        ColumnRepair(
            f"{inner.name}: {column.name}", column.is_restored, column.confidence, column.reasons
        )
        for column in columns
    ]


def _learnt(records: Sequence[Known], *, limits: Limits) -> Learnt:
    return learn_pattern(
        [
            (one.tree, one.roots, {leaf: column + 1 for leaf, column in one.leaves.items()})
            for one in records
        ],
        limits=limits,
    )


def _elected(learnt: Learnt, records: Sequence[Known]) -> dict[int, int]:
    """The column of each row that enough of its leaves were; a leaf that was none speaks against
    where its record has the column elsewhere.
    """
    votes: dict[int, Counter[int]] = {}
    against: dict[int, Counter[int]] = {}
    for known, held in zip(records, learnt.records, strict=True):
        have = set(known.leaves.values())
        for row, (_, node) in held.items():
            if node in known.leaves:
                votes.setdefault(row, Counter())[known.leaves[node]] += 1
            elif learnt.rows[row].tag in ("#text", "img"):
                against.setdefault(row, Counter()).update(have)
    column_of = {}
    for row, count in sorted(votes.items()):
        column, number = count.most_common(1)[0]
        if number >= FOR * (count.total() + against.get(row, Counter())[column]):
            column_of[row] = column
    return column_of


def _taken_over(
    region: RegionForm,
    records: Sequence[Known],
    learnt: Learnt,
    rows: list[RowForm],
    column_of: Mapping[int, int],
    *,
    is_old: bool = False,
) -> tuple[RegionForm | None, list[ColumnRepair]]:
    """The region with the columns whose texts look as they did, and why; `is_old`: on the old
    pattern, with what it knows of more pages.
    """
    made: list[ColumnForm] = []
    columns: list[ColumnRepair] = []
    for number, column in enumerate(region.columns):
        own = [row for row, of in column_of.items() if of == number]
        pairs = [
            (" ".join(held[row][0] for row in own if row in held), known.before[number])
            for known, held in zip(records, learnt.records, strict=True)
            if number in known.before and any(row in held for row in own)
        ]
        had = sum(number in known.before for known in records)
        found = _judged(column, own, pairs, had)
        columns.append(found)
        if found.is_restored:
            made.append(
                replace(
                    column,
                    anchors=tuple(
                        anchor for anchor in column.anchors if anchor.startswith("label:")
                    ),
                    select="",
                )
            )
            for row in own if not is_old else ():
                rows[row] = replace(
                    rows[row],
                    column=column.name,
                    text="",
                    shapes=tuple(dict.fromkeys([*rows[row].shapes, *column.shapes])),
                )
    if not made:
        return None, columns
    names = {column.name for column in made}
    evidence = tuple(
        {
            region.columns[number].name: text[:200]
            for number, text in known.before.items()
            if region.columns[number].name in names
        }
        for known in records[:3]
    )
    if is_old:
        return replace(region, columns=tuple(made), pattern=tuple(rows), evidence=evidence), columns
    return replace(
        region,
        columns=tuple(made),
        pattern=tuple(rows),
        pages=len(records),
        runs=(),
        evidence=evidence,
    ), columns


def _judged(
    column: ColumnForm, own: Sequence[int], pairs: Sequence[tuple[str, str]], had: int
) -> ColumnRepair:
    if not had:
        return ColumnRepair(column.name, False, 0.0, ("the old page has no value of it",))
    if not own or not pairs:
        return ColumnRepair(
            column.name, False, 0.0, ("nothing on the new page was found to be it",)
        )
    same = sum(masked(now) == masked(before) for now, before in pairs)
    fitting = sum(
        masked(now) == masked(before) or shape(now) in {*column.shapes, shape(before)}
        for now, before in pairs
    )
    if fitting < LOOKS * len(pairs):
        now, before = next(
            (now, before)
            for now, before in pairs
            if shape(now) not in {*column.shapes, shape(before)}
        )
        return ColumnRepair(
            column.name, False, 0.2, (f"{now[:40]!r} does not look like {before[:40]!r}",)
        )
    reason = (
        f"{same} of {len(pairs)} texts reappear but for digits"
        if len(pairs) > 1
        else "its text reappears but for digits"
        if same
        else ""
    )
    confidence = round((same + 0.7 * (fitting - same)) / len(pairs), 3)
    return ColumnRepair(column.name, True, confidence, (reason or "its place and shape agree",))


def _read_again(
    made: RegionForm,
    region: RegionForm,
    columns: list[ColumnRepair],
    read: Sequence[tuple[Known, Sequence[Cell | None]]],
) -> tuple[RegionForm | None, list[ColumnRepair]]:
    """The region without the columns that it does not read as the repair did, on the same pages."""
    numbers = {column.name: number for number, column in enumerate(region.columns)}
    judged = {column.name: column for column in columns}
    kept = []
    for at, column in enumerate(made.columns):
        number = numbers[column.name]
        wanted = [
            ({leaf for leaf, of in known.leaves.items() if of == number}, row[at])
            for known, row in read
        ]
        pairs = [(leaves, cell) for leaves, cell in wanted if leaves]
        agree = sum(
            cell is not None and any(item.node.index in leaves for item in cell.items)
            for leaves, cell in pairs
        )
        differ = sum(cell is not None for _, cell in pairs) - agree
        before = judged[column.name]
        if pairs and (agree < ALIKE * (agree + differ) or 2 * agree < len(pairs)):
            reason = f"the new wrapper reads {agree} of {len(pairs)} of them alike" + (
                f", {differ} otherwise" if differ else ""
            )
            judged[column.name] = ColumnRepair(column.name, False, 0.0, (*before.reasons, reason))
        else:
            kept.append(column)
            if pairs:
                reasons = (*before.reasons, f"the new wrapper reads {agree} of {len(pairs)} alike")
                judged[column.name] = ColumnRepair(column.name, True, before.confidence, reasons)
    names = {column.name for column in kept}
    made = replace(
        made,
        columns=tuple(kept),
        pattern=tuple(
            row if row.column in names else replace(row, column="") for row in made.pattern
        ),
        evidence=tuple(
            {name: text for name, text in row.items() if name in names} for row in made.evidence
        ),
    )
    return made if kept else None, [judged[column.name] for column in columns]


def _anchored(
    column: ColumnForm, made: RegionForm, learnt: Learnt, news: Sequence[Tree]
) -> ColumnForm:
    """The column with the ways to find it that hold on all new pages, beside its labels."""
    rows = [
        number
        for number, row in enumerate(made.pattern)
        if row.column == column.name and row.tag in ("#text", "img")
    ]
    nodes = {
        page: held[rows[0]][1]
        for page, held in enumerate(learnt.records)
        if len(rows) == 1 and rows[0] in held
    }
    if not nodes:
        return column
    return replace(
        column,
        anchors=tuple(dict.fromkeys([*column_anchors(news, nodes, "", False), *column.anchors])),
    )


def _after_labels(
    region: RegionForm, page: Page, held: Mapping[int, tuple[str, int]], column_of: dict[int, int]
) -> None:
    """Gives columns that the matcher did not find the leaf after their label, where it looks like
    theirs.
    """
    row_of = {node: row for row, (_, node) in held.items()}
    leaves = sorted((node, row) for node, row in row_of.items())
    for number, column in enumerate(region.columns):
        labels = [
            anchor.removeprefix("label:")
            for anchor in column.anchors
            if anchor.startswith("label:")
        ]
        if labels and number not in column_of.values():
            node = page.after_label(labels[0], leaves)
            row = row_of.get(node) if node is not None else None
            if row is not None and row not in column_of and shape(held[row][0]) in column.shapes:
                column_of[row] = number


def _by_parent(seen: Seen, new: Tree) -> dict[int, list[int]]:
    """The elements that old records are now, by what holds them."""
    found: dict[int, list[int]] = {}
    for tops in seen.tops:
        for top in tops[:1]:
            parent = new.parent(top)
            if parent and new.kind(top) == 1:
                found.setdefault(parent, []).append(top)
    return found


def _called(new: Tree, roots: Sequence[int]) -> str:
    """The tag of most elements, with the class that nearly all of them have."""
    tag = Counter(new.local_name(root) for root in roots).most_common(1)[0][0]
    own = [root for root in roots if new.local_name(root) == tag]
    words = Counter(
        word
        for root in own
        for word in set((new.attribute(root, "class") or "").split())
        if "." not in word
    )
    word = min((word for word, number in words.items() if number >= CALLED * len(own)), default="")
    return f"{tag}.{word}" if word else tag


def _known_inside(seen: Seen, new: Tree, roots: Sequence[int]) -> list[Known]:
    """The records of a table inside a new page, with what is known of those that were there."""
    made = []
    for root in roots:
        leaves: dict[int, int] = {}
        before: dict[int, str] = {}
        for number, held in enumerate(seen.leaves):
            inside = {leaf: column for leaf, column in held.items() if root <= leaf < new.end(root)}
            if len(inside) * 2 > len(held) and len(inside) > len(leaves):
                leaves, before = inside, seen.records[number]
        made.append(Known(new, [root], leaves, before))
    return made


def _read_inside(
    made: RegionForm,
    main: RegionForm,
    records: Sequence[Known],
    news: Sequence[Tree],
    *,
    limits: Limits,
) -> list[tuple[Known, Sequence[Cell | None]]]:
    """Each record with the row that the new wrapper reads of it."""
    rows: dict[tuple[int, int], Sequence[Cell | None]] = {}
    for number, new in enumerate(news):
        page = Page(new)
        _, around = Reader(main).table(page, None, limits=limits)
        table: Table = Reader(made).table(page, around, limits=limits)[0]
        for nodes, row in zip(table.records, table.cells, strict=True):
            rows[number, nodes[0].index] = row
    index = {id(new): number for number, new in enumerate(news)}
    return [
        (known, rows.get((index[id(known.tree)], known.roots[0]), [None] * len(made.columns)))
        for known in records
    ]
