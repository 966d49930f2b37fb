"""Learning from detail pages: what the pages share is the template, what varies are the fields,
what repeats inside are tables of their own.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from treelace import _kernel
from treelace.wrappers.apply.record_roots import NO_ROW, inner_records, tops_of
from treelace.wrappers.learn.anchors import column_anchors
from treelace.wrappers.learn.fields import Shelf, Slot, counted_off, name_slots, runs_of, slots_of
from treelace.wrappers.learn.labelled_values import fact_columns
from treelace.wrappers.learn.ranking import rank_slots
from treelace.wrappers.model.form import ColumnForm, RegionForm, RowForm
from treelace.wrappers.model.text_shapes import shapes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.limits import Limits
    from treelace.tree import Tree

MOST_COLUMNS = 250
"""Columns of a page's record; those ranked after them are left out."""

MOST_INNER = 8
"""Tables inside a page's record."""

MOST_RECORDS = 80
"""Records that an inner table is learnt from."""

FEWEST = 3
"""Records on at least one page that make a list inside a page."""


class Learnt(NamedTuple):
    """A pattern with the records laid along it: for each record its rows with text and node."""

    rows: tuple[RowForm, ...]
    records: list[dict[int, tuple[str, int]]]


def learn_details(trees: Sequence[Tree], *, limits: Limits) -> tuple[RegionForm, ...]:
    """The regions of detail pages: the page's own record first, then what repeats inside it, the
    likeliest first.
    """
    learnt = learn_pattern([(tree, tops_of(tree), {}) for tree in trees], limits=limits)
    shelf = Shelf.of(learnt.rows, learnt.records)
    runs = runs_of(shelf)
    counted_off(shelf, runs)
    slots = slots_of(shelf)
    groups = _groups(shelf)
    for parent, _, members in groups:
        inside = {
            row: number
            for number, member in enumerate(members)
            for row in range(member, shelf.ends[member])
        }
        for slot in slots:
            if slot.rows[0] in inside and slot.rows[0] > parent:
                slot.group = max(slot.group, inside[slot.rows[0]] + 1)
    slots = rank_slots(shelf, slots, [_title(tree) for tree in trees])[:MOST_COLUMNS]
    name_slots(shelf, slots)
    slots, facts = fact_columns(trees, slots)
    name_slots(shelf, slots, [fact.name for fact in facts])
    main = region_of("main", "page", learnt, slots, runs=tuple(map(tuple, runs)))
    main = replace(
        main,
        columns=(
            *(
                _anchored(column, slot, trees)
                for column, slot in zip(main.columns, slots, strict=True)
            ),
            *facts,
        ),
    )
    inner = [
        _inner(parent, like, trees, shelf, limits=limits) for parent, like, _ in groups[:MOST_INNER]
    ]
    return (main, *(region for region in inner if region is not None))


def learn_pattern(
    parts: Sequence[tuple[Tree, list[int], dict[int, int]]], *, limits: Limits
) -> Learnt:
    """The pattern of pages or records, each given by its tree, its top nodes and the numbers of
    leaves that belong together.
    """
    pattern, aligned = _kernel.learn_pattern(
        [(tree.kernel, tops, hints) for tree, tops, hints in parts], limits
    )
    rows = tuple(
        RowForm(depth, tag, tuple(keys), wrap, text, seen, fixed, tuple(shapes))
        for depth, tag, keys, wrap, text, seen, fixed, shapes in pattern.rows()
    )
    records = []
    for (tree, _, _), (nodes, numbers, _, _) in zip(parts, aligned, strict=True):
        held = dict[int, tuple[str, int]]()
        for node, row in zip(nodes.tolist(), numbers.tolist(), strict=True):
            if row != NO_ROW:
                tag = rows[row].tag
                text = (
                    " ".join(tree.own_text(node).split())
                    if tag == "#text"
                    else tree.attribute(node, "src") or ""
                    if tag == "img"
                    else ""
                )
                held[row] = (text, node)
        records.append(held)
    return Learnt(rows, records)


def region_of(
    name: str, kind: str, learnt: Learnt, slots: Sequence[Slot], **more: object
) -> RegionForm:
    """The region of learnt slots: its columns in the order of the slots, and its pattern with the
    column of each row.
    """
    from treelace.extract.types import IMAGE
    from treelace.extract.types.inference import column_type

    count = len(learnt.records)
    columns, of_row = [], dict[int, str]()
    for slot in slots:
        texts = list(slot.texts.values())
        fill = round(len(texts) / count, 3)
        kind_of = IMAGE.name if slot.is_image else column_type(texts)
        columns.append(
            ColumnForm(
                slot.name,
                kind_of,
                required=fill == 1,
                fill=fill,
                length=round(slot.length, 1),
                shapes=shapes_of(texts),
            )
        )
        of_row.update(dict.fromkeys(slot.rows, slot.name))
    rows = tuple(
        _with_column(row, of_row.get(number, "")) for number, row in enumerate(learnt.rows)
    )
    evidence = tuple(
        {slot.name: slot.texts[record][:200] for slot in slots if record in slot.texts}
        for record in range(min(3, count))
    )
    return RegionForm(
        name,
        kind,  # type: ignore[arg-type]
        tuple(columns),
        pages=count,
        pattern=rows,
        evidence=evidence,
        **more,  # type: ignore[arg-type]
    )


def _anchored(column: ColumnForm, slot: Slot, trees: Sequence[Tree]) -> ColumnForm:
    """The column with anchors for when the pattern does not find it, where it is one of a kind."""
    if (
        slot.group
        or slot.is_constant
        or len(slot.rows) > 2
        or len(slot.texts) < 0.6 * len(trees)
        or slot.varied < 0.5
    ):
        return column
    return replace(
        column,
        anchors=tuple(
            column_anchors(
                trees,
                slot.nodes,
                slot.label,
                all(slot.label in text for text in slot.texts.values()),
            )
        ),
    )


def _with_column(row: RowForm, column: str) -> RowForm:
    return RowForm(
        row.depth, row.tag, row.keys, row.wrap, row.text, row.seen, row.fixed, row.shapes, column
    )


def _title(tree: Tree) -> str:
    return next((node.text for node in tree.select("title", limit=1)), "")


def _groups(shelf: Shelf) -> list[tuple[int, str, list[int]]]:
    """What repeats inside the pages: (parent row, what its members are called, their rows), those
    with most text first.

    Members are children of one row with one tag and shared keys; their number differs from page to
    page, or they are many; and no fixed text tells one from another (a row of `Phone:` and one of
    `Fax:` are two fields, not two records).
    """
    found = []
    for parent in range(len(shelf.rows)):
        if shelf.is_leaf(parent) or not shelf.found[parent]:
            continue
        kinds: dict[str, list[int]] = {}
        for child in shelf.children(parent):
            like = _like(shelf, child)
            if like and shelf.found[child]:
                kinds.setdefault(like, []).append(child)
        for like, members in kinds.items():
            counts = {
                record: sum(record in shelf.found[member] for member in members)
                for record in shelf.found[parent]
            }
            if (
                len(members) < FEWEST
                or max(counts.values()) < FEWEST
                or _are_told_apart(shelf, members)
            ):
                continue
            texts = sum(
                len(text)
                for member in members
                for row in range(member, shelf.ends[member])
                for text, _ in shelf.found[row].values()
            )
            varies = len(set(counts.values())) > 1
            found.append((texts * (2 if varies else 1), parent, like, members))
    found.sort(key=lambda group: (-group[0], group[1]))
    return [(parent, like, members) for _, parent, like, members in found]


def _like(shelf: Shelf, row: int) -> str:
    """Tag and classes of a row as a selector; of a leaf those of its outermost wrapper. Empty where
    there is nothing to go by.
    """
    form = shelf.rows[row]
    tag = (form.wrap.split(" ")[0] if form.wrap else "") if form.tag == "#text" else form.tag
    if not tag:
        return ""
    classes = (
        [
            key
            for key in form.keys
            if key.startswith(".") and key.replace("-", "").replace("_", "")[1:].isalpha()
        ]
        if form.tag != "#text"
        else []
    )
    return tag + "".join(sorted(classes)[:1])


def _are_told_apart(shelf: Shelf, members: list[int]) -> bool:
    """Whether most members have a fixed text of their own, or all have the same texts on all
    pages.
    """
    fixed = Counter(
        text
        for member in members
        for text in {
            shelf.rows[row].text
            for row in range(member, shelf.ends[member])
            if shelf.is_leaf(row) and shelf.is_fixed(row)
        }
        if any(map(str.isalpha, text))
    )
    own = sum(
        any(
            shelf.is_leaf(row) and shelf.is_fixed(row) and fixed[shelf.rows[row].text] == 1
            for row in range(member, shelf.ends[member])
        )
        for member in members
    )
    return 2 * own > len(members)


def _inner(
    parent: int, like: str, trees: Sequence[Tree], shelf: Shelf, *, limits: Limits
) -> RegionForm | None:
    """The region of records that repeat inside the pages."""
    parts, counts = [], []
    for page, tree in enumerate(trees):
        if page in shelf.found[parent]:
            roots = inner_records(tree, shelf.found[parent][page][1], like)
            counts.append(len(roots))
            parts += [(tree, [root], dict[int, int]()) for root in roots]
    if len(parts) < FEWEST:
        return None
    learnt = learn_pattern(parts[:MOST_RECORDS], limits=limits)
    inside = Shelf.of(learnt.rows, learnt.records)
    slots = slots_of(inside)
    slots = [slot for slot in slots if not slot.is_constant]
    if not slots:
        return None
    name_slots(inside, slots)
    name = next(
        (
            key[1:]
            for at in (parent, *shelf.above(parent)[:2])
            for key in shelf.rows[at].keys
            if key[0] in ".#"
        ),
        f"{like} in {shelf.rows[parent].tag}",
    )
    return region_of(
        name,
        "inner",
        learnt,
        slots,
        parent=parent,
        like=like,
        records=(min(counts), max(counts)),
        fit=0.0,
        confidence=0.5,
    )
