"""Columns for the default extractor: texts that read as one become cells, and cells are lined up by
path, class, kind and order.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tests.oracles.records.view import FORMATTING, INLINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracles.records.view import PageView

_DRESS = FORMATTING - {"a", "span", "label"} | {"br", "wbr"}
_NUMBERED = re.compile(r"\d")

STEADY = 0.8
"""Share of records with the same cut from which on a mixed text is a pattern and not a flow."""

_LABEL = re.compile(r"[^:]{1,30}:")

_OPENING = frozenset("([{«“‹")

_STANDING = frozenset(
    "a p div li ul ol dl dt dd td th tr table h1 h2 h3 h4 h5 h6 button section article header"
    " footer address time".split()
)
"""Elements that hold a piece of data even where they hold one word; others may be marks in running
text, whatever their name.
"""

SAME_CLASS, SAME_KIND, SAME_TEXT, SAME_PLACE = 2.0, 0.5, 1.0, 0.5


class _Piece(NamedTuple):
    """Items that make one cell: their path of tags in the record, the same with classes, and the
    texts' kind.
    """

    path: tuple[str, ...]
    classes: tuple[str, ...]
    kind: str
    text: str
    nodes: tuple[int, ...]


@dataclass(slots=True)
class _Column:
    """A column as it grows."""

    path: tuple[str, ...]
    classes: Counter[tuple[str, ...]] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    filled: int = 0

    def take(self, piece: _Piece) -> None:
        """Counts a piece that was put into this column."""
        self.classes[piece.classes] += 1
        self.kinds[piece.kind] += 1
        self.texts[piece.text] += 1
        self.filled += 1

    def fit(self, piece: _Piece) -> float:
        """How well a piece fits; 0 where its path is another."""
        if piece.path != self.path:
            return 0.0
        share = self.classes[piece.classes] / self.filled
        same_text = self.texts[piece.text] / self.filled if self.filled > 1 else 0.0
        return (
            1.0
            + SAME_CLASS * (share > 0)
            + SAME_KIND * self.kinds[piece.kind] / self.filled
            + SAME_TEXT * same_text
        )


def line_up(view: PageView, records: Sequence[tuple[int, ...]]) -> list[dict[int, list[int]]]:
    """The items of each record by column number, columns in reading order.

    1. The texts of a record become pieces: neighbours with the same path, formatting left out, are
       one (a sentence cut by `b` or `br`). An element that mixes text with inline elements,
       differently from record to record, reads as one: a snippet with marked words.
    2. A run of pieces with one path whose length differs from record to record is a list in a cell,
       and is one piece too.
    3. A label ("Rating:") and what it stands before are one.
    4. Brackets, commas and bars between pieces go with their neighbour.
    5. The record with most pieces starts the columns; each other record's pieces are laid along
       them in order, so that they fit best (path, class, kind of text, equal text); what fits
       nowhere becomes a column where it stands.

    Time O(records · pieces · columns).
    """
    flowing = _flowing(view, records)
    rows = _labelled(
        view, _merged([_with_marks(view, _pieces(view, record, flowing)) for record in records])
    )
    columns: list[_Column] = []
    placed: list[list[_Column]] = [[] for _ in rows]
    for number in sorted(range(len(rows)), key=lambda number: -len(rows[number])):
        placed[number] = _laid(rows[number], columns)
    numbers = {id(column): number for number, column in enumerate(columns)}
    return [
        {numbers[id(column)]: list(piece.nodes) for piece, column in zip(row, homes, strict=True)}
        for row, homes in zip(rows, placed, strict=True)
    ]


_Holder = tuple[tuple[str, ...], tuple[str, ...]]


def _holders(view: PageView, node: int, record: tuple[int, ...]) -> list[int]:
    """The elements in which a text may flow on, the outer first: the parent, and where that only
    marks a word, the parent's parent.
    """
    if node in record:
        return []
    inner = _holder(view, node, record)
    if inner in record or view.tags[inner] in _STANDING or view.text_count(inner) > 1:
        return [inner]
    return [_holder(view, inner, record), inner]


def _flowing(view: PageView, records: Sequence[tuple[int, ...]]) -> set[_Holder]:
    """The kinds of elements (by path and classes) whose text is cut by inline elements differently
    from record to record.
    """
    seen: dict[_Holder, list[tuple[tuple[str, ...], ...]]] = {}
    wholes: Counter[_Holder] = Counter()
    for record in records:
        cuts: dict[int, list[tuple[str, ...]]] = {}
        texts = [
            text
            for root in record
            for text in view.texts_in(root)
            if any(map(str.isalnum, view.texts[text]))
        ]
        for text in texts:
            for holder in _holders(view, text, record):
                cuts.setdefault(holder, []).append(_between(view, text, holder))
        for holder, parts in cuts.items():
            key = _path(view, holder, record)
            seen.setdefault(key, []).append(tuple(parts))
            wholes[key] += len(parts) == len(texts) and len(texts) > 2
    found = set()
    for key, cases in seen.items():
        most = Counter(cases).most_common(1)[0][1]
        is_mixed = any(() in case and any(case) for case in cases)
        is_cut = any(case[0] == () == case[-1] and any(case) for case in cases) and ((),) in cases
        if is_mixed and (most < STEADY * len(cases) or is_cut) and 2 * wholes[key] < len(cases):
            found.add(key)
    return found


def _between(view: PageView, node: int, holder: int) -> tuple[str, ...]:
    tags, above = [], view.parents[node]
    while above != holder:
        tags.append(view.tags[above])
        above = view.parents[above]
    return tuple(tags)


def _pieces(view: PageView, record: tuple[int, ...], flowing: set[_Holder]) -> list[_Piece]:
    found: list[_Piece] = []
    last_flow = -1
    for node in view.items_in(record):
        text = view.texts.get(node, "")
        flow = (
            next(
                (
                    holder
                    for holder in _holders(view, node, record)
                    if _path(view, holder, record) in flowing
                ),
                -1,
            )
            if text
            else -1
        )
        if flow >= 0:
            path, classes = _path(view, flow, record)
            path = ("#text", *path)
        else:
            path, classes = _path(view, node, record)
            if text and node not in record:
                classes += _dress(view, node, _holder(view, node, record))
        is_same = (
            flow == last_flow
            if flow >= 0 or last_flow >= 0
            else bool(found)
            and node not in record
            and _holder(view, found[-1].nodes[-1], record) == _holder(view, node, record)
        )
        if found and text and found[-1].path == path and found[-1].classes == classes and is_same:
            last = found[-1]
            found[-1] = last._replace(
                nodes=(*last.nodes, node),
                text=f"{last.text} {text}",
                kind=_kind(f"{last.text} {text}"),
            )
        else:
            found.append(_Piece(path, classes, _kind(text), text, (node,)))
        last_flow = flow
    return found


def _dress(view: PageView, node: int, holder: int) -> tuple[str, ...]:
    """The formatting around a text, where the element it stands in has no text of its own:
    `<b>tea</b> <i>3</i>` is no cut sentence.
    """
    if any(
        child in view.texts and any(map(str.isalnum, view.texts[child]))
        for child in view.below(holder)
    ):
        return ()
    return tuple(f"<{tag}>" for tag in _between(view, node, holder))


def _with_marks(view: PageView, row: list[_Piece]) -> list[_Piece]:
    """Pieces without a letter or digit joined with the one before in the same block, opening
    brackets and first ones with the one after.
    """
    made: list[_Piece] = []
    ahead: tuple[int, ...] = ()
    for number, piece in enumerate(row):
        is_mark = bool(piece.text) and not any(map(str.isalnum, piece.text))
        follower = row[number + 1] if number + 1 < len(row) else None
        if (
            is_mark
            and made
            and piece.text not in _OPENING
            and made[-1].text
            and not ahead
            and _block(view, made[-1].nodes[-1]) == _block(view, piece.nodes[0])
        ):
            made[-1] = made[-1]._replace(nodes=(*made[-1].nodes, *piece.nodes))
        elif (
            is_mark
            and follower is not None
            and follower.text
            and _block(view, follower.nodes[0]) == _block(view, piece.nodes[0])
        ):
            ahead = (*ahead, *piece.nodes)
        else:
            made.append(piece._replace(nodes=(*ahead, *piece.nodes)))
            ahead = ()
    return made


def _labelled(view: PageView, rows: list[list[_Piece]]) -> list[list[_Piece]]:
    """Labels joined with what follows them in the same block: short texts that come back in most
    records and end in a colon.
    """
    counts = Counter(
        piece.text for row in rows for piece in {piece.text: piece for piece in row}.values()
    )
    made = []
    for row in rows:
        joined: list[_Piece] = []
        for piece in row:
            label = joined[-1] if joined else None
            is_label = (
                label is not None
                and piece.text
                and _LABEL.fullmatch(label.text)
                and 2 * counts[label.text] > len(rows)
                and _block(view, label.nodes[-1]) == _block(view, piece.nodes[0])
            )
            if label is not None and is_label:
                joined[-1] = piece._replace(nodes=(*label.nodes, *piece.nodes))
            else:
                joined.append(piece)
        made.append(joined)
    return made


def _block(view: PageView, node: int) -> int:
    above = view.parents[node]
    while view.tags[above] in INLINE:
        above = view.parents[above]
    return above


def _path(view: PageView, node: int, record: tuple[int, ...]) -> _Holder:
    """Tags from the record to an item, formatting left out, with the place of table cells; and
    their classes.
    """
    path: list[str] = []
    classes: list[str] = []
    if node in view.texts or node in view.images:
        path.append(view.tags[node])
        above = view.parents[node] if node not in record else -1
    else:
        above = node
    while above > 0:
        tag = view.tags[above]
        is_root = above in record
        if is_root and len(record) == 1:
            break
        if tag in ("td", "th") and not is_root:
            path.append(f"td {_place(view, above)}")
        elif tag not in _DRESS:
            path.append(tag)
        classes += [word for word in view.classes.get(above, ()) if not _NUMBERED.search(word)]
        if is_root:
            break
        above = view.parents[above]
    return tuple(path), tuple(sorted(set(classes)))


def _place(view: PageView, cell: int) -> int:
    place, sibling = 0, view.parents[cell] + 1
    while sibling < cell:
        place += view.tags[sibling] in ("td", "th")
        sibling = view.ends[sibling]
    return place


def _holder(view: PageView, node: int, record: tuple[int, ...]) -> int:
    """The nearest element around a node that is not formatting."""
    above = view.parents[node]
    while above not in record and view.tags[above] in _DRESS:
        above = view.parents[above]
    return above


def _kind(text: str) -> str:
    """A rough kind of text: digits as 9, words as a, in at most twelve signs; long texts are all
    one kind.
    """
    if len(text) > 40:
        return "long"
    return re.sub(r"[^\W\d_]+(?:\s+[^\W\d_]+)*", "a", re.sub(r"\d[\d.,]*", "9", text))[:12]


def _merged(rows: list[list[_Piece]]) -> list[list[_Piece]]:
    """Runs of pieces with equal path and classes made one, where their length is not the same in
    all records that have one.
    """
    lengths: dict[tuple[tuple[str, ...], tuple[str, ...]], set[int]] = {}
    cut = [_runs(row) for row in rows]
    for runs in cut:
        for run in runs:
            lengths.setdefault((run[0].path, run[0].classes), set()).add(len(run))
    made = []
    for runs in cut:
        row = []
        for run in runs:
            varies = len(lengths[run[0].path, run[0].classes]) > 1
            if varies and run[0].path[0] == "#text":
                text = " ".join(piece.text for piece in run)
                row.append(
                    run[0]._replace(
                        nodes=tuple(node for piece in run for node in piece.nodes),
                        text=text,
                        kind=_kind(text),
                    )
                )
            else:
                row += run
        made.append(row)
    return made


def _runs(row: list[_Piece]) -> list[list[_Piece]]:
    runs: list[list[_Piece]] = []
    for piece in row:
        if runs and (runs[-1][0].path, runs[-1][0].classes) == (piece.path, piece.classes):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _laid(row: list[_Piece], columns: list[_Column]) -> list[_Column]:
    """The column of each piece; columns that are missing are put in where they belong."""
    high, wide = len(row), len(columns)
    best = [[0.0] * (wide + 1) for _ in range(high + 1)]
    fits = [[column.fit(piece) for column in columns] for piece in row]
    for i in range(high - 1, -1, -1):
        for j in range(wide - 1, -1, -1):
            with_pair = best[i + 1][j + 1] + fits[i][j] if fits[i][j] else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], with_pair)
    homes: list[_Column] = []
    new: list[tuple[int, _Column]] = []
    i = j = 0
    while i < high:
        if j < wide and fits[i][j] and best[i][j] == best[i + 1][j + 1] + fits[i][j]:
            homes.append(columns[j])
            i, j = i + 1, j + 1
        elif j < wide and best[i][j] == best[i][j + 1]:
            j += 1
        else:
            homes.append(_Column(row[i].path))
            new.append((j, homes[-1]))
            i += 1
    for place, column in reversed(new):
        columns.insert(place, column)
    for piece, column in zip(row, homes, strict=True):
        column.take(piece)
    return homes
