"""Learning from detail pages: what the pages share is the template, what varies are the fields,
what repeats inside are tables of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace

from treelace.extract.columns.value_names import IDENTIFYING_NAMES
from treelace.extract.types import IMAGE, type_named
from treelace.extract.types.inference import column_type
from treelace.extract.types.price import PriceType
from treelace.limits import Limits
from treelace.named import unique_names
from treelace.tree import Tree
from treelace.wrappers.apply.records import inner_roots, page_roots
from treelace.wrappers.learn.anchors import column_anchors
from treelace.wrappers.learn.fields import Field, count_off, fields_of, name_fields, value_runs
from treelace.wrappers.learn.labelled_values import (
    label_by_heads,
    label_columns,
    labelled_spans,
)
from treelace.wrappers.learn.linked_fields import note_links
from treelace.wrappers.learn.menus import menus_of
from treelace.wrappers.learn.pattern import (
    FilledPattern,
    LearntPattern,
    Part,
    evidence_of,
    expected_column,
    learn_pattern,
)
from treelace.wrappers.learn.prices import price_fields
from treelace.wrappers.learn.ranking import rank_fields
from treelace.wrappers.learn.text_blocks import (
    Block,
    is_inside,
    is_plain,
    joined_field,
    strip_spans,
    text_blocks,
    text_leaves,
)
from treelace.wrappers.learn.wanted_columns import worth_a_column
from treelace.wrappers.model.form import ColumnForm, RegionForm
from treelace.wrappers.model.text_shapes import has_letters

MAX_COLUMNS = 250
"""Columns of a page's record; those ranked after them are left out."""

MAX_INNER_TABLES = 8
"""Tables inside a page's record."""

MAX_INNER_RECORDS_LEARNT = 80
"""Records that an inner table is learnt from."""

MIN_INNER_RECORDS = 3
"""Records on at least one page that make a list inside a page."""

MAX_FIELDS_IN_A_LINE = 6
"""Members of a line that every page has, of which one says what it is: they are fields."""

MIN_ANCHORED_FILL, MIN_ANCHORED_VARIETY, MAX_ANCHORED_ROWS = 0.6, 0.5, 2
"""A column gets anchors if it is on this share of pages, varies so much, and has few rows."""


class Group(NamedTuple):
    """What repeats inside pages: the row around it, what its members are called (a tag, with a
    class or without), and their rows.
    """

    parent: int
    like: str
    members: list[int]


def learn_details(
    trees: Sequence[Tree], *, all_columns: bool = True, limits: Limits
) -> tuple[RegionForm, ...]:
    """The regions of detail pages: the page's own record, then its inner tables by likelihood.

    `all_columns` makes each text that varies a column; else there are the columns that a person
    would have made.
    """
    learnt = learn_pattern([Part(tree, page_roots(tree), {}) for tree in trees], limits=limits)
    filled = FilledPattern.of(learnt.rows, learnt.records)
    runs = value_runs(filled)
    count_off(filled, runs)
    groups = _groups(filled)
    prices = [] if all_columns else price_fields(filled, trees)
    labelled: tuple[ColumnForm, ...] = ()
    if all_columns:
        fields = fields_of(filled)
    else:
        every = filled.copy()
        _, labelled = label_columns(trees, fields_of(every))
        fields = _fields(filled, groups, trees, prices, [column.name for column in labelled])
    _number_in_groups(filled, fields, groups)
    fields = rank_fields(filled, fields, [_title(tree) for tree in trees])
    fields = (fields if all_columns else worth_a_column(filled, fields, trees))[:MAX_COLUMNS]
    note_links(fields, trees)
    name_fields(filled, fields)
    if all_columns:
        fields, labelled = label_columns(trees, fields)
    name_fields(filled, fields, [column.name for column in labelled])
    fields.sort(key=_place)
    main = _region("main", "page", learnt, fields)
    anchored = [
        _anchored(column, field, trees) for column, field in zip(main.columns, fields, strict=True)
    ]
    former = _former_columns(main, fields, prices, len(trees))
    main = replace(main, runs=tuple(map(tuple, runs)), columns=(*anchored, *former, *labelled))
    inner = [_inner(group, trees, filled, limits=limits) for group in groups[:MAX_INNER_TABLES]]
    return (main, *(region for region in inner if region is not None))


def _fields(
    filled: FilledPattern,
    groups: Sequence[Group],
    trees: Sequence[Tree],
    prices: Sequence[tuple[Field, Field | None]],
    labels: Collection[str],
) -> list[Field]:
    """The fields of pages: running text and lists of values are one each, and what repeats in
    several parts or leads to other pages is left out.
    """
    spans = [
        strip_spans(tree) + labelled
        for tree, labelled in zip(trees, labelled_spans(trees, labels), strict=True)
    ]
    titles = [_title(tree) for tree in trees]
    menus = menus_of(filled, trees, titles)
    left_out = {row for row in range(len(filled.rows)) if _is_elsewhere(filled, row, spans, menus)}
    repeated = {
        row
        for group in groups
        for member in group.members
        for row in range(member, filled.ends[member])
    }
    whole = [price for price, _ in prices if price.rows[0] not in left_out | repeated]
    of_prices = {row for price in whole for row in range(price.rows[0], filled.ends[price.rows[0]])}
    left_out |= of_prices
    blocks = text_blocks(filled, titles, repeated, left_out)
    taken = left_out | {
        row
        for block in blocks
        for top in (*block.rows, *block.leaves)
        for row in range(top, filled.ends[top])
    }
    for group in groups:
        leaves = [leaf for member in group.members for leaf in text_leaves(filled, member)]
        if taken.isdisjoint(leaves):
            if is_plain(filled, group.members):
                elements = [member for member in group.members if not filled.is_leaf(member)]
                blocks.append(Block(elements, leaves))
            taken.update(
                row for member in group.members for row in range(member, filled.ends[member])
            )
    texts = [joined_field(filled, block) for block in blocks if block.leaves]
    return [*whole, *texts, *fields_of(filled, taken)]


def _is_elsewhere(
    filled: FilledPattern,
    row: int,
    spans: Sequence[Sequence[tuple[int, int]]],
    menus: Collection[int],
) -> bool:
    """Whether a row is part of a menu, or on most pages of a card that leads to another page."""
    held = filled.values[row]
    inside = sum(is_inside(spans[page], node) for page, (_, node) in held.items())
    return 2 * inside > len(held) or any(at in menus for at in (row, *filled.above(row)))


def _former_columns(
    region: RegionForm,
    fields: Sequence[Field],
    prices: Sequence[tuple[Field, Field | None]],
    pages: int,
) -> list[ColumnForm]:
    """The columns of former prices: what is struck in the columns of the prices."""
    names = [column.name for column in region.columns]
    made = []
    for price, former in prices:
        if former is not None and any(price is field for field in fields):
            (name,) = unique_names([former.label], taken=names)
            texts = list(former.texts.values())
            column = expected_column(name, PriceType.name, texts, pages)
            made.append(replace(column, required=False, anchors=(f"struck:{price.name}",)))
            names.append(name)
    return made


def _number_in_groups(
    filled: FilledPattern, fields: Sequence[Field], groups: Sequence[Group]
) -> None:
    """Sets the number of each field among those that repeat."""
    for group in groups:
        inside = {
            row: number
            for number, member in enumerate(group.members, 1)
            for row in range(member, filled.ends[member])
        }
        for field in fields:
            if field.rows[0] in inside and field.rows[0] > group.parent:
                field.group = max(field.group, inside[field.rows[0]])


def _place(field: Field) -> tuple[bool, bool, bool]:
    """Where a column stands among others: what identifies first, long texts and pictures last."""
    return field.name not in IDENTIFYING_NAMES, field.is_image, field.is_running_text


def _region(
    name: str, kind: Literal["page", "inner"], learnt: LearntPattern, fields: Sequence[Field]
) -> RegionForm:
    """The region of fields: its columns in order, and its pattern with the column of each row."""
    count = len(learnt.records)
    columns, column_of_row = [], dict[int, str]()
    values = set[int]()  # what reads as a value is never fixed, even if all pages have the same
    for field in fields:
        texts = list(field.texts.values())
        type_ = IMAGE.name if field.is_image else column_type(texts)
        columns.append(expected_column(field.name, type_, texts, count))
        column_of_row.update(dict.fromkeys(field.rows, field.name))
        if not type_named(type_).keeps_text:
            values.update(field.rows)
    return RegionForm(
        name,
        kind,
        tuple(columns),
        pages=count,
        pattern=tuple(
            replace(
                row,
                column=column_of_row.get(number, ""),
                **({"fixed": False, "text": ""} if number in values and row.fixed else {}),
            )
            for number, row in enumerate(learnt.rows)
        ),
        evidence=evidence_of(
            {field.name: field.texts.get(record) for field in fields} for record in range(count)
        ),
    )


def _anchored(column: ColumnForm, field: Field, trees: Sequence[Tree]) -> ColumnForm:
    """The column with anchors for when the pattern does not find it, where it is one of a kind."""
    if (
        field.group
        or field.is_constant
        or len(field.rows) > MAX_ANCHORED_ROWS
        or len(field.texts) < MIN_ANCHORED_FILL * len(trees)
        or field.varied < MIN_ANCHORED_VARIETY
    ):
        return column
    label_is_inside = all(field.label in text for text in field.texts.values())
    label = "" if label_is_inside else field.label
    return replace(column, anchors=tuple(column_anchors(trees, field.nodes, label)))


def _title(tree: Tree) -> str:
    return next((node.text for node in tree.select("title", limit=1)), "")


def _groups(filled: FilledPattern) -> list[Group]:
    """What repeats inside the pages, the groups with most text first.

    Members are children of one row with one tag and shared keys; their number differs from page to
    page, or they are many; and no fixed text tells one from another (a row of `Phone:` and one of
    `Fax:` are two fields, not two records).
    """
    found = []
    for parent in range(len(filled.rows)):
        if filled.is_leaf(parent) or not filled.values[parent]:
            continue
        kinds: dict[str, list[int]] = {}
        for child in filled.children(parent):
            like = _like(filled, child)
            if like and filled.values[child]:
                kinds.setdefault(like, []).append(child)
        for like, members in kinds.items():
            counts = {
                record: sum(record in filled.values[member] for member in members)
                for record in filled.values[parent]
            }
            is_list = min(len(members), max(counts.values())) >= MIN_INNER_RECORDS
            varies = len(set(counts.values())) > 1
            if not is_list or _are_told_apart(filled, members, varies=varies):
                continue
            texts = sum(
                len(text)
                for member in members
                for row in range(member, filled.ends[member])
                for text, _ in filled.values[row].values()
            )
            found.append((texts * (2 if varies else 1), Group(parent, like, members)))
    found.sort(key=lambda one: (-one[0], one[1].parent))
    return [group for _, group in found]


def _like(filled: FilledPattern, row: int) -> str:
    """Tag and classes of a row as a selector; of a leaf those of its outermost wrapper. Empty where
    there is nothing to go by.
    """
    form = filled.rows[row]
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


def _are_told_apart(filled: FilledPattern, members: list[int], *, varies: bool) -> bool:
    """Whether most members have a fixed text of their own, or are called something that no other is
    (`li.author`, `li.tags`); in a short line that has as many on every page (`Posted`, `Updated`, a
    category, a length) one member with such a text is enough.
    """
    calls = Counter(key for member in members for key in filled.rows[member].keys)
    called = sum(any(calls[key] == 1 for key in filled.rows[member].keys) for member in members)
    if called == len(members):
        return True
    fixed = Counter(
        text
        for member in members
        for text in {
            filled.rows[row].text
            for row in range(member, filled.ends[member])
            if filled.is_leaf(row) and filled.is_fixed(row)
        }
        if has_letters(text)
    )
    own = sum(
        any(
            filled.is_leaf(row) and filled.is_fixed(row) and fixed[filled.rows[row].text] == 1
            for row in range(member, filled.ends[member])
        )
        for member in members
    )
    is_line = not varies and len(members) <= MAX_FIELDS_IN_A_LINE
    return 2 * own > len(members) or (is_line and own > 0)


def _inner(
    group: Group, trees: Sequence[Tree], filled: FilledPattern, *, limits: Limits
) -> RegionForm | None:
    """The region of records that repeat inside the pages."""
    parts, counts = [], []
    for page, (_, node) in sorted(filled.values[group.parent].items()):
        roots = inner_roots(trees[page], node, group.like)
        counts.append(len(roots))
        parts += [Part(trees[page], [root], {}) for root in roots]
    if len(parts) < MIN_INNER_RECORDS:
        return None
    learnt = learn_pattern(parts[:MAX_INNER_RECORDS_LEARNT], limits=limits)
    inside = FilledPattern.of(learnt.rows, learnt.records)
    fields = [field for field in fields_of(inside) if not field.is_constant]
    if not fields:
        return None
    label_by_heads(fields, parts)
    name_fields(inside, fields)
    name = next(
        (
            key[1:]
            for at in (group.parent, *filled.above(group.parent)[:2])
            for key in filled.rows[at].keys
            if key[0] in ".#"
        ),
        f"{group.like} in {filled.rows[group.parent].tag}",
    )
    return replace(
        _region(name, "inner", learnt, fields),
        parent=group.parent,
        like=group.like,
        records=(min(counts), max(counts)),
        fit=0.0,
        confidence=0.5,
    )
