"""Patterns in plain Python: pages as nested rows, all ways to pair two lists of children tried one
after the other.

The definition of `kernel/src/pattern`: what a row is, how well two rows fit, which children of a
pair are paired, and how several pages become one pattern. Sketches are whole sets here, so the two
agree where no subtree holds more than 32 different names; numbers are 32-bit floats as there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from treelace.tree import Node

UNSEEN = set(
    "script style noscript template head iframe svg select textarea object audio video canvas map"
    " noframes datalist math".split()
)
DRESS = set(
    "a abbr acronym b bdi bdo big cite code dfn em font i ins del kbd label mark nobr q s samp"
    " small span strike strong sub sup tt u var center time data output".split()
)
INLINE = DRESS | set("br img input button meter progress ruby rt rp wbr".split())
f32 = np.float32
ZERO = f32(0)


@dataclass(eq=False)
class Row:
    """A row with what is inside it; of a pattern also what the pages had there."""

    tag: str
    keys: list[str] = field(default_factory=list)
    wrap: str = ""
    text: str = ""
    node: int = 0
    children: list[Row] = field(default_factory=list)
    hint: int = 0
    # of a pattern
    seen: int = 1
    texts: list[list] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    shape_counts: list[list] = field(default_factory=list)
    is_fixed: bool = False
    # when compared
    number: int = 0
    weight: np.float32 = ZERO
    place: tuple = ()
    parent: Row | None = None
    holds_title: bool = False

    @property
    def is_leaf(self) -> bool:
        return self.tag in ("#text", "img")

    def all(self) -> Iterator[Row]:
        yield self
        for child in self.children:
            yield from child.all()


# a page as rows


def outline(roots: Sequence[Node]) -> Row:
    """The rows of subtrees under one row `#root`."""
    return Row("#root", children=[row for root in roots for row in rows_of(root, [])])


def is_visible_leaf(node: Node) -> bool:
    if not node.is_element:
        return node.kind.name.lower() == "text" and bool(node.text.strip())
    return node.tag == "img" and bool(source(node))


def source(node: Node) -> str:
    return node.attribute("src") or node.attribute("data-src") or ""


def is_hidden(node: Node) -> bool:
    style = re.sub(r"\s", "", node.attribute("style") or "").lower()
    return (
        node.tag in UNSEEN
        or node.attribute("hidden") is not None
        or "display:none" in style
        or "visibility:hidden" in style
    )


def count(node: Node) -> int:
    """How many leaves one sees in a node."""
    if node.is_element and is_hidden(node):
        return 0
    return int(is_visible_leaf(node)) + (sum(map(count, node.children)) if node.is_element else 0)


def holds_block(node: Node) -> bool:
    """Whether there is more than a line of text in it."""
    seen = [child for child in node.children if child.is_element and count(child)]
    return any(child.tag not in INLINE or holds_block(child) for child in seen)


def rows_of(node: Node, wrappers: list[Node]) -> list[Row]:
    if not count(node):
        return []
    if is_visible_leaf(node):
        dressed = [*wrappers, node] if node.is_element else wrappers
        keys = [key for one in dressed for key in keys_of(one)][:8]
        text = source(node) if node.is_element else " ".join(node.text.split())
        tag = "img" if node.is_element else "#text"
        shapes = [] if node.is_element else [shape(text)]
        return [
            Row(
                tag,
                sorted(set(keys)),
                " ".join(one.tag or "" for one in wrappers),
                text,
                node.index,
                shapes=shapes,
            )
        ]
    is_plain = node.tag == "a" or (node.attribute("class") is None and node.attribute("id") is None)
    if node.tag in DRESS and is_plain and not holds_block(node) and count(node) == 1:
        return [row for child in node.children for row in rows_of(child, [*wrappers, node])]
    inside = [row for child in node.children for row in rows_of(child, wrappers)]
    if node.tag in DRESS and holds_block(node) and node.tag != "a":
        return inside
    return [Row(node.tag or "", keys_of(node), node=node.index, children=inside)]


def keys_of(node: Node) -> list[str]:
    found = []
    for name, value in node.attributes.items():
        if name == "id":
            found.append("#" + masked(value.strip()))
        elif name == "class":
            found += ["." + masked(word) for word in value.split()]
        elif name in ("itemprop", "property"):
            found += ["@" + word for word in value.split()]
    return sorted(set(found[:8]))


def masked(word: str) -> str:
    return re.sub(r"[0-9]+", "0", word)


def shape(text: str) -> str:
    if len(text) > 40:
        return "long"
    signs = ""
    for letter in text:
        if letter.isspace() or (letter in ".," and signs.endswith("9")):
            continue
        sign = "9" if letter.isnumeric() else "a" if letter.isalpha() else letter
        if not signs.endswith(sign):
            signs += sign
    return signs[:12]


# what speaks for a pair


def family(tag: str) -> str:
    return {"th": "td", "ol": "ul"}.get(tag, "h" if re.fullmatch("h[1-6]", tag) else tag)


def prepared(root: Row) -> list[Row]:
    """The rows in document order, numbered, each leaf with the place it stands in: its text and the
    three tags above.
    """
    rows = list(root.all())
    root.parent = None
    for number, row in enumerate(rows):
        row.number = number
        for child in row.children:
            child.parent = row
    for row in rows:
        above, up = [], row.parent
        while up is not None and len(above) < 3:
            above.append(family(up.tag))
            up = up.parent
        row.place = (row.text, tuple(above))
    for row in rows:
        inside = [it for it in row.all() if it.tag == "h1"]
        row.holds_title = len(inside) == 1 == sum(it.tag == "h1" for it in rows)
    return rows


def names_inside(row: Row) -> set:
    """Pairs of tags and keys of everything below a row."""
    found: set = set()
    for child in row.children:
        found |= {("pair", family(row.tag), family(child.tag)), *child.keys} | names_inside(child)
    return found


def labels_inside(row: Row) -> dict:
    """The known texts in a row with how well they are known."""
    return {leaf.place: leaf.weight for leaf in row.all() if leaf.is_leaf and leaf.weight > 0}


def fit(old: Row, new: Row) -> np.float32:
    """How well two rows fit; at 0 or below they are no pair."""
    if (
        old.is_leaf != new.is_leaf
        or family(old.tag) != family(new.tag)
        or (old.hint and new.hint and old.hint != new.hint)
    ):
        return ZERO
    hinted = f32(5 if old.hint and old.hint == new.hint else 0)
    if old.is_leaf:
        return hinted + leaf_fit(old, new)
    leaves = min(sum(row.is_leaf for row in one.all()) for one in (old, new))
    return (element_fit(old, new) + hinted) * (f32(1) + np.log(f32(1 + leaves)))


def called(old: Row, new: Row) -> np.float32:
    if not old.keys and not new.keys:
        return ZERO
    shared = len(set(old.keys) & set(new.keys))
    if shared:
        return f32(2) * (f32(2) * f32(shared) / f32(len(old.keys) + len(new.keys)))
    return f32(-0.3) if not old.keys or not new.keys else f32(-0.8)


def leaf_fit(old: Row, new: Row) -> np.float32:
    score = f32(1) + called(old, new)
    if old.text and old.place == new.place:
        weight = max(old.weight, new.weight)
        score = score + (f32(0.5) + f32(3) * weight * weight)
    else:
        if old.is_fixed:
            score = score - (f32(0.5) + f32(1.5) * old.weight)
        if new.weight > f32(0.5):
            score = score - f32(2) * new.weight
    if old.wrap == new.wrap:
        score = score + f32(0.3)
    if new.shapes and new.shapes[0] in old.shapes:
        score = score + f32(0.5)
    return score


def element_fit(old: Row, new: Row) -> np.float32:
    """At least .6 where both hold the only title of their pages."""
    least = f32(0.6) if old.holds_title and new.holds_title else f32("-inf")
    return max(least, plain_element_fit(old, new))


def plain_element_fit(old: Row, new: Row) -> np.float32:
    left, right = names_inside(old), names_inside(new)
    alike = f32(len(left & right)) / f32(len(left | right)) if left | right else f32(1)
    score = f32(0.6) + called(old, new) + f32(1.5) * alike
    left_labels, right_labels = labels_inside(old), labels_inside(new)
    both = sum(
        (max(left_labels[at], right_labels[at]) for at in left_labels if at in right_labels), ZERO
    )
    only_old = sum((weight for at, weight in left_labels.items() if at not in right_labels), ZERO)
    only_new = sum((weight for at, weight in right_labels.items() if at not in left_labels), ZERO)
    if both > 0:
        return score + f32(4) * (f32(2) * both / (f32(2) * both + only_old + only_new)) * min(
            both, f32(1)
        )
    if only_old > 0 and only_new > 0:
        return score - f32(2) * min(only_old, only_new, f32(1))
    return score - f32(0.7) * min(only_old + only_new, f32(1))


def deep_fit(old: Row, new: Row) -> tuple[np.float32, Row, Row]:
    """The best fit of two rows, or of one with what the other is a lone box of, up to three
    deep.
    """
    best = (fit(old, new), old, new)
    if best[0] > 0 and (old.is_leaf or (old.keys and old.keys == new.keys)):
        return best
    share, inner_old, inner_new = f32(1), [old], [new]
    for _ in range(3):
        share = share * f32(0.9)
        inner_old = inner_old[0].children if inner_old and len(inner_old[0].children) == 1 else []
        inner_new = inner_new[0].children if inner_new and len(inner_new[0].children) == 1 else []
        for left, right in ((inner_old, [new]), ([old], inner_new)):
            if left and right:
                score = share * fit(left[0], right[0])
                if score > max(best[0], f32(0.8)):
                    best = (score, left[0], right[0])
    return best


# which rows are pairs


def best_pairs(
    left: Sequence[Row], right: Sequence[Row]
) -> tuple[np.float32, list[tuple[int, int]]]:
    """Of all ways to pair two lists in order, the one with the largest sum; of equal ones the one
    that pairs first things first.
    """
    scores = [[deep_fit(old, new)[0] for new in right] for old in left]

    @cache
    def gain(i: int, j: int) -> np.float32:
        if i == len(left) or j == len(right):
            return ZERO
        with_pair = gain(i + 1, j + 1) + scores[i][j] if scores[i][j] > 0 else ZERO
        return max(gain(i + 1, j), gain(i, j + 1), with_pair)

    found, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if scores[i][j] > 0 and gain(i, j) == gain(i + 1, j + 1) + scores[i][j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif gain(i, j) == gain(i + 1, j):
            i += 1
        else:
            j += 1
    return gain(0, 0), found


def pairs(pattern: Row, page: Row) -> dict[int, Row]:
    """The row of the pattern for rows (by number) of the page."""
    partner = {0: pattern}
    todo = [(pattern, page)]
    while todo:
        old, new = todo.pop()
        left, right = old.children, new.children
        if len(left) == len(right) == 1 and left[0].is_leaf and is_like(left[0], right[0]):
            partner[right[0].number] = left[0]
            continue
        _, found = best_pairs(left, right)
        for one, other in [deep_fit(left[i], right[j])[1:] for i, j in found] + dissolved(
            left, right, found
        ):
            partner[other.number] = one
            todo.append((one, other))
    return partner


def is_like(old: Row, new: Row) -> bool:
    return (
        old.is_leaf == new.is_leaf
        and family(old.tag) == family(new.tag)
        and (old.hint == new.hint or not old.hint or not new.hint)
    )


def dissolved(
    left: Sequence[Row], right: Sequence[Row], found: list[tuple[int, int]]
) -> list[tuple[Row, Row]]:
    """Pairs between the children of a row that is on one side only and its former siblings, in each
    gap between pairs.
    """
    if len(found) in (len(left), len(right)):
        return []
    made, start = [], (0, 0)
    for end in [*found, (len(left), len(right))]:
        gap_left, gap_right = left[start[0] : end[0]], right[start[1] : end[1]]
        best, most = [], f32(1.5)
        if gap_left and gap_right:
            tries = [(row.children, gap_right) for row in gap_left if len(row.children) > 1]
            tries += [(gap_left, row.children) for row in gap_right if len(row.children) > 1]
            for one, other in tries:
                gain, chosen = best_pairs(one, other)
                if gain > most:
                    best, most = [deep_fit(one[i], other[j])[1:] for i, j in chosen], gain
        made += best
        start = (end[0] + 1, end[1] + 1)
    return made


# a pattern


def pattern_of(rows: Sequence[tuple], pages: int) -> tuple[Row, dict]:
    """The pattern of rows as they are kept, and how well each text is known."""
    open_rows: list[Row] = []
    for depth, tag, keys, wrap, text, seen, is_fixed, shapes in rows:
        row = Row(tag, sorted(keys), wrap, text, seen=seen, is_fixed=is_fixed, shapes=list(shapes))
        del open_rows[depth:]
        if open_rows:
            open_rows[-1].children.append(row)
        open_rows.append(row)
    root, known = open_rows[0], {}
    for row in prepared(root):
        if row.is_leaf and any(map(str.isalnum, row.text)):
            row.weight = f32(row.seen) / f32(pages)
            known[row.place] = max(known.get(row.place, ZERO), row.weight)
    return root, known


def laid(root: Row, known: dict, pages: int, page: Row) -> tuple[list[tuple[int, int]], float]:
    """A page laid along a pattern: (node, row number) of pairs and of leaves without one (-1); and
    the share of usual rows that were found.
    """
    rows = prepared(page)
    for row in rows:
        row.weight = known.get(row.place, ZERO) if row.is_leaf else ZERO
    partner = pairs(root, page)
    held = [
        (row.node, partner[row.number].number if row.number in partner else -1)
        for row in rows[1:]
        if row.number in partner or row.is_leaf
    ]
    usual = {row.number for row in list(root.all())[1:] if row.seen * 5 >= pages * 4}
    met = {other.number for number, other in partner.items() if number} & usual
    return held, len(met) / max(1, len(usual))


# several pages into one


def learnt(pages: Sequence[Row]) -> list[tuple]:
    """The rows of the pattern that pages have in common."""
    known = known_texts(pages)
    order = sorted(pages, key=lambda page: -sum(row.is_leaf for row in page.all()))
    draft = Row("#root", seen=0)
    for page in order:
        for row in prepared(page):
            row.weight = known.get(row.place, ZERO) if row.is_leaf else ZERO
        as_drafted(draft, known)
        partner = pairs(draft, page)
        draft = merged(draft, page, partner)
    return list(kept(draft, len(pages)))


def known_texts(pages: Sequence[Row]) -> dict:
    """Texts that stand in the same kind of place on two pages or more, with the share of pages."""
    seen = [
        {row.place for row in prepared(page) if row.is_leaf and any(map(str.isalnum, row.text))}
        for page in pages
    ]
    counts = {place: sum(place in one for one in seen) for one in seen for place in one}
    return {place: f32(number) / f32(len(pages)) for place, number in counts.items() if number > 1}


def top_text(row: Row) -> tuple[str, int]:
    """The text that most pages have; the last of equals."""
    most = max((number for _, number in row.texts), default=0)
    return next(((text, number) for text, number in reversed(row.texts) if number == most), ("", 0))


def as_drafted(draft: Row, known: dict) -> None:
    for row in draft.all():
        row.text = top_text(row)[0]
    for row in prepared(draft):
        row.weight, row.is_fixed = ZERO, False
        if row.is_leaf:
            agrees = f32(top_text(row)[1]) / f32(row.seen) >= f32(0.6)
            row.weight = known.get(row.place, ZERO) if agrees else ZERO
            row.is_fixed = bool(len(row.texts) == 1 and row.weight > 0)


def taken(row: Row | None, other: Row) -> Row:
    """The row with one more page."""
    made = row or Row(other.tag, list(other.keys), other.wrap, seen=0)
    made.seen += 1
    made.hint = made.hint or other.hint
    if made.seen > 1 and not other.is_leaf:
        made.keys = [key for key in made.keys if key in other.keys]
    else:
        made.keys += [key for key in other.keys if key not in made.keys][
            : max(0, 8 - len(made.keys))
        ]
    if other.is_leaf:
        counted(made.texts, other.text)
    if other.tag == "#text":
        counted(made.shape_counts, shape(other.text))
        made.shapes = [known for known, _ in made.shape_counts]
    return made


def counted(counts: list[list], text: str) -> None:
    for one in counts:
        if one[0] == text:
            one[1] += 1
            return
    if len(counts) < 8:
        counts.append([text, 1])


def put_in(row: Row) -> Row:
    made = taken(None, row)
    made.children = [put_in(child) for child in row.children]
    return made


def merged(draft: Row, page: Row, partner: dict[int, Row]) -> Row:
    """The draft with what a page has: matched rows counted, wholly unmatched subtrees put in where
    they stand.
    """
    of_old = {old.number: row for row in page.all() if (old := partner.get(row.number)) is not None}

    def is_new(row: Row) -> bool:
        return not any(inner.number in partner for inner in row.all())

    def grown(old: Row) -> Row:
        other = of_old.get(old.number)
        rest, order = list(old.children), []
        for child in other.children if other is not None else []:
            mate = partner.get(child.number)
            if mate is not None:
                while rest and rest[0].number <= mate.number:
                    order.append(grown(rest.pop(0)))
            elif is_new(child):
                order.append(put_in(child))
        order += [grown(child) for child in rest]
        old.children = order
        return taken(old, other) if other is not None else old

    return grown(draft)


def kept(draft: Row, pages: int, depth: int = 0) -> Iterator[tuple]:
    """The rows as they are kept."""
    text, number = top_text(draft)
    is_fixed = len(draft.texts) == 1 and draft.seen > 1
    own = text if is_fixed or (number > 1 and f32(number) >= f32(0.6) * f32(draft.seen)) else ""
    shapes = [known for known, _ in sorted(draft.shape_counts, key=lambda one: -one[1])][:4]
    yield (
        depth,
        draft.tag,
        sorted(draft.keys),
        draft.wrap,
        own,
        draft.seen if depth else pages,
        is_fixed,
        shapes,
    )
    for child in draft.children:
        yield from kept(child, pages, depth + 1)
