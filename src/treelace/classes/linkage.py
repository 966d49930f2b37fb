"""Groups by their nearest pages: single linkage, cut where both sides are more than a stray page.

A page belongs with the page it is most like. The chain of such ties, from the strongest to the
weakest, is a tree of mergers (a spanning tree of the similarities, found by Prim's method); cutting
it from the top gives any number of groups. Plain single linkage spends its cuts on single odd
pages; here a cut counts only if both sides have two pages or more, and what is left over stays with
the page it is most like.

Tried beside it on pages with known classes: average, complete and weighted linkage, and k-medoids
(docs/explanation/classes.md).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Mergers:
    """The tree of mergers: nodes below `count` are pages, node `count + i` joins `left[i]` and
    `right[i]` at `similarity[i]`, strongest first.
    """

    count: int
    left: list[int]
    right: list[int]
    similarity: list[float]
    size: list[int]
    """How many pages are below each node."""

    def pages(self, node: int) -> list[int]:
        """The pages below a node, ascending."""
        found, stack = [], [node]
        while stack:
            node = stack.pop()
            if node < self.count:
                found.append(node)
            else:
                stack += (self.left[node - self.count], self.right[node - self.count])
        return sorted(found)

    def split(self, node: int, least: int) -> tuple[float, int, int] | None:
        """The first merger below a node whose sides have `least` pages: similarity and sides."""
        while node >= self.count:
            at = node - self.count
            left, right = self.left[at], self.right[at]
            if min(self.size[left], self.size[right]) >= least:
                return self.similarity[at], left, right
            node = left if self.size[left] >= self.size[right] else right
        return None


def mergers(matrix: Matrix) -> Mergers:
    """The tree of mergers by these similarities, ties to the earlier page. O(n²), memory O(n)."""
    count = len(matrix)
    size = [1] * count
    left, right, strength = [], [], []
    top = list(range(count))  # the node that holds each page's group, at the group's first page
    group = list(range(count))

    def first(page: int) -> int:
        while group[page] != page:
            group[page] = group[group[page]]
            page = group[page]
        return page

    for similarity, one, other in sorted(_ties(matrix), key=lambda tie: (-tie[0], tie[1], tie[2])):
        one, other = sorted((first(one), first(other)))
        left.append(top[one])
        right.append(top[other])
        strength.append(similarity)
        size.append(size[top[one]] + size[top[other]])
        group[other] = one
        top[one] = count + len(left) - 1
    return Mergers(count, left, right, strength, size)


def _ties(matrix: Matrix) -> Iterator[tuple[float, int, int]]:
    """The ties of a strongest spanning tree (Prim): (similarity, page inside, page joined)."""
    import numpy as np

    count = len(matrix)
    if count == 0:
        return
    is_in = np.zeros(count, dtype=bool)
    is_in[0] = True
    best, inside = np.array(matrix[0], dtype=np.float64), np.zeros(count, dtype=np.int64)
    for _ in range(count - 1):
        page = int(np.where(is_in, -np.inf, best).argmax())
        yield float(best[page]), int(inside[page]), page
        is_in[page] = True
        nearer = matrix[page] > best
        best = np.where(nearer, matrix[page], best)
        inside = np.where(nearer, page, inside)


@dataclass(slots=True)
class Partition:
    """Groups that are split one by one, the loosest first."""

    matrix: Matrix
    tree: Mergers
    least: int = 2
    labels: Labels = field(init=False)
    _nodes: list[int] = field(init=False, default_factory=list)
    _heap: list[tuple[float, int, int, int]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        import numpy as np

        self.labels = np.zeros(self.tree.count, dtype=np.int64)
        self._nodes = [max(2 * self.tree.count - 2, 0)]
        self._offer(0)

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self._nodes)

    @property
    def weakest(self) -> float | None:
        """The lowest similarity that holds a group together; None where none can be split."""
        return self._heap[0][0] if self._heap else None

    def split(self) -> tuple[int, int]:
        """Splits the loosest group: its number stays with one side, the other gets the next.
        Left-over pages go with the page they are most like.
        """
        import numpy as np

        _, number, left, right = heapq.heappop(self._heap)
        members = np.flatnonzero(self.labels == number)
        sides = (np.array(self.tree.pages(left)), np.array(self.tree.pages(right)))
        other = len(self._nodes)
        rest = np.setdiff1d(members, np.concatenate(sides))
        if len(rest):
            near = [self.matrix[np.ix_(rest, side)].max(axis=1) for side in sides]
            self.labels[rest[near[1] > near[0]]] = other
        self.labels[sides[1]] = other
        self._nodes[number] = left
        self._nodes.append(right)
        self._offer(number)
        self._offer(other)
        return number, other

    def split_off_pages(self) -> None:
        """From here on a single page counts as a group."""
        self.least, self._heap = 1, []
        for number in range(self.count):
            self._offer(number)

    def _offer(self, number: int) -> None:
        found = self.tree.split(self._nodes[number], self.least)
        if found is not None:
            heapq.heappush(self._heap, (found[0], number, found[1], found[2]))


def cut_to(matrix: Matrix, count: int) -> Labels:
    """So many groups; only where there are not enough groups of two pages, also single ones."""
    tree = mergers(matrix)
    groups = Partition(matrix, tree)
    while groups.count < count:
        if groups.weakest is None:
            # left-over pages cannot be split off from the page they went with: then, in the end,
            # from the start and one by one
            groups = Partition(matrix, tree, 1) if groups.least == 1 else groups
            groups.split_off_pages()
        groups.split()
    return groups.labels


def cut_at(matrix: Matrix, threshold: float) -> Labels:
    """Groups of pages chained by similarities of at least `threshold`; some of one page."""
    groups = Partition(matrix, mergers(matrix), 1)
    while groups.weakest is not None and groups.weakest < threshold:
        groups.split()
    return groups.labels


def cut_best(matrix: Matrix, *, alike: float, enough: float, most: int = 100) -> Labels:
    """As many groups as give the greatest mean silhouette; one if that is below `enough`.

    The silhouette of a page is (b − a) / max(a, b), with a its mean distance to its own group and b
    that to the nearest other one (Rousseeuw 1987). Groups tied by `alike` or more are never split,
    however crisp the difference, and there are `most` at most. Of equally good numbers the
    smallest. Time O(n² · depth of the splits), memory O(n · most) beside the matrix.
    """
    import numpy as np

    distances = 1.0 - matrix
    groups = Partition(matrix, mergers(matrix))
    best, found = enough, groups.labels.copy()
    sums = [distances.sum(axis=1)]
    while groups.weakest is not None and groups.weakest < alike and groups.count < most:
        old, new = groups.split()
        sums.append(distances[:, groups.labels == new].sum(axis=1))
        sums[old] = sums[old] - sums[new]
        value = _silhouette(np.column_stack(sums), groups.labels)
        if value > best + 1e-9:
            best, found = value, groups.labels.copy()
    return found


def _silhouette(sums: Matrix, labels: Labels) -> float:
    """The mean silhouette, from each page's sum of distances to each group."""
    import numpy as np

    rows = np.arange(len(labels))
    sizes = np.bincount(labels, minlength=sums.shape[1])
    own = sizes[labels]
    inside = sums[rows, labels] / np.maximum(own - 1, 1)
    means = sums / sizes
    means[rows, labels] = np.inf
    outside = means.min(axis=1)
    values = (outside - inside) / np.maximum(np.maximum(inside, outside), 1e-12)
    return float(np.where(own > 1, values, 0.0).mean())


def cut_average(matrix: Matrix, *, threshold: float, tight: float) -> Labels:
    """Groups whose pages are `threshold` alike in the mean: the two groups that are most alike are
    joined, again and again (UPGMA). Pages chained by `tight` or more are of one group from the
    start. Unlike a chain, a few pages in between do not join two kinds. Of equal pairs the first.
    Time O(n²) a merger.
    """
    import numpy as np

    labels = cut_at(matrix, tight)
    numbers = np.unique(labels)
    member = (labels[None, :] == numbers[:, None]).astype(np.float64)
    sums, sizes = member @ matrix @ member.T, member.sum(axis=1)
    means = sums / np.outer(sizes, sizes)
    np.fill_diagonal(means, -1.0)
    is_there = np.ones(len(means), dtype=bool)
    while means.max(initial=-1.0) >= threshold:
        kept, lost = sorted(divmod(int(means.argmax()), len(means)))
        labels[labels == numbers[lost]] = numbers[kept]
        sums[kept] += sums[lost]
        sums[:, kept] += sums[:, lost]
        sizes[kept] += sizes[lost]
        is_there[lost] = False
        means[kept] = np.where(is_there, sums[kept] / (sizes[kept] * sizes), -1.0)
        means[:, kept] = means[kept]
        means[kept, kept] = means[lost] = means[:, lost] = -1.0
    return labels
