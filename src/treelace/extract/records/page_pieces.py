"""The pieces of data that a page shows, each with the label that stands before it."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from treelace.extract.page.html_rules import INLINE
from treelace.extract.page.page_view import PageView

MAX_LABEL_LENGTH = 40
"""Characters of a label."""

MAX_LEAD_LENGTH = 16
"""Characters of words without a colon that lead to a value: `by`, `Posted on`."""

MIN_ROWS_OF_FIELDS = 2
"""Rows of two cells from which on a table is one of labels and values."""

_LETTERS = re.compile(r"[^\W\d_]")
_WORDS = re.compile(r"\w")
_SCHEMES = frozenset(["http", "https"])
_LABEL_CLASS = re.compile(r"label|caption|key|term|heading|title|head|name", re.IGNORECASE)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())


@dataclass(slots=True)
class Piece:
    """Texts that read as one, the block they stand in, and what they are called.

    `label` is a label of the page (`Price:`, `dt`, the first cell of a row), `heading` the heading
    just before, where nothing says more.
    """

    nodes: list[int]
    block: int
    label: str = ""
    heading: str = ""
    is_label: bool = field(default=False)


def pieces(view: PageView) -> list[Piece]:
    """The pieces of a page in document order.

    A line (the texts of a block up to a `br`) is one piece where it is running text; else each of
    its inline elements is one. A label and the piece after it are one piece with a label: `Price:`
    before its value, `dt` and `dd`, the two cells of the rows of a table, elements whose class says
    that they are labels. Time linear in the nodes.

    >>> from treelace import parse
    >>> page = parse("<h1>Tea</h1><p><b>Price:</b> €3<dl><dt>From<dd>Assam</dl>")
    >>> view = PageView.of(page)
    >>> [(it.label, " ".join(view.texts[node] for node in it.nodes)) for it in pieces(view)]
    [('', 'Tea'), ('Price', '€3'), ('From', 'Assam')]
    """
    found: list[Piece] = []
    for block, nodes in _lines(view):
        found.extend(_of_line(view, block, nodes))
    return _with_headings(view, _labelled(view, found))


def text_of(view: PageView, piece: Piece) -> str:
    """What a piece says."""
    return " ".join(view.texts[node] for node in piece.nodes)


def _lines(view: PageView) -> Iterator[tuple[int, list[int]]]:
    """The block of each line and its texts."""
    breaks = [node for node, tag in enumerate(view.tags) if tag in ("br", "hr")]
    parents, tags = view.parents, view.tags
    blocks: dict[int, int] = {}
    line: list[int] = []
    last = -1
    for node in view.text_nodes:
        above = parents[node]
        block = blocks.get(above, -1)
        if block < 0:
            block = above
            while block and tags[block] in INLINE:
                block = parents[block]
            blocks[above] = block
        if line and (block != last or _is_between(breaks, line[-1], node)):
            yield last, line
            line = []
        line.append(node)
        last = block
    if line:
        yield last, line


def _is_between(sorted_nodes: list[int], start: int, end: int) -> bool:
    at = bisect_left(sorted_nodes, start)
    return at < len(sorted_nodes) and sorted_nodes[at] < end


def _of_line(view: PageView, block: int, nodes: list[int]) -> Iterator[Piece]:
    """The pieces of a line: what stands before the first label, then label by label."""
    starts = [at for at, node in enumerate(nodes) if _ends_label(view.texts[node])]
    first = starts[0] if starts else len(nodes)
    yield from _unlabelled(view, block, nodes[:first])
    for at, start in enumerate(starts):
        stop = starts[at + 1] if at + 1 < len(starts) else len(nodes)
        label = clean_label(view.texts[nodes[start]])
        values = [node for node in nodes[start + 1 : stop] if _WORDS.search(view.texts[node])]
        if values:
            yield Piece(values, block, label)
        else:
            yield Piece([nodes[start]], block, is_label=True)


def _unlabelled(view: PageView, block: int, nodes: list[int]) -> Iterator[Piece]:
    nodes = [node for node in nodes if _WORDS.search(view.texts[node])]
    if not nodes:
        return
    own = [node for node in nodes if view.parents[node] == block]
    own_length = sum(len(view.texts[node]) for node in own)
    length = sum(len(view.texts[node]) for node in nodes)
    is_heading = view.tags[block] in _HEADINGS
    is_led = len(own) == 1 and own[0] == nodes[0] and len(nodes) > 1 and not is_heading
    if is_led and own_length <= MAX_LEAD_LENGTH:
        lead = view.texts[own[0]]
        if not any(character.isdigit() for character in lead):
            yield Piece(nodes[1:], block, clean_label(lead))
            return
    if len(nodes) == 1 or (2 * own_length >= length and not is_heading):
        yield Piece(nodes, block)
        return
    for part in _parts(view, block, nodes):
        yield Piece(part, block)


def _parts(view: PageView, block: int, nodes: list[int]) -> list[list[int]]:
    """The texts of each child of a block."""
    found: list[list[int]] = []
    end = -1
    for node in nodes:
        if node >= end:
            top = node
            while view.parents[top] != block:
                top = view.parents[top]
            end = view.ends[top]
            found.append([])
        found[-1].append(node)
    while len(found) == 1 and len(nodes) > 1:  # one element around all of them
        top = nodes[0]
        while view.parents[top] != block:
            top = view.parents[top]
        block = top
        if any(view.parents[node] == block for node in nodes):
            return [nodes]
        found = _parts(view, block, nodes)
    return found


def _ends_label(text: str) -> bool:
    return text.rstrip().endswith((":", "：")) and 1 < len(text) <= MAX_LABEL_LENGTH


def clean_label(text: str) -> str:
    """A label without the marks around it."""
    return " ".join(text.split()).strip(" :：\u00a0-–|*.•·")


def own_label(text: str) -> str:
    """The label that a text begins with: `Warranty` of `Warranty: 2 years`."""
    head, colon, rest = text.partition(":")
    head = head.strip()
    return (
        clean_label(head)
        if colon
        and rest[:1] in (" ", "\u00a0")
        and 1 < len(head) <= 30
        and len(head.split()) <= 4
        and _LETTERS.search(head)
        and head.lower() not in _SCHEMES
        else ""
    )


def _labelled(view: PageView, found: Sequence[Piece]) -> list[Piece]:
    """The pieces with labels from the cells before them; labels with a value are no pieces."""
    rows = _rows_of_fields(view)
    made: list[Piece] = []
    waiting: Piece | None = None  # a label whose value comes next
    named: dict[int, str] = {}  # value cells by their label
    for piece in found:
        text = text_of(view, piece)
        cell = _cell_of(view, piece.block, rows)
        if cell is not None and rows[cell] >= 0 and not piece.label:
            label = clean_label(text)
            if 1 < len(label) <= MAX_LABEL_LENGTH and _LETTERS.search(label):
                named[rows[cell]] = label
                piece.is_label = True
                continue
        if piece.is_label:
            waiting = piece
            continue
        if cell is not None and not piece.label and cell in named:
            piece.label = named[cell]
        elif waiting is not None and not piece.label and _is_next(view, waiting, piece):
            piece.label = clean_label(text_of(view, waiting))
        waiting = None
        made.append(piece)
    return made


def _cell_of(view: PageView, block: int, rows: dict[int, int]) -> int | None:
    """The cell of a row of fields around a block."""
    for _ in range(8):
        if block in rows:
            return block
        if not block:
            return None
        block = view.parents[block]
    return None


def _rows_of_fields(view: PageView) -> dict[int, int]:
    """Each label cell with its value cell, and each value cell with -1: rows of two cells, of which
    a table has several, and `dt` with `dd`; the cells of two rows, the first all `th`.
    """
    found: dict[int, int] = {}
    by_table: dict[int, list[list[int]]] = {}
    tags = view.tags
    for node, tag in enumerate(tags):
        if tag == "tr" and view.shown[node]:
            cells = [cell for cell in view.below(node) if tags[cell] in ("td", "th")]
            cells = [cell for cell in cells if view.text_count(cell)]
            if cells:
                above = view.parents[node]
                if tags[above] in ("tbody", "thead", "tfoot"):
                    above = view.parents[above]
                by_table.setdefault(above, []).append(cells)
        elif tag == "dt" and view.shown[node]:
            following = view.ends[node]
            while following < view.ends[view.parents[node]] and tags[following] != "dd":
                if tags[following] == "dt":
                    break
                following = view.ends[following]
            if following < len(tags) and tags[following] == "dd":
                found[node] = following
                found.setdefault(following, -1)
    for rows in by_table.values():
        pairs = [row for row in rows if len(row) == 2 and view.text_count(row[0]) <= 2]
        if len(rows) == 2 and len(rows[0]) == len(rows[1]) > 1 and _are_heads(view, rows[0]):
            pairs = [list(pair) for pair in zip(*rows, strict=True)]
        elif len(pairs) < MIN_ROWS_OF_FIELDS or 2 * len(pairs) < len(rows):
            pairs = [row for row in pairs if tags[row[0]] == "th" and tags[row[1]] == "td"]
        for label, value in pairs:
            found[label] = value
            found.setdefault(value, -1)
    return found


def _are_heads(view: PageView, cells: Sequence[int]) -> bool:
    return all(view.tags[cell] == "th" for cell in cells)


def _is_next(view: PageView, label: Piece, value: Piece) -> bool:
    """Whether a value stands in the block after its label, or in one around both that has little
    else.
    """
    if label.block == value.block:
        return True
    above = view.parents[label.block]
    for _ in range(3):
        if above <= value.nodes[0] < view.ends[above]:
            return view.text_count(above) <= 8 or above == view.parents[label.block]
        above = view.parents[above]
    return False


def _with_headings(view: PageView, found: list[Piece]) -> list[Piece]:
    """The pieces with the heading, or the element called a label, just before them."""
    for before, piece in itertools.pairwise(found):
        if piece.label or (piece.block == before.block and len(before.nodes) > 1):
            continue
        text = text_of(view, before)
        if len(text) > 30 or before.label or not _LETTERS.search(text):
            continue
        holder = view.parents[before.nodes[0]]
        is_heading = view.tags[before.block] in _HEADINGS or view.tags[holder] in (
            "b",
            "strong",
            "label",
            "th",
            "dt",
        )
        if not is_heading:
            words = " ".join(view.class_words(holder) + view.class_words(before.block))
            is_heading = bool(_LABEL_CLASS.search(words))
        if is_heading and _is_next(view, before, piece):
            piece.heading = clean_label(text)
    return found
