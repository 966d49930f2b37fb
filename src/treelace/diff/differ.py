"""diff: from a matching to a delta."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from treelace.diff.delta import Attribute, Delete, Delta, Insert, Operation, Update, content_of, digest, post_order, subtree_of
from treelace.matching import match

if TYPE_CHECKING:
    from treelace.matching import Matcher
    from treelace.tree import Tree


def diff(old: Tree, new: Tree, *, matcher: str | Matcher = "same-path") -> Delta:
    """The delta from `old` to `new`.

    A pair of the matching is kept where kind and name are equal, the parents are kept and paired, and the order among the kept
    siblings is the same (longest increasing run); what is not kept is deleted and inserted. Law: `diff(a, b).apply(a) == b`.
    """
    if digest(old) == digest(new):
        return Delta(digest(old), digest(new), ())
    partner = dict(match(old, new, matcher).pairs)
    kept = _kept(old, new, partner)
    xid = {index: number for number, index in enumerate(post_order(old), start=1)} | {0: 0}
    return Delta(digest(old), digest(new), tuple(_operations(old, new, kept, xid)))


def _kept(old: Tree, new: Tree, partner: dict[int, int]) -> dict[int, int]:
    """Old index to new index of the nodes that stay, parents before children."""
    kept = {0: 0}
    waiting = [0]
    while waiting:
        parent = waiting.pop()
        places = {child.index: place for place, child in enumerate(new[kept[parent]].children)}
        pairs = []
        for child in old[parent].children:
            other = partner.get(child.index, -1)
            if other in places and (child.kind, child.name) == (new[other].kind, new[other].name):
                pairs.append((child.index, other, places[other]))
        for index, other, _ in _longest_increasing(pairs):
            kept[index] = other
            waiting.append(index)
    return kept


def _longest_increasing(pairs: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    tails: list[int] = []
    chain: list[int] = []
    before: list[int] = []
    for number, (_, _, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        before.append(chain[length - 1] if length else -1)
        tails[length : length + 1] = [place]
        chain[length : length + 1] = [number]
    run = []
    number = chain[-1] if chain else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _operations(old: Tree, new: Tree, kept: dict[int, int], xid: dict[int, int]) -> list[Operation]:
    operations: list[Operation] = []
    stays = set(kept.values())
    for index, other in sorted(kept.items()):
        _, _, old_text, old_attributes = content_of(old[index])
        _, _, new_text, new_attributes = content_of(new[other])
        if old_text != new_text:
            operations.append(Update(xid[index], old_text, new_text))
        if old_attributes != new_attributes:
            before, after = dict(old_attributes), dict(new_attributes)
            changed = [name for name in before | after if before.get(name) != after.get(name)]
            operations += [Attribute(xid[index], name, before.get(name), after.get(name)) for name in changed]
        for place, child in enumerate(old[index].children, start=1):
            if child.index not in kept:
                operations.append(Delete(xid[child.index], xid[index], place, subtree_of(child)))
        for place, child in enumerate(new[other].children, start=1):
            if child.index not in stays:
                operations.append(Insert(xid[index], place, subtree_of(child)))
    return operations
