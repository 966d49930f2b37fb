"""MDR's data regions: runs of adjacent, similar generalized nodes below one parent, and the records in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from treelace.extract.tag_strings import normalised_distance
from treelace.extract.view import FORMATTING, UNSEEN
from treelace.tree import Kind

if TYPE_CHECKING:
    from treelace.render.boxes import Box
    from treelace.tree import Tree


class DataRegion(NamedTuple):
    """Generalized nodes of `size` children each; `start` is the first child from 1, `covered` how many children it covers."""

    parent: int
    size: int
    start: int
    covered: int


@dataclass(frozen=True)
class TagTree:
    """The elements of a page, as MDR compares them: `children[i]`, and the tag string of a subtree (its start tags in preorder, no text).

    Elements whose contents no one sees are left out.
    """

    tree: Tree
    children: list[list[int]]
    levels: list[int]
    names: list[int]
    elements: list[int]
    before: list[int]
    ends: list[int]
    boxes: Mapping[int, Box] = field(default_factory=dict)
    """Where elements stand on the screen, for MDR-2; empty for MDR."""
    _known: dict[tuple[int, int, int, int], float] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: Tree) -> TagTree:
        """The tag tree of a page."""
        kinds, ends, names = tree.kinds.tolist(), tree.ends.tolist(), tree.name_ids.tolist()
        parents = [0, *tree.parents[1:].tolist()]
        unseen = {number for number, name in enumerate(tree.names) if name.local in UNSEEN}
        children: list[list[int]] = [[] for _ in kinds]
        elements: list[int] = []
        before, hidden_until = [0] * (len(kinds) + 1), 0
        for index, kind in enumerate(kinds):
            before[index] = len(elements)
            if index < hidden_until or kind != Kind.ELEMENT:
                continue
            if names[index] in unseen:
                hidden_until = ends[index]
                continue
            elements.append(index)
            children[parents[index]].append(index)
        before[len(kinds)] = len(elements)
        levels = [1] * len(kinds)
        for index in reversed(elements):
            levels[parents[index]] = max(levels[parents[index]], levels[index] + 1)
        return cls(tree, children, levels, names, elements, before, ends)

    @cached_property
    def parents(self) -> dict[int, int]:
        """The parent of each element."""
        return {child: node for node, below in enumerate(self.children) for child in below}

    def tag_string(self, first: int, last: int) -> list[int]:
        """The tags of the adjacent siblings `first` to `last` with all below them, as numbers."""
        return [self.names[node] for node in self.elements[self.before[first] : self.before[self.ends[last]]]]

    def distance(self, left: tuple[int, ...], right: tuple[int, ...]) -> float:
        """Normalised edit distance of two runs of adjacent siblings."""
        key = (left[0], left[-1], right[0], right[-1])
        if key not in self._known:
            self._known[key] = normalised_distance(self.tag_string(left[0], left[-1]), self.tag_string(right[0], right[-1]))
        return self._known[key]


def comparisons(count: int, most: int) -> Iterator[tuple[int, int]]:
    """CombComp: (size, start) of every comparison among `count` children; the run at `start` is compared with the one right after it.

    Each run of each size from each offset once: for ten children and `most` = 3, 21 comparisons.
    """
    for start in range(1, most + 1):  # lines 1-2: from each child that a first generalized node can start at
        for size in range(start, most + 1):  # line 3
            left = start
            while left + 2 * size - 1 <= count:  # lines 4-7
                yield size, left
                left += size


Rule = Callable[["TagTree", Sequence[tuple[int, ...]]], bool]
"""Whether these generalized nodes may be a region; MDR-2 has the gap rule."""


def regions_below(tags: TagTree, parent: int, *, most: int, threshold: float, rule: Rule | None = None) -> list[DataRegion]:
    """IdentDRs: the regions among the children of one node, left to right, none overlapping.

    The best from a start is the one that covers most children, the smaller generalized node where two cover the same, and one that
    covers more but starts later does not replace it. A combination that breaks the `rule` is none.
    """
    children = tags.children[parent]
    similar = {
        (size, left): tags.distance(tuple(children[left - 1 : left - 1 + size]), tuple(children[left - 1 + size : left - 1 + 2 * size])) <= threshold
        for size, left in comparisons(len(children), most)
    }
    found, start = [], 1
    while start < len(children):
        best: DataRegion | None = None
        for size in range(1, most + 1):
            for first in range(start, start + size):
                current = _run(similar, size, first, parent, len(children))
                if current and size > 1 and rule is not None and not rule(tags, groups_of(tags, current)):
                    continue
                if current and (best is None or (current.covered > best.covered and current.start <= best.start)):
                    best = current
        if best is None:
            break
        found.append(best)
        start = best.start + best.covered
    return found


def _run(similar: dict[tuple[int, int], bool], size: int, first: int, parent: int, count: int) -> DataRegion | None:
    """The first run of similar generalized nodes of one size, scanning from `first` in steps of `size`."""
    current: DataRegion | None = None
    for left in range(first, count - 2 * size + 2, size):
        if similar.get((size, left), False):
            current = DataRegion(parent, size, left, 2 * size) if current is None else current._replace(covered=current.covered + size)
        elif current is not None:
            break
    return current


def data_regions(tags: TagTree, *, most: int = 10, threshold: float = 0.3, nested: bool = False, rule: Rule | None = None) -> list[DataRegion]:
    """FindDRs: the regions of a page. A node is looked at only if its subtree has three levels or more.

    Below a region nothing more is looked for, as in the paper, unless `nested`.
    """
    found: list[DataRegion] = []
    ahead = [0]
    while ahead:
        node = ahead.pop()
        own = regions_below(tags, node, most=most, threshold=threshold, rule=rule) if tags.levels[node] >= 3 and node else []
        found += own
        covered = {number for region in own for number in range(region.start, region.start + region.covered)}
        ahead += [child for number, child in enumerate(tags.children[node], start=1) if nested or number not in covered]
    return sorted(found, key=lambda region: (tags.children[region.parent][region.start - 1], region.size))


# records


def records_of(tags: TagTree, regions: list[DataRegion], *, threshold: float = 0.3) -> list[list[tuple[int, ...]]]:
    """The records of each region, regions in order; the nodes of a record need not be adjacent. Adjacent regions with equally many
    generalized nodes are one list, cut in two or more (§3.4.2): their records are joined one by one."""
    lists: list[list[tuple[int, ...]]] = []
    last: DataRegion | None = None
    covered = {child for region in regions for group in groups_of(tags, region) for child in group}
    for region in regions:
        records = _records_in(tags, region, threshold)
        is_next_part = (
            last is not None
            and _are_adjacent(tags, last, region, covered)
            and last.covered // last.size == region.covered // region.size == len(records) == len(lists[-1])
        )
        if is_next_part:
            lists[-1] = [left + right for left, right in zip(lists[-1], records, strict=True)]
        else:
            lists.append(_with_left_over(tags, region, records, threshold))
        last = region
    return lists


def _are_adjacent(tags: TagTree, left: DataRegion, right: DataRegion, covered: set[int]) -> bool:
    """One follows the other among the children of one parent; or they are two rows side by side, each a region from end to end, that are
    no generalized nodes of a region themselves (Figure 7)."""
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
    return [record for group in groups_of(tags, region) for record in _records_of_group(tags, group, threshold)]


def _records_of_group(tags: TagTree, group: tuple[int, ...], threshold: float) -> list[tuple[int, ...]]:
    """FindRecords-1 and -n: the record that a generalized node is, or the records it holds."""
    inside = [tags.children[node] for node in group]
    are_alike = all(len(cells) > 1 and all(tags.distance((left,), (right,)) <= threshold for left, right in pairwise(cells)) for cells in inside)
    if not are_alike or len({len(cells) for cells in inside}) > 1:
        return [group]
    if len(group) == 1 and _is_data_row(tags, group[0]):
        return [group]
    return list(zip(*inside, strict=True))  # one node: each child; several: the i-th children together (§3.4.1)


def _is_data_row(tags: TagTree, node: int) -> bool:
    """A row of a table of data: a `tr` whose cells hold no elements but formatting. The paper leaves the words open."""
    if tags.tree[node].tag != "tr":
        return False
    return all(tags.tree[below].tag in FORMATTING | {"br", "img"} for cell in tags.children[node] for below in tags.children[cell])


def _with_left_over(tags: TagTree, region: DataRegion, records: list[tuple[int, ...]], threshold: float) -> list[tuple[int, ...]]:
    """The records with those of the two nodes next to the region that are, or hold, what is similar to a record found (the last row of a
    grid has fewer cells, so it is no generalized node of the region)."""
    if any(len(record) != 1 for record in records):
        return records
    siblings = tags.children[region.parent]
    beside = [(region.start - 2, 0), (region.start + region.covered - 1, len(records))]
    for number, place in reversed(beside):
        if 0 <= number < len(siblings):
            node = siblings[number]
            accepted = [child for child in (node, *tags.children[node]) if tags.distance((child,), records[0]) <= threshold]
            if node in accepted:
                accepted = [node]
            records = [*records[:place], *((child,) for child in accepted), *records[place:]]
    return records
