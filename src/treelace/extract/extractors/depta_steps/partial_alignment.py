"""Records aligned item by item: simple tree matching, partial tree alignment, a centre tree."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS


@dataclass(eq=False, slots=True)
class Twig:
    """A node of a tree to be aligned: a label, its children, and what it stands for (`node`)."""

    label: str
    children: list[Twig] = field(default_factory=list)
    node: int = -1
    is_item: bool = False

    @classmethod
    def from_brackets(cls, text: str) -> Twig:
        """A twig in bracket notation, numbered in preorder, every node an item; for tests."""
        top: Twig = cls("")
        path, count = [top], 0
        for piece in text.replace("{", "\0{").replace("}", "\0}\0").split("\0"):
            if piece.startswith("{"):
                path[-1].children.append(cls(piece[1:], [], count, True))
                path.append(path[-1].children[-1])
                count += 1
            elif piece == "}":
                path.pop()
        return top.children[0]

    def walk(self) -> Iterator[Twig]:
        """The twig and all below it, in preorder."""
        ahead = [self]
        while ahead:
            twig = ahead.pop()
            yield twig
            ahead.extend(reversed(twig.children))

    def shape(self) -> str:
        """The same for twigs that differ in nothing but what they stand for: an image without a
        source is no item.
        """
        parts: list[str] = []
        ahead: list[Twig | None] = [self]
        while ahead:
            twig = ahead.pop()
            if twig is None:
                parts.append("}")
            else:
                parts.append("{" + twig.label + "*" * twig.is_item)
                ahead.append(None)
                ahead.extend(reversed(twig.children))
        return "".join(parts)

    def copy(self) -> tuple[Twig, list[tuple[Twig, Twig]]]:
        """A copy, and the pairs (mine, the copy's)."""
        top = Twig(self.label, [], self.node, self.is_item)
        pairs = [(self, top)]
        for mine, its in pairs:
            for child in mine.children:
                its.children.append(Twig(child.label, [], child.node, child.is_item))
                pairs.append((child, its.children[-1]))
        return top, pairs


Pairs = list[tuple[Twig, Twig]]


def simple_tree_matching(left: Twig, right: Twig) -> tuple[int, Pairs]:
    """The largest matching that keeps order and level, and its size (Zhai & Liu, Figure 9).

    0 if the root labels differ, else 1 + M[m, n] with M[i, j] = max(M[i, j-1], M[i-1, j], M[i-1,
    j-1] + STM(left_i, right_j)). Traced back by trying j-1, then i-1, then the pair: among equals
    the earliest. Time and memory O(|left| · |right|), in the kernel; a `LimitError` where that is
    too much.

    >>> left, right = Twig.from_brackets("{p{c}}"), Twig.from_brackets("{p{c}{b}{c}}")
    >>> size, pairs = simple_tree_matching(left, right)
    >>> size, [twig.node for _, twig in pairs]
    (2, [0, 1])
    """
    numbers: dict[str, int] = {}
    return _matched(_flat(left, numbers), _flat(right, numbers))


class _Flat(NamedTuple):
    """A twig as the kernel takes it: preorder nodes, labels as numbers, ends of subtrees."""

    twigs: list[Twig]
    labels: list[int]
    ends: list[int]


def _flat(top: Twig, numbers: dict[str, int]) -> _Flat:
    twigs, parents, ahead = list[Twig](), list[int](), [(top, -1)]
    while ahead:
        twig, parent = ahead.pop()
        number = len(twigs)
        twigs.append(twig)
        parents.append(parent)
        ahead.extend((child, number) for child in reversed(twig.children))
    ends = list(range(1, len(twigs) + 1))
    for number in range(len(twigs) - 1, 0, -1):
        ends[parents[number]] = max(ends[parents[number]], ends[number])
    return _Flat(twigs, [numbers.setdefault(twig.label, len(numbers)) for twig in twigs], ends)


def _matched(left: _Flat, right: _Flat) -> tuple[int, Pairs]:
    size, pairs = _kernel.match_labels(
        (left.labels, left.ends), (right.labels, right.ends), True, DEFAULT_LIMITS
    )
    return size, [(left.twigs[one], right.twigs[other]) for one, other in pairs]


@dataclass(frozen=True, slots=True)
class Alignment:
    """`links[t]` maps twigs of tree t (by id) to twigs of `seed`; `rounds` counts the passes."""

    seed: Twig
    trees: tuple[Twig, ...]
    links: tuple[dict[int, Twig], ...]
    rounds: int
    left: tuple[int, ...]

    def columns(self) -> list[dict[int, int]]:
        """The items of each column as {tree: node}: the seed's order, then unaligned ones."""
        places = {id(twig): number for number, twig in enumerate(self.seed.walk())}
        found: dict[int, dict[int, int]] = {}
        left_over: list[dict[int, int]] = []
        for number, (tree, links) in enumerate(zip(self.trees, self.links, strict=True)):
            for twig in tree.walk():
                if twig.is_item:
                    if (partner := links.get(id(twig))) is not None:
                        found.setdefault(places[id(partner)], {})[number] = twig.node
                    else:
                        left_over.append({number: twig.node})
        return [found[place] for place in sorted(found)] + left_over


def partial_tree_alignment(trees: Sequence[Twig]) -> Alignment:
    """Lines trees up by growing a seed tree (Zhai & Liu, Figure 13). The trees are not changed.

    The seed is the tree with most items. Each other tree is matched with it; a run of unmatched
    siblings is inserted into the seed if its place is unique: between two consecutive seed
    siblings, after the last, before the first. Trees with runs left are tried again as long as a
    round brings something new. At most O(k²) matchings for k trees, nearly always k.
    """
    order = sorted(
        range(len(trees)), key=lambda number: -sum(twig.is_item for twig in trees[number].walk())
    )  # line 1
    seed, pairs = trees[order[0]].copy()  # line 2
    links: list[dict[int, Twig]] = [{} for _ in trees]
    links[order[0]] = {id(mine): its for mine, its in pairs}
    numbers: dict[str, int] = {}
    flat_seed, flat = _flat(seed, numbers), [_flat(tree, numbers) for tree in trees]
    waiting, again, is_new, rounds = deque(order[1:]), list[int](), False, 1  # line 3
    while waiting:  # line 4
        number = waiting.popleft()  # line 5
        _, matched = _matched(flat_seed, flat[number])  # line 6
        aligned = {id(mine): its for its, mine in matched}  # line 7
        inserted = (
            _insert_into_seed(trees[number], aligned)
            if len(aligned) < len(flat[number].twigs)
            else {}
        )  # lines 8-9
        if inserted:
            aligned.update(inserted)
            flat_seed = _flat(seed, numbers)
        if len(aligned) < len(flat[number].twigs):  # line 10
            again.append(number)  # line 11
        is_new = is_new or bool(inserted) or len(aligned) > len(links[number])  # lines 14-16
        links[number] = aligned
        if not waiting and is_new and again:  # lines 17-20
            waiting, again, is_new, rounds = deque(again), [], False, rounds + 1
    return Alignment(seed, tuple(trees), tuple(links), rounds, tuple(sorted(again)))


def _insert_into_seed(tree: Twig, aligned: dict[int, Twig]) -> dict[int, Twig]:
    """Inserts each run of unmatched siblings with a unique place, all found before inserting."""
    places: list[tuple[Twig, int, list[Twig]]] = []
    for parent in tree.walk():
        if id(parent) in aligned:
            places += _unique_places(parent.children, aligned[id(parent)], aligned)
    links: dict[int, Twig] = {}
    for above, at, run in reversed(places):  # right to left, so that the places stay true
        copies = [twig.copy() for twig in run]
        above.children[at:at] = [top for top, _ in copies]
        links.update((id(mine), its) for _, pairs in copies for mine, its in pairs)
    return links


def _unique_places(
    siblings: list[Twig], above: Twig, aligned: dict[int, Twig]
) -> list[tuple[Twig, int, list[Twig]]]:
    positions = {id(child): number for number, child in enumerate(above.children)}
    partners = [
        positions[id(aligned[id(twig)])] if id(twig) in aligned else None for twig in siblings
    ]
    found, start = [], 0
    while start < len(siblings):
        stop = start
        while stop < len(siblings) and partners[stop] is None:
            stop += 1
        if stop > start:
            before = partners[start - 1] if start else None
            after = partners[stop] if stop < len(siblings) else None
            is_between = before is not None and after == before + 1
            is_last = before is not None and after is None and before == len(above.children) - 1
            is_first = before is None and after == 0
            if is_between or is_last or is_first:
                found.append((above, 0 if before is None else before + 1, siblings[start:stop]))
        start = stop + 1
    return found


def centre_tree_alignment(trees: Sequence[Twig]) -> Alignment:
    """The baseline of §4.3: every tree matched with the centre, the most similar to all.

    Time O(k²) matchings, where partial tree alignment mostly needs k.
    """
    sums, numbers = [0] * len(trees), dict[str, int]()
    flat = [_flat(tree, numbers) for tree in trees]
    for number in range(len(trees)):
        for other in range(number):
            size, _ = _matched(flat[number], flat[other])
            sums[number] += size
            sums[other] += size
    centre = max(range(len(trees)), key=lambda number: (sums[number], -number))
    links = [{id(mine): its for its, mine in _matched(flat[centre], tree)[1]} for tree in flat]
    left = tuple(
        number
        for number, tree in enumerate(trees)
        if any(id(twig) not in links[number] for twig in tree.walk())
    )
    return Alignment(trees[centre], tuple(trees), tuple(links), 1, left)
