"""Fields of detail pages: the leaves of a pattern that hold data, and their column names."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treelace.extract.columns.meaning_words import LAYOUT_WORDS
from treelace.extract.types.date import DateType
from treelace.extract.types.inference import column_type
from treelace.named import unique_names
from treelace.wrappers.learn.pattern import FilledPattern
from treelace.wrappers.model.text_shapes import MAX_NAME_LENGTH, has_letters, has_words

MAX_LABEL_LENGTH = 30
"""Characters of a label that stands in one text with its value."""

MAX_LEAVES_PER_LABEL = 6
"""Leaves of a block in which a label names a value."""

MAX_PROSE_PARTS = 400
"""Leaves of an element that may read as one text."""


@dataclass(slots=True)
class Field:
    """A column being learnt: its leaf rows (parts or alternatives), and its text on each record."""

    rows: list[int]
    texts: dict[int, str]
    label: str = ""
    is_constant: bool = False
    is_image: bool = False
    is_running_text: bool = False
    group: int = 0
    """Its number among fields that repeat below one parent, from 1; 0 where none do."""
    name: str = ""
    leads_to: str = ""
    """What its links say that it is: `tag`, `category`, `author`."""
    score: float = 0.0
    nodes: dict[int, int] = dataclasses.field(default_factory=dict)

    @property
    def varied(self) -> float:
        """Share of different texts."""
        return len(set(self.texts.values())) / len(self.texts) if self.texts else 0.0

    @property
    def length(self) -> float:
        """Mean length of the texts."""
        return sum(map(len, self.texts.values())) / len(self.texts) if self.texts else 0.0


def fields_of(filled: FilledPattern, taken: Iterable[int] = ()) -> list[Field]:
    """The fields of a pattern in document order: leaves that vary, prose that is cut differently as
    one, and constant values that have a label; without the rows that are `taken`.
    """
    made: list[Field] = []
    taken = set(taken)
    others = alternatives(filled)
    labels = _labels(filled)
    for number, row in enumerate(filled.rows):
        if number in taken or not filled.values[number]:
            continue
        if not filled.is_leaf(number):
            prose = _prose_leaves(filled, number)
            if prose:
                taken.update(prose)
                made.append(_prose_field(filled, number, prose))
            continue
        texts = {record: text for record, (text, _) in filled.values[number].items()}
        is_fixed = filled.is_fixed(number)
        label = labels.get(number, "")
        if row.tag == "#text" and not any(map(has_words, texts.values())):
            continue
        if is_fixed and filled.count > 1 and (not label or row.tag == "img"):
            continue
        nodes = {record: node for record, (_, node) in filled.values[number].items()}
        made.append(
            Field(
                [number, *others.get(number, ())],
                texts,
                label,
                is_constant=is_fixed,
                is_image=row.tag == "img",
                nodes=nodes,
            )
        )
    for field in made:
        field.label = _own_label(field) or field.label or labels.get(field.rows[0], "")
    return _joined(made)


def _own_label(field: Field) -> str:
    """The label that all texts of a field begin with: `Phone:` of `Phone: 516…`."""
    heads = {text.partition(":")[0] for text in field.texts.values()}
    head = next(iter(heads))
    return (
        f"{head}:"
        if len(heads) == 1
        and 1 < len(head) <= MAX_LABEL_LENGTH
        and all(":" in text for text in field.texts.values())
        and head.lower() not in _SCHEMES
        else ""
    )


_SCHEMES = frozenset(["http", "https", "mailto", "tel"])


def _labels(filled: FilledPattern) -> dict[int, str]:
    """For each leaf the fixed text just before it that names it: in its cell, row or line."""
    found: dict[int, str] = {}
    last, last_row = "", -1
    since: set[int] = set()  # records that already had a value for the label
    for number in range(len(filled.rows)):
        if (
            not filled.is_leaf(number)
            or filled.rows[number].tag == "img"
            or not filled.values[number]
        ):
            continue
        text = next(iter(filled.values[number].values()))[0]
        is_fixed = filled.is_fixed(number) or (filled.count == 1 and text.rstrip().endswith(":"))
        held = set(filled.values[number])
        is_value = (
            last_row >= 0
            and not held & since
            and not (is_fixed and text.endswith(":"))
            and _is_near(filled, last_row, number)
        )
        if is_value and 1 < len(last) <= MAX_NAME_LENGTH:
            found[number] = last
        if is_fixed and has_letters(text):
            last, last_row, since = text, number, set()
        elif has_words(text):
            since |= held
    return found


def _is_near(filled: FilledPattern, label: int, value: int) -> bool:
    """Whether both stand in one block of few leaves, or the label's block directly before."""
    around = filled.above(value)[:3]
    return any(
        (
            top <= label
            and sum(filled.is_leaf(row) for row in range(top, filled.ends[top]))
            <= MAX_LEAVES_PER_LABEL
        )
        or top == filled.parents[label]
        for top in around
    )


def _prose_leaves(filled: FilledPattern, row: int) -> list[int]:
    """The leaves of prose that inline elements cut differently from record to record."""
    leaves = [inner for inner in range(row + 1, filled.ends[row]) if filled.is_leaf(inner)]
    if not 2 <= len(leaves) <= MAX_PROSE_PARTS or any(
        filled.rows[leaf].tag == "img" for leaf in leaves
    ):
        return []
    if any(
        filled.ends[inner] > inner + 1 and filled.rows[inner].tag not in _INLINE
        for inner in range(row + 1, filled.ends[row])
    ):
        return []
    if any(filled.is_fixed(leaf) and filled.rows[leaf].text.endswith(":") for leaf in leaves):
        return []
    own = [
        leaf
        for leaf in leaves
        if not filled.rows[leaf].wrap and filled.parents[leaf] == row and not filled.is_fixed(leaf)
    ]
    long = [
        leaf
        for leaf in own
        if max((len(text) for text, _ in filled.values[leaf].values()), default=0) > MAX_NAME_LENGTH
    ]
    varies = any(len(filled.values[leaf]) < len(filled.values[row]) for leaf in leaves)
    return leaves if long and varies and len(own) * 3 >= len(leaves) else []


_INLINE = frozenset(
    "a abbr b bdi bdo big cite code dfn em font i ins del kbd label mark q s samp small span strike"
    " strong sub sup tt u var".split()
)


def _prose_field(filled: FilledPattern, row: int, leaves: list[int]) -> Field:
    texts: dict[int, str] = {}
    nodes: dict[int, int] = {}
    for leaf in leaves:
        for record, (text, node) in filled.values[leaf].items():
            texts[record] = f"{texts[record]} {text}" if record in texts else text
            nodes.setdefault(record, node)
    return Field([row, *leaves], texts, nodes=nodes)


def _joined(fields: list[Field]) -> list[Field]:
    """Fields that never share a record but have the same label made one."""
    made: list[Field] = []
    by_label: dict[tuple[str, bool], Field] = {}
    for field in fields:
        key = (field.label, field.is_image)
        other = by_label.get(key) if field.label else None
        if (
            other is not None
            and not set(other.texts) & set(field.texts)
            and not (other.is_constant or field.is_constant)
        ):
            other.rows += field.rows
            other.texts |= field.texts
            other.nodes |= field.nodes
            continue
        if field.label and key not in by_label:
            by_label[key] = field
        made.append(field)
    return made


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
    """Alternative leaves: neighbours formatted alike, never both in a record; the first leads.

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


_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


def name_fields(filled: FilledPattern, fields: Sequence[Field], given: Sequence[str] = ()) -> None:
    """A name for each field: `itemprop`, where it leads to, its label, a class word, `title` for
    headings, the tag; equal names, also those `given`, are numbered.
    """
    for field, name in zip(
        fields, unique_names((_name(filled, field) for field in fields), taken=given), strict=True
    ):
        field.name = name


def _name(filled: FilledPattern, field: Field) -> str:
    if field.is_running_text:
        return "text"
    row = field.rows[0]
    chain = [row, *filled.above(row)[:3]]
    for at in chain[:2]:
        for key in filled.rows[at].keys:
            if key.startswith("@"):
                return re.split(r"[:/]", key[1:])[-1]
    if field.leads_to:
        return field.leads_to
    label = field.label.strip(" :\u00a0-–|*.")
    if 1 < len(label) <= MAX_NAME_LENGTH:
        return label
    if _is_time(filled, chain[:2]) and column_type(list(field.texts.values())) == DateType.name:
        return "date"
    for at in chain[:3]:
        if filled.rows[at].tag in _HEADINGS:
            return "title"
        for key in sorted(filled.rows[at].keys):
            words = [
                word.lower()
                for word in re.findall(r"[A-Za-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key))
            ]
            words = [word for word in words if len(word) > 2 and word not in LAYOUT_WORDS]
            if words and key[0] in ".#":
                return " ".join(words[-2:])
    if field.is_image:
        return "image"
    return next((filled.rows[at].tag for at in chain[1:] if filled.rows[at].tag != "#root"), "text")


def _is_time(filled: FilledPattern, rows: Sequence[int]) -> bool:
    """Whether a text stands in a `time` element."""
    return any("time" in (filled.rows[at].tag, *filled.rows[at].wrap.split()) for at in rows)
