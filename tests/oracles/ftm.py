"""Flexible tree matching by its definition: the cost of a matching, and the cheapest of all
matchings of two tiny trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.oracles.zhang_shasha import PlainTree

Partners = dict[int, int]


@dataclass(frozen=True)
class Numbered:
    """A plain tree with its nodes numbered in document order from 0."""

    labels: tuple[str, ...]
    parents: tuple[int, ...]

    def children(self, node: int) -> set[int]:
        return {x for x, parent in enumerate(self.parents) if parent == node}

    def siblings(self, node: int) -> set[int]:
        return {x for x, parent in enumerate(self.parents) if parent == self.parents[node]}


def numbered(tree: PlainTree) -> Numbered:
    labels: list[str] = []
    parents: list[int] = []

    def visit(node: PlainTree, parent: int) -> None:
        number = len(labels)
        labels.append(node[0])
        parents.append(parent)
        for child in node[1]:
            visit(child, number)

    visit(tree, -1)
    return Numbered(tuple(labels), tuple(parents))


def ancestry(old: Numbered, new: Numbered, m: int, n: int, partner: Partners) -> float:
    back = {j: i for i, j in partner.items()}
    away = {x for x in old.children(m) if x in partner and partner[x] not in new.children(n)}
    return len(away) + len(
        {y for y in new.children(n) if y in back and back[y] not in old.children(m)}
    )


def siblings(old: Numbered, new: Numbered, m: int, n: int, partner: Partners) -> float:
    def one_way(me: Numbered, you: Numbered, m: int, n: int, partner: Partners) -> float:
        group = {x for x in me.siblings(m) if x in partner}
        inside = {x for x in group if partner[x] in you.siblings(n)}
        families = {you.parents[partner[x]] for x in group}
        return len(group - inside) / (len(inside) * len(families))

    return one_way(old, new, m, n, partner) + one_way(
        new, old, n, m, {j: i for i, j in partner.items()}
    )


def cost(
    old: Numbered,
    new: Numbered,
    partner: Partners,
    no_match: float,
    rename: float,
    w_ancestry: float,
    w_siblings: float,
) -> float:
    alone = len(old.labels) + len(new.labels) - 2 * len(partner)
    total = alone * no_match
    for m, n in partner.items():
        total += rename * (old.labels[m] != new.labels[n])
        total += w_ancestry * ancestry(old, new, m, n, partner) + w_siblings * siblings(
            old, new, m, n, partner
        )
    return total


def matchings(
    old: int, new: int, start: int = 0, free: frozenset[int] | None = None
) -> Iterator[Partners]:
    """Every full matching of two trees of so many nodes."""
    free = frozenset(range(new)) if free is None else free
    if start == old:
        yield {}
        return
    for rest in matchings(old, new, start + 1, free):
        yield rest
    for j in sorted(free):
        for rest in matchings(old, new, start + 1, free - {j}):
            yield {start: j} | rest
