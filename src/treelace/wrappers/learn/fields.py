"""Slots: the leaves of a pattern with what the pages have there, and the columns they make."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treelace.extract.columns.naming import LAYOUT_WORDS
from treelace.named import once
from treelace.wrappers.model.text_shapes import LONG

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.wrappers.model.form import RowForm


_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


@dataclass(slots=True)
class Slot:
    """A column as it is learnt: its leaf rows (several where they are parts or alternatives of one
    thing), and its text on each record.
    """

    rows: list[int]
    texts: dict[int, str]
    label: str = ""
    is_constant: bool = False
    is_image: bool = False
    group: int = 0
    """How many alike stand before it under the same parent, where they repeat."""
    name: str = ""
    score: float = 0.0
    nodes: dict[int, int] = field(default_factory=dict)

    @property
    def varied(self) -> float:
        """Share of different texts."""
        return len(set(self.texts.values())) / len(self.texts) if self.texts else 0.0

    @property
    def length(self) -> float:
        """Mean length of the texts."""
        return sum(map(len, self.texts.values())) / len(self.texts) if self.texts else 0.0


@dataclass(frozen=True, slots=True)
class Shelf:
    """The rows of a pattern with parents and ends, and for each leaf row the text of each record (a
    page, or a part of one) that has it.
    """

    rows: Sequence[RowForm]
    parents: list[int]
    ends: list[int]
    found: list[dict[int, tuple[str, int]]]
    count: int

    @classmethod
    def of(cls, rows: Sequence[RowForm], records: Sequence[Mapping[int, tuple[str, int]]]) -> Shelf:
        """`records[r]` gives, for each row that record r has, the text (empty for elements) and the
        node.
        """
        parents, ends, open_rows = [0] * len(rows), [len(rows)] * len(rows), list[int]()
        for number, row in enumerate(rows):
            while open_rows and rows[open_rows[-1]].depth >= row.depth:
                ends[open_rows.pop()] = number
            parents[number] = open_rows[-1] if open_rows else 0
            open_rows.append(number)
        found: list[dict[int, tuple[str, int]]] = [{} for _ in rows]
        for record, held in enumerate(records):
            for at, value in held.items():
                found[at][record] = value
        return cls(rows, parents, ends, found, len(records))

    def children(self, row: int) -> list[int]:
        """The rows directly below a row."""
        found, child = [], row + 1
        while child < self.ends[row]:
            found.append(child)
            child = self.ends[child]
        return found

    def is_leaf(self, row: int) -> bool:
        """Whether a row is a text or an image."""
        return self.rows[row].tag in ("#text", "img")

    def above(self, row: int) -> list[int]:
        """The rows around a row, the nearest first."""
        found = []
        while row:
            row = self.parents[row]
            found.append(row)
        return found

    def is_fixed(self, row: int) -> bool:
        """Whether all records that have a leaf have the same text there, and at least two do."""
        texts = self.found[row]
        return len(texts) > 1 and len({text for text, _ in texts.values()}) == 1


def runs_of(shelf: Shelf) -> list[list[int]]:
    """Runs of leaves that stand for a list of values in one line (`<a>Drama</a>, <a>Comedy</a>`):
    siblings dressed alike, several on some record and not the same number on all, with no words
    between. Their values are counted off from the left.
    """
    found: list[list[int]] = []
    for parent in range(len(shelf.rows)):
        if shelf.is_leaf(parent):
            continue
        run: list[int] = []
        for child in [*shelf.children(parent), -1]:
            is_mark = (
                child >= 0 and shelf.rows[child].tag == "#text" and not _has_words(shelf, child)
            )
            if is_mark:
                continue
            if (
                child >= 0
                and _is_dressed(shelf, child)
                and (not run or _dress(shelf, run[0]) == _dress(shelf, child))
            ):
                run.append(child)
                continue
            counts = {
                record: sum(record in shelf.found[row] for row in run)
                for record in shelf.found[parent]
            }
            if (
                len(run) > 1
                and len(set(counts.values()) - {0}) > 1
                and 2 * sum(map(shelf.is_fixed, run)) <= len(run)
            ):
                found.append(run)
            run = [child] if child >= 0 and _is_dressed(shelf, child) else []
    return found


def _is_dressed(shelf: Shelf, row: int) -> bool:
    return (
        shelf.rows[row].tag == "#text"
        and bool(shelf.rows[row].wrap)
        and not shelf.rows[row].text.endswith(":")
    )


def _dress(shelf: Shelf, row: int) -> tuple[str, tuple[str, ...]]:
    return shelf.rows[row].wrap, shelf.rows[row].keys


def _has_words(shelf: Shelf, row: int) -> bool:
    return any(any(map(str.isalnum, text)) for text, _ in shelf.found[row].values())


def counted_off(shelf: Shelf, runs: Sequence[Sequence[int]]) -> None:
    """Moves the values of each run to its first rows, in document order."""
    for run in runs:
        for record in {record for row in run for record in shelf.found[row]}:
            values = sorted(
                (shelf.found[row].pop(record) for row in run if record in shelf.found[row]),
                key=lambda value: value[1],
            )
            for row, value in zip(run, values, strict=False):
                shelf.found[row][record] = value


def _alternatives(shelf: Shelf) -> dict[int, list[int]]:
    """Leaves that stand for each other: neighbours below one row, dressed alike, that no record has
    both of; the first with the others.

    They come from values that many pages share (`R`, `PG-13`), which look like fixed texts while
    the pattern is learnt. The values of the others are moved to the first.
    """
    found: dict[int, list[int]] = {}
    for parent in range(len(shelf.rows)):
        first = -1
        for child in shelf.children(parent) if not shelf.is_leaf(parent) else ():
            texts = shelf.found[child]
            if (
                shelf.rows[child].tag != "#text"
                or not texts
                or any(text.endswith(":") for text, _ in texts.values())
            ):
                first = -1
            elif (
                first >= 0
                and _dress(shelf, first) == _dress(shelf, child)
                and not texts.keys() & shelf.found[first].keys()
            ):
                shelf.found[first].update(texts)
                shelf.found[child].clear()
                found.setdefault(first, []).append(child)
            else:
                first = child
    return found


def slots_of(shelf: Shelf) -> list[Slot]:
    """The slots of a pattern in document order: leaves that vary, prose that is cut differently as
    one, and constant values that have a label.
    """
    made: list[Slot] = []
    taken: set[int] = set()
    others = _alternatives(shelf)
    labels = _labels(shelf)
    for number, row in enumerate(shelf.rows):
        if number in taken or not shelf.found[number]:
            continue
        if not shelf.is_leaf(number):
            flow = _flow(shelf, number)
            if flow:
                taken.update(flow)
                made.append(_flowing(shelf, number, flow))
            continue
        texts = {record: text for record, (text, _) in shelf.found[number].items()}
        is_fixed = shelf.is_fixed(number)
        label = labels.get(number, "")
        if row.tag == "#text" and not any(any(map(str.isalnum, text)) for text in texts.values()):
            continue
        if is_fixed and shelf.count > 1 and (not label or row.tag == "img"):
            continue
        nodes = {record: node for record, (_, node) in shelf.found[number].items()}
        made.append(
            Slot(
                [number, *others.get(number, ())],
                texts,
                label,
                is_constant=is_fixed,
                is_image=row.tag == "img",
                nodes=nodes,
            )
        )
    for slot in made:
        slot.label = _own_label(slot) or slot.label or labels.get(slot.rows[0], "")
    return _joined(made)


def _own_label(slot: Slot) -> str:
    """The label that all texts of a slot begin with: `Phone:` of `Phone: 516…`."""
    heads = {text.partition(":")[0] for text in slot.texts.values()}
    head = next(iter(heads))
    return (
        f"{head}:"
        if len(heads) == 1
        and 1 < len(head) <= 30
        and all(":" in text for text in slot.texts.values())
        and head.lower() not in _SCHEMES
        else ""
    )


_SCHEMES = frozenset(["http", "https", "mailto", "tel"])


def _labels(shelf: Shelf) -> dict[int, str]:
    """For each leaf the fixed text before it that names it: the leaf just before, in the same cell,
    the cell before, or the line before.
    """
    found: dict[int, str] = {}
    last, last_row = "", -1
    since: set[int] = set()  # records that already had a value for the label
    for number in range(len(shelf.rows)):
        if not shelf.is_leaf(number) or shelf.rows[number].tag == "img" or not shelf.found[number]:
            continue
        text = next(iter(shelf.found[number].values()))[0]
        is_fixed = shelf.is_fixed(number) or (shelf.count == 1 and text.rstrip().endswith(":"))
        held = set(shelf.found[number])
        is_value = (
            last_row >= 0
            and not held & since
            and not (is_fixed and text.endswith(":"))
            and _is_near(shelf, last_row, number)
        )
        if is_value and 1 < len(last) <= LONG:
            found[number] = last
        if is_fixed and any(map(str.isalpha, text)):
            last, last_row, since = text, number, set()
        elif any(map(str.isalnum, text)):
            since |= held
    return found


def _is_near(shelf: Shelf, label: int, value: int) -> bool:
    """Whether both stand in one block of at most six leaves, or the label's block comes directly
    before the value's.
    """
    around = shelf.above(value)[:3]
    return any(
        (top <= label and sum(shelf.is_leaf(row) for row in range(top, shelf.ends[top])) <= 6)
        or top == shelf.parents[label]
        for top in around
    )


def _flow(shelf: Shelf, row: int) -> list[int]:
    """The leaves of an element that reads as one text: prose cut by inline elements, differently
    from record to record.
    """
    leaves = [inner for inner in range(row + 1, shelf.ends[row]) if shelf.is_leaf(inner)]
    if not 2 <= len(leaves) <= 400 or any(shelf.rows[leaf].tag == "img" for leaf in leaves):
        return []
    if any(
        shelf.ends[inner] > inner + 1 and shelf.rows[inner].tag not in _INLINE
        for inner in range(row + 1, shelf.ends[row])
    ):
        return []
    if any(shelf.is_fixed(leaf) and shelf.rows[leaf].text.endswith(":") for leaf in leaves):
        return []
    own = [
        leaf
        for leaf in leaves
        if not shelf.rows[leaf].wrap and shelf.parents[leaf] == row and not shelf.is_fixed(leaf)
    ]
    long = [
        leaf
        for leaf in own
        if max((len(text) for text, _ in shelf.found[leaf].values()), default=0) > LONG
    ]
    varies = any(len(shelf.found[leaf]) < len(shelf.found[row]) for leaf in leaves)
    return leaves if long and varies and len(own) * 3 >= len(leaves) else []


_INLINE = frozenset(
    "a abbr b bdi bdo big cite code dfn em font i ins del kbd label mark q s samp small span strike"
    " strong sub sup tt u var".split()
)


def _flowing(shelf: Shelf, row: int, leaves: list[int]) -> Slot:
    texts: dict[int, str] = {}
    nodes: dict[int, int] = {}
    for leaf in leaves:
        for record, (text, node) in shelf.found[leaf].items():
            texts[record] = f"{texts[record]} {text}" if record in texts else text
            nodes.setdefault(record, node)
    return Slot([row, *leaves], texts, nodes=nodes)


def _joined(slots: list[Slot]) -> list[Slot]:
    """Slots that never share a record but have the same label made one."""
    made: list[Slot] = []
    by_label: dict[tuple[str, bool], Slot] = {}
    for slot in slots:
        key = (slot.label, slot.is_image)
        other = by_label.get(key) if slot.label else None
        if (
            other is not None
            and not set(other.texts) & set(slot.texts)
            and not (other.is_constant or slot.is_constant)
        ):
            other.rows += slot.rows
            other.texts |= slot.texts
            other.nodes |= slot.nodes
            continue
        if slot.label and key not in by_label:
            by_label[key] = slot
        made.append(slot)
    return made


def name_slots(shelf: Shelf, slots: Sequence[Slot], given: Sequence[str] = ()) -> None:
    """A name for each slot: `itemprop`, its label, a class word, `title` for headings, the tag;
    equal names, also those `given`, are numbered.
    """
    for slot, name in zip(
        slots, once((_name(shelf, slot) for slot in slots), taken=given), strict=True
    ):
        slot.name = name


def _name(shelf: Shelf, slot: Slot) -> str:
    row = slot.rows[0]
    chain = [row, *shelf.above(row)[:3]]
    for at in chain[:2]:
        for key in shelf.rows[at].keys:
            if key.startswith("@"):
                return re.split(r"[:/]", key[1:])[-1]
    label = slot.label.strip(" :\u00a0-–|*.")
    if 1 < len(label) <= LONG:
        return label
    for at in chain[:3]:
        if shelf.rows[at].tag in _HEADINGS:
            return "title"
        for key in sorted(shelf.rows[at].keys):
            words = [
                word.lower()
                for word in re.findall(r"[A-Za-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key))
            ]
            words = [word for word in words if len(word) > 2 and word not in LAYOUT_WORDS]
            if words and key[0] in ".#":
                return " ".join(words[-2:])
    if slot.is_image:
        return "image"
    return next((shelf.rows[at].tag for at in chain[1:] if shelf.rows[at].tag != "#root"), "text")
