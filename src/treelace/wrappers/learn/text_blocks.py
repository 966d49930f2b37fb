"""What of a detail page is no field: running text, lists of values, and records of other pages.

Running text is cut differently on each page (paragraphs, code, headings), so its container is one
column; so is a list of values (tags, ingredients). What repeats and is built of several parts
(comments, cards) is a table of its own, and cards that lead to other pages (related products) are
records of those.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from treelace.extract.page.html_rules import UNSEEN
from treelace.tree import Tree
from treelace.wrappers.learn.fields import Field
from treelace.wrappers.learn.pattern import FilledPattern
from treelace.wrappers.learn.shared_list import overlap, structure_of
from treelace.wrappers.model.text_shapes import MAX_NAME_LENGTH

MIN_BLOCK_LENGTH = 120
"""Characters of a container of running text, on the mean."""
MIN_BLOCK_LEAVES = 3
"""Texts in a container of running text; with fewer its paragraphs are fields."""
MAX_BLOCK_FILL = 0.75
"""Share of the pages that have a text of the container, on the mean: no two texts are cut alike."""
MIN_FIELD_FILL, MIN_FIELD_VARIETY = 0.8, 0.3
"""A short text that so many pages have and that varies so much is a field, not running text."""
MIN_MAIN_SHARE = 0.8
"""Share of a container's text that makes the part which has it the container."""
MIN_STRIP_CARDS, MIN_NAMED_STRIP_CARDS = 3, 2
"""Cards of a strip, and of one that its classes call so."""
MIN_LINKED, MIN_ALIKE = 0.8, 0.5
"""Share of the cards with a link of their own; how alike they are built."""
MAX_CARD_TARGETS = 10
"""Pages that a card of a strip leads to at most: a box of a sidebar (tags, months) has more."""
MAX_CARD_SHARE = 0.4
"""Share of a page's texts in one card: more is the page itself."""

_STRIP = re.compile(
    r"related|recommend|similar|also|upsell|cross-?sell|recent|popular|latest|viewed|carousel"
    r"|slider|more-from|comment",
    re.IGNORECASE,
)
_BLOCKS = frozenset(
    "address article aside blockquote dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header li"
    " main nav ol p pre section table tbody td tr ul".split()
)


class Block(NamedTuple):
    """Rows of a pattern that are one text: the elements and the leaves."""

    rows: list[int]
    leaves: list[int]


def text_blocks(
    filled: FilledPattern,
    titles: Sequence[str],
    repeated: Collection[int],
    left_out: Collection[int],
) -> list[Block]:
    """The containers of running text, the outermost first, without those of their children that
    hold a field.

    `titles` are the pages' titles; `repeated` are rows that repeat, `left_out` rows that are no
    part of any text.
    """
    fields = [
        row
        for row in range(1, len(filled.rows))
        if row not in repeated and _is_field(filled, row, titles)
    ]
    found: list[Block] = []
    taken: set[int] = set()
    for row in range(1, len(filled.rows)):
        if row in taken or filled.is_leaf(row) or filled.rows[row].tag in ("html", "body"):
            continue
        parts = [
            child
            for child in filled.children(row)
            if bisect_left(fields, child) == bisect_left(fields, filled.ends[child])
            and child not in left_out
        ]
        leaves = [leaf for part in parts for leaf in text_leaves(filled, part)]
        leaves = [leaf for leaf in leaves if leaf not in left_out]
        if (
            len(leaves) >= MIN_BLOCK_LEAVES
            and _is_running_text(filled, row, leaves)
            and not _has_main_part(filled, parts)
        ):
            found.append(Block([part for part in parts if not filled.is_leaf(part)], leaves))
            taken.update(at for part in parts for at in range(part, filled.ends[part]))
    return found


def _has_main_part(filled: FilledPattern, parts: Sequence[int]) -> bool:
    """Whether nearly all of the text stands in one part, which is the container then."""
    lengths = [
        sum(
            len(text)
            for leaf in text_leaves(filled, part)
            for text, _ in filled.values[leaf].values()
        )
        for part in parts
    ]
    most = max(lengths)
    part = parts[lengths.index(most)]
    return (
        most >= MIN_MAIN_SHARE * sum(lengths)
        and len(text_leaves(filled, part)) >= MIN_BLOCK_LEAVES
        and len(filled.children(part)) > 1
    )


def text_leaves(filled: FilledPattern, row: int) -> list[int]:
    """The texts inside a row, or the row itself, that some page has."""
    return [
        leaf
        for leaf in range(row, filled.ends[row])
        if filled.rows[leaf].tag == "#text" and filled.values[leaf]
    ]


def _is_running_text(filled: FilledPattern, row: int, leaves: Sequence[int]) -> bool:
    pages = len(filled.values[row])
    if not pages or fmean(len(filled.values[leaf]) for leaf in leaves) > MAX_BLOCK_FILL * pages:
        return False
    length = sum(len(text) for leaf in leaves for text, _ in filled.values[leaf].values())
    return length >= MIN_BLOCK_LENGTH * pages


def _is_field(filled: FilledPattern, leaf: int, titles: Sequence[str]) -> bool:
    """Whether nearly all pages have the text, another one each, and it is short or their title."""
    if filled.rows[leaf].tag != "#text":
        return False
    texts = {record: text for record, (text, _) in filled.values[leaf].items()}
    if len(texts) < max(2, MIN_FIELD_FILL * filled.count):
        return False
    if len(set(texts.values())) < MIN_FIELD_VARIETY * len(texts):
        return False
    named = sum(len(text) > 2 and text in titles[record] for record, text in texts.items())
    return fmean(map(len, texts.values())) <= MAX_NAME_LENGTH or 2 * named > len(texts)


def is_plain(filled: FilledPattern, members: Sequence[int]) -> bool:
    """Whether what repeats are texts, with no blocks inside."""
    return not any(
        filled.rows[row].tag in _BLOCKS
        for member in members
        for row in range(member + 1, filled.ends[member])
    )


def joined_field(filled: FilledPattern, block: Block) -> Field:
    """One field of all texts of a block; running text where it is long."""
    texts: dict[int, str] = {}
    nodes: dict[int, int] = {}
    for leaf in block.leaves:
        for record, (text, node) in filled.values[leaf].items():
            texts[record] = f"{texts[record]} {text}" if record in texts else text
            nodes.setdefault(record, node)
    made = Field([*block.rows, *block.leaves], texts, nodes=nodes)
    made.is_running_text = made.length >= MIN_BLOCK_LENGTH
    return made


# cards that lead to other pages


def strip_spans(tree: Tree) -> list[tuple[int, int]]:
    """Where the cards of strips stand, in document order: children of one element that are built
    alike, of several parts each, with a link of their own each.
    """
    links = [
        (node.index, node.attribute("href") or "")
        for node in tree.select("a[href]")
        if (node.attribute("href") or "#")[0] != "#"
    ]
    starts = [at for at, _ in links]
    items = [
        at
        for at in range(len(tree))
        if (tree.kind(at) == 2 and tree.own_text(at).strip())
        or (tree.kind(at) == 1 and tree.local_name(at) == "img")
    ]
    named = _named_places(tree, items)
    found: list[tuple[int, int]] = []
    for cards in _alike_children(tree):
        if any(_after(named, tree.end(card)) > _after(named, card) for card in cards):
            continue  # what the page is called stands there
        inside = [
            {target for _, target in links[_after(starts, card) : _after(starts, tree.end(card))]}
            for card in cards
        ]
        count = Counter(target for targets in inside for target in targets)
        own = sum(any(count[target] == 1 for target in targets) for targets in inside)
        sizes = [_after(items, tree.end(card)) - _after(items, card) for card in cards]
        least = MIN_NAMED_STRIP_CARDS if is_called_strip(tree, cards[0]) else MIN_STRIP_CARDS
        if (
            len(cards) >= least
            and own >= MIN_LINKED * len(cards)
            and fmean(sizes) >= 2
            and sum(_begins_with_link(tree, card) for card in cards) >= MIN_LINKED * len(cards)
            and max(sizes) <= MAX_CARD_SHARE * max(1, len(items))
            and max(map(len, inside)) <= MAX_CARD_TARGETS
        ):
            found += [(card, tree.end(card)) for card in cards]
    return sorted(found)


def _named_places(tree: Tree, items: Sequence[int]) -> list[int]:
    """Where the page says what it is called: its main heading, or else most of its title."""
    if headings := [node.index for node in tree.select("h1")]:
        return headings
    title = next((node.text.strip() for node in tree.select("title", limit=1)), "")
    texts = {at: tree.own_text(at).strip() for at in items}
    return [at for at, text in texts.items() if 2 * len(text) > len(title) and text in title]


def _begins_with_link(tree: Tree, card: int) -> bool:
    """Whether a card has a picture or a heading, or the first text is a link: not a label."""
    in_link = card if tree.local_name(card) == "a" else -1
    for at in range(card, tree.end(card)):
        if tree.kind(at) == 1:
            tag = tree.local_name(at)
            if tag == "img" or re.fullmatch("h[1-6]", tag):
                return True
            in_link = at if tag == "a" else in_link
        elif tree.kind(at) == 2 and tree.own_text(at).strip():
            return in_link >= 0 and at < tree.end(in_link)
    return False


def block_text(tree: Tree, node: int) -> str:
    """The text of the block that a node stands in: its line or paragraph."""
    above: int | None = node
    while above and tree.local_name(above) not in _BLOCKS:
        above = tree.parent(above)
    return tree[above].text if above else ""


def _after(places: Sequence[int], node: int) -> int:
    return bisect_right(places, node - 1)


def _alike_children(tree: Tree) -> Iterator[list[int]]:
    node = 1
    while node < len(tree):
        if tree.kind(node) != 1 or tree.local_name(node) in UNSEEN:
            node = tree.end(node)
            continue
        kinds: dict[str, list[int]] = {}
        for child in tree.children(node):
            if tree.kind(child) == 1 and tree.local_name(child) in _BLOCKS | {"a"}:
                kinds.setdefault(tree.local_name(child), []).append(child)
        for cards in kinds.values():
            if len(cards) >= MIN_NAMED_STRIP_CARDS:
                built = [structure_of(tree, card) for card in cards[:12]]
                if fmean(overlap(left, right) for left, right in pairwise(built)) >= MIN_ALIKE:
                    yield cards
        node += 1


def is_called_strip(tree: Tree, card: int) -> bool:
    """Whether the class or id of a card, or of what is right around it, says that it is related."""
    above: int | None = card
    for _ in range(4):
        if not above:
            return False
        if _STRIP.search(f"{tree.attribute(above, 'class')} {tree.attribute(above, 'id')}"):
            return True
        above = tree.parent(above)
    return False


def is_inside(spans: Sequence[tuple[int, int]], node: int) -> bool:
    """Whether a node stands in one of the spans, which may lie in one another."""
    return any(start <= node < end for start, end in spans)
