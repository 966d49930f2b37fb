"""Shapes: what a subtree is made of, as a small set that is quickly compared; and the path to each
node as a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.oracles.records.view import FORMATTING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracles.records.view import PageView

MOST_NODES = 400
"""Nodes of a subtree that its shape looks at, so that shapes at all levels of a deep page stay
linear.
"""

_DRESS = FORMATTING - {"a", "span", "label"} | {"br", "wbr"}

Shape = frozenset[tuple[int, int]]


@dataclass(slots=True)
class Shapes:
    """The shapes of a page's subtrees: sets of (depth inside, tag with its parent's tag),
    formatting left out. Made on demand, kept.
    """

    view: PageView
    path: list[int] = field(init=False)
    pair: list[int] = field(init=False)
    _shapes: dict[int, Shape] = field(init=False, default_factory=dict)
    _same: dict[Shape, Shape] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        view = self.view
        paths: dict[tuple[int, str], int] = {}
        pairs: dict[tuple[str, str], int] = {}
        self.path, self.pair = [0] * len(view.tags), [-1] * len(view.tags)
        for index, (tag, parent) in enumerate(zip(view.tags, view.parents, strict=True)):
            self.path[index] = paths.setdefault((self.path[parent], tag), len(paths) + 1)
            if tag not in _DRESS and tag != "#other" and (tag != "#text" or index in view.texts):
                self.pair[index] = pairs.setdefault((view.tags[parent], tag), len(pairs))

    def of(self, index: int) -> Shape:
        """The shape of one subtree."""
        if index not in self._shapes:
            view, depth = self.view, self.view.depths[index]
            pair, depths = self.pair, view.depths
            stop = min(view.ends[index], index + MOST_NODES)
            shape = frozenset(
                (depths[node] - depth, pair[node]) for node in range(index, stop) if pair[node] >= 0
            )
            self._shapes[index] = self._same.setdefault(shape, shape)
        return self._shapes[index]

    def of_record(self, record: tuple[int, ...]) -> Shape:
        """The shape of a record of one or several nodes."""
        if len(record) == 1:
            return self.of(record[0])
        return frozenset().union(*(self.of(root) for root in record))

    def clusters(
        self, children: Sequence[int], thresholds: Sequence[float]
    ) -> list[list[list[int]]]:
        """For each threshold, the clusters (two members or more) of those children that have text:
        each joins the first cluster whose leader it is at least so similar to; the most frequent
        shapes lead. At most 40 leaders.
        """
        kinds: dict[tuple[str, Shape], list[int]] = {}
        for child in children:
            if self.view.tags[child] != "#text" and self.view.text_count(child):
                kinds.setdefault((self.view.tags[child], self.of(child)), []).append(child)
        order = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kinds[kind][0]))
        found = []
        for threshold in thresholds:
            leaders: list[tuple[tuple[str, Shape], list[int]]] = []
            for kind in order:
                for leader, members in leaders:
                    if leader[0] == kind[0] and alike(leader[1], kind[1]) >= threshold:
                        members.extend(kinds[kind])
                        break
                else:
                    if len(leaders) < 40:
                        leaders.append((kind, list(kinds[kind])))
            found.append([sorted(members) for _, members in leaders if len(members) > 1])
        return found

    def closeness(self, records: Sequence[tuple[int, ...]]) -> list[float]:
        """For each record, how alike it is to the others, on average over the (at most 12 most
        frequent) shapes there are.
        """
        shapes = [self.of_record(record) for record in records]
        counts: dict[Shape, int] = {}
        for shape in shapes:
            counts[shape] = counts.get(shape, 0) + 1
        common = sorted(counts, key=lambda shape: -counts[shape])[:12]
        total = sum(counts[shape] for shape in common)
        known = {
            shape: sum(counts[other] * alike(shape, other) for other in common) / total
            for shape in counts
        }
        return [known[shape] for shape in shapes]


def alike(left: Shape, right: Shape) -> float:
    """2 |left ∩ right| / (|left| + |right|), by Dice."""
    if left is right:
        return 1.0
    return 2 * len(left & right) / (len(left) + len(right) or 1)
