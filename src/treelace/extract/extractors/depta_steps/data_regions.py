"""MDR's data regions: runs of adjacent, similar generalized nodes below one parent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from treelace.extract.extractors.depta_steps.tag_strings import TagStrings
from treelace.extract.page.page_view import FORMATTING

if TYPE_CHECKING:
    from treelace.extract.page.page_view import PageView
    from treelace.render.boxes import Box

Run = tuple[int, ...]
"""Adjacent siblings."""


class DataRegion(NamedTuple):
    """Generalized nodes of `size` children each, from child `start` (from 1), `covered` in all."""

    parent: int
    size: int
    start: int
    covered: int


@dataclass(frozen=True)
class TagTree:
    """A page's elements as MDR compares them: `children[i]`, and tag strings without text."""

    view: PageView
    children: list[list[int]]
    levels: list[int]
    elements: list[int]
    before: list[int]
    ends: list[int]
    boxes: Mapping[int, Box] = field(default_factory=dict)
    """Where elements stand on the screen, for MDR-2; empty for MDR."""

    @classmethod
    def of(cls, view: PageView) -> TagTree:
        """The tag tree of a page as its tags nest."""
        return cls.nested(view, view.elements, view.parents, view.ends)

    @classmethod
    def nested(
        cls,
        view: PageView,
        elements: list[int],
        parents: Sequence[int],
        ends: list[int],
        boxes: Mapping[int, Box] | None = None,
    ) -> TagTree:
        """The tag tree of these elements; `parents` and `ends` say how they nest."""
        size = len(ends)
        children: list[list[int]] = [[] for _ in range(size)]
        levels = [1] * size
        for node in elements:
            children[parents[node]].append(node)
        for node in reversed(elements):
            levels[parents[node]] = max(levels[parents[node]], levels[node] + 1)
        before, count, known = [0] * (size + 1), 0, set(elements)
        for node in range(size):
            before[node] = count
            count += node in known
        before[size] = count
        return cls(view, children, levels, elements, before, ends, boxes or {})

    @cached_property
    def parents(self) -> dict[int, int]:
        """The parent of each element."""
        return {child: node for node, below in enumerate(self.children) for child in below}

    @cached_property
    def strings(self) -> TagStrings:
        """The tags of all elements."""
        tags = self.view.core.tags.tolist()
        return TagStrings([tags[node] for node in self.elements])

    def part(self, run: Run) -> tuple[int, int]:
        """Where the tag string of adjacent siblings, with all below them, starts and ends."""
        return self.before[run[0]], self.before[self.ends[run[-1]]]

    def distances(self, pairs: Sequence[tuple[Run, Run]]) -> list[float]:
        """Normalised edit distances of pairs of runs of adjacent siblings."""
        return self.strings.distances(
            [(self.part(left), self.part(right)) for left, right in pairs]
        )

    def distance(self, left: Run, right: Run) -> float:
        """The distance of one pair."""
        return self.distances([(left, right)])[0]


def comparisons(count: int, most: int) -> Iterator[tuple[int, int]]:
    """CombComp: (size, start) of every comparison of the run at `start` with the next one.

    Each run of each size from each offset once: for ten children and `most` = 3, 21 comparisons.
    """
    for start in range(
        1, most + 1
    ):  # lines 1-2: from each child that a first generalized node can start at
        for size in range(start, most + 1):  # line 3
            left = start
            while left + 2 * size - 1 <= count:  # lines 4-7
                yield size, left
                left += size


Rule = Callable[["TagTree", Sequence[tuple[int, ...]]], bool]
"""Whether these generalized nodes may be a region; MDR-2 has the gap rule."""


def regions_below(
    tags: TagTree,
    parent: int,
    *,
    most: int,
    threshold: float,
    rule: Rule | None = None,
    least_gain: float = 1.0,
    prefer_equal: bool = False,
) -> list[DataRegion]:
    """IdentDRs: the regions among the children of one node, left to right, none overlapping.

    The best from a start is the one that covers most children, the smaller generalized node where
    two cover the same, and one that covers more but starts later does not replace it. A combination
    that breaks the `rule` is none. A larger generalized node has to cover more than `least_gain`
    times what the smaller one covers; as printed, 1. With `prefer_equal` it also wins where both
    cover the same and only the larger ones are equal to each other.
    """
    children = tags.children[parent]
    runs = _runs(tags, children, most, threshold)
    found, start = [], 1
    while start < len(children):
        best: DataRegion | None = None
        for size, of_size in runs.items():
            for first in range(start, min(start + size, len(of_size))):
                left, count = of_size[first]
                current = DataRegion(parent, size, left, (count + 1) * size) if count else None
                if (
                    current
                    and size > 1
                    and rule is not None
                    and not rule(tags, groups_of(tags, current))
                ):
                    continue
                if current and (
                    best is None
                    or _is_better(current, best, least_gain)
                    or (prefer_equal and _takes_turns(tags, current, best))
                ):
                    best = current
        if best is None:
            break
        found.append(best)
        start = best.start + best.covered
    return found


def _is_better(current: DataRegion, best: DataRegion, least_gain: float) -> bool:
    gain = least_gain if current.size > best.size else 1.0
    return current.covered > gain * best.covered and current.start <= best.start


def _takes_turns(tags: TagTree, current: DataRegion, best: DataRegion) -> bool:
    """Whether the smaller generalized nodes of the same children are alike, but take turns: title,
    text, title, text. Then the larger ones are all equal, and there are three or more.
    """
    is_same = (current.start, current.covered) == (best.start, best.covered)
    if not is_same or current.size <= best.size or current.covered < 3 * current.size:
        return False
    return _is_equal(tags, current) and not _is_equal(tags, best)


def _is_equal(tags: TagTree, region: DataRegion) -> bool:
    return not any(tags.distances(list(pairwise(groups_of(tags, region)))))


def _runs(
    tags: TagTree, children: list[int], most: int, threshold: float
) -> dict[int, list[tuple[int, int]]]:
    """For each size and each child (from 1) the first run of similar generalized nodes, scanning
    from there in steps of the size: where it starts, and how many comparisons it holds.
    """
    places = list(comparisons(len(children), most))
    parts = [((left, left + size - 1), (left + size, left + 2 * size - 1)) for size, left in places]
    runs = [
        tuple((children[first - 1], children[last - 1]) for first, last in pair) for pair in parts
    ]
    distances = tags.distances([(left, right) for left, right in runs])
    similar = {
        place for place, distance in zip(places, distances, strict=True) if distance <= threshold
    }
    found: dict[int, list[tuple[int, int]]] = {}
    for size in range(1, min(most, len(children) // 2) + 1):
        last = len(children) - 2 * size + 1
        of_size = [(0, 0)] * (last + 1)
        for left in range(last, 0, -1):
            after = of_size[left + size] if left + size <= last else (0, 0)
            if (size, left) in similar:
                of_size[left] = (left, after[1] + 1 if after[0] == left + size else 1)
            else:
                of_size[left] = after
        found[size] = of_size
    return found


def data_regions(
    tags: TagTree,
    *,
    most: int = 10,
    threshold: float = 0.3,
    nested: bool = False,
    rule: Rule | None = None,
    least_gain: float = 1.0,
    prefer_equal: bool = False,
) -> list[DataRegion]:
    """FindDRs: the regions of a page, at nodes whose subtree has three levels or more.

    Below a region nothing more is looked for, as in the paper, unless `nested`.
    """
    found: list[DataRegion] = []
    ahead = [0]
    while ahead:
        node = ahead.pop()
        own = (
            regions_below(
                tags,
                node,
                most=most,
                threshold=threshold,
                rule=rule,
                least_gain=least_gain,
                prefer_equal=prefer_equal,
            )
            if tags.levels[node] >= 3 and node
            else []
        )
        found += own
        covered = {
            number
            for region in own
            for number in range(region.start, region.start + region.covered)
        }
        ahead += [
            child
            for number, child in enumerate(tags.children[node], start=1)
            if nested or number not in covered
        ]
    return sorted(
        found, key=lambda region: (tags.children[region.parent][region.start - 1], region.size)
    )


# records


def records_of(
    tags: TagTree, regions: list[DataRegion], *, threshold: float = 0.3
) -> list[list[tuple[int, ...]]]:
    """The records of each region, regions in order; the nodes of a record need not be adjacent.
    Adjacent regions with equally many generalized nodes are one list, cut in two or more (§3.4.2):
    their records are joined one by one.
    """
    lists: list[list[tuple[int, ...]]] = []
    last: DataRegion | None = None
    covered = {child for region in regions for group in groups_of(tags, region) for child in group}
    for region in regions:
        records = _records_in(tags, region, threshold)
        is_next_part = (
            last is not None
            and _are_adjacent(tags, last, region, covered)
            and last.covered // last.size
            == region.covered // region.size
            == len(records)
            == len(lists[-1])
        )
        if is_next_part:
            lists[-1] = [left + right for left, right in zip(lists[-1], records, strict=True)]
        else:
            lists.append(_with_left_over(tags, region, records, threshold))
        last = region
    return lists


def _are_adjacent(tags: TagTree, left: DataRegion, right: DataRegion, covered: set[int]) -> bool:
    """One follows the other among the children of one parent; or they are two rows side by side,
    each a region from end to end, that are no generalized nodes of a region themselves (Figure
    7).
    """
    if left.parent == right.parent:
        return left.start + left.covered == right.start
    are_whole = all(len(tags.children[region.parent]) == region.covered for region in (left, right))
    if not are_whole or left.parent in covered or right.parent in covered:
        return False
    above = tags.parents.get(left.parent)
    if above is None or tags.parents.get(right.parent) != above:
        return False
    siblings = tags.children[above]
    return siblings.index(right.parent) == siblings.index(left.parent) + 1


def groups_of(tags: TagTree, region: DataRegion) -> list[tuple[int, ...]]:
    """The generalized nodes of a region."""
    children = tags.children[region.parent][region.start - 1 : region.start - 1 + region.covered]
    return [tuple(children[at : at + region.size]) for at in range(0, len(children), region.size)]


def _records_in(tags: TagTree, region: DataRegion, threshold: float) -> list[tuple[int, ...]]:
    return [
        record
        for group in groups_of(tags, region)
        for record in _records_of_group(tags, group, threshold)
    ]


def _records_of_group(
    tags: TagTree, group: tuple[int, ...], threshold: float
) -> list[tuple[int, ...]]:
    """FindRecords-1 and -n: the record that a generalized node is, or the records it holds."""
    inside = [tags.children[node] for node in group]
    if len(inside[0]) < 2 or len({len(cells) for cells in inside}) > 1:
        return [group]
    if any(
        distance > threshold
        for distance in tags.distances(
            [((left,), (right,)) for cells in inside for left, right in pairwise(cells)]
        )
    ):
        return [group]
    if len(group) == 1 and _is_data_row(tags, group[0]):
        return [group]
    return list(
        zip(*inside, strict=True)
    )  # one node: each child; several: the i-th children together (§3.4.1)


def _is_data_row(tags: TagTree, node: int) -> bool:
    """A table row of data: its cells hold only formatting. The paper leaves the words open."""
    if tags.view.tags[node] != "tr":
        return False
    return all(
        tags.view.tags[below] in FORMATTING | {"br", "img"}
        for cell in tags.children[node]
        for below in tags.children[cell]
    )


def _with_left_over(
    tags: TagTree, region: DataRegion, records: list[tuple[int, ...]], threshold: float
) -> list[tuple[int, ...]]:
    """The records with those of the two nodes next to the region that are, or hold, what is similar
    to a record found (the last row of a grid has fewer cells, so it is no generalized node of the
    region).
    """
    if any(len(record) != 1 for record in records):
        return records
    siblings = tags.children[region.parent]
    beside = [(region.start - 2, 0), (region.start + region.covered - 1, len(records))]
    for number, place in reversed(beside):
        if 0 <= number < len(siblings):
            node = siblings[number]
            near = [node, *tags.children[node]]
            distances = tags.distances([((child,), records[0]) for child in near])
            accepted = [
                child
                for child, distance in zip(near, distances, strict=True)
                if distance <= threshold
            ]
            if node in accepted:
                accepted = [node]
            records = [*records[:place], *((child,) for child in accepted), *records[place:]]
    return records
