"""How near a delta comes to the perfect one: bytes, moves, text updates.

Moves are counted where the moved content is unique in both versions and has at least 60 bytes, by
the XID of the moved root. One choice is a tie, right for what was found and hit for what was to be
found: among the children of one parent, other siblings of no more weight that explain the new order
as well (`ties`). Content that is unique has no equal subtree to be taken for.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treelace.diff.operations import Move, Update
from treelace.tree import Kind

if TYPE_CHECKING:
    from treelace.diff import Delta
    from treelace.testing.simulate import Simulation
    from treelace.tree import Node, Tree

LEAST_BYTES = 60


@dataclass(slots=True)
class Scores:
    """Sums over documents."""

    bytes: int = 0
    perfect_bytes: int = 0
    ratios: list[float] = field(default_factory=list)
    moves: Counter[str] = field(default_factory=Counter)
    away: Counter[str] = field(default_factory=Counter)
    updates: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def share(counted: Counter[str], part: str, whole: str) -> float:
        """A share; 1.0 where there is nothing to count."""
        return counted[part] / counted[whole] if counted[whole] else 1.0

    def line(self) -> str:
        """The figures in one line."""
        precision, recall = (
            self.share(self.moves, "right", "found"),
            self.share(self.moves, "hit", "true"),
        )
        other = self.share(self.away, "right", "found")
        updates = self.share(self.updates, "hit", "true")
        return (
            f"delta/perfect {self.bytes / max(1, self.perfect_bytes):.3f}, moves"
            f" {precision:.3f}/{recall:.3f} of {self.moves['true']}, to another parent {other:.3f}"
            f" of {self.away['found']}, updates {updates:.3f} of {self.updates['true']}"
        )


def delta_bytes(delta: Delta) -> int:
    """Bytes of the XML form, all of them: envelope, digests and XID maps too."""
    return len(delta.to_xml().encode())


def add(scores: Scores, made: Simulation, delta: Delta) -> None:
    """Adds one document: what was simulated, and what was found."""
    own, perfect = delta_bytes(delta), delta_bytes(made.delta)
    scores.bytes += own
    scores.perfect_bytes += perfect
    scores.ratios.append(own / perfect)
    index_of = {xid: index for index, xid in enumerate(delta.old_xids(made.old).of.tolist())}
    unique = unique_content(made.old, made.new)
    true, found = moved_roots(made.delta), moved_roots(delta)
    tied = ties(made, true, found, index_of)
    for xid in found:
        if counts(made.old[index_of[xid]], unique):
            is_right = xid in true or xid in tied
            scores.moves["found"] += 1
            scores.moves["right"] += is_right
            if found[xid]:
                scores.away["found"] += 1
                scores.away["right"] += is_right
    for xid in true:
        if counts(made.old[index_of[xid]], unique):
            scores.moves["true"] += 1
            scores.moves["hit"] += xid in found or xid in tied
    true_updates = {op.xid for op in made.delta.operations if isinstance(op, Update)}
    own_updates = {op.xid for op in delta.operations if isinstance(op, Update)}
    scores.updates["true"] += len(true_updates)
    scores.updates["hit"] += len(true_updates & own_updates)


def moved_roots(delta: Delta) -> dict[int, bool]:
    """The XIDs that moves name, and whether each went to another parent."""
    roots: dict[int, bool] = {}
    for operation in delta.operations:
        if isinstance(operation, Move):
            roots.update(
                (xid, operation.origin.parent != operation.target.parent) for xid in operation.xids
            )
    return roots


def unique_content(old: Tree, new: Tree) -> set[str]:
    """Digests of subtrees that occur once in the old version, and at most once in the new one."""
    before, after = (Counter(node.digest for node in tree) for tree in (old, new))
    return {digest for digest, count in before.items() if count == 1 and after[digest] <= 1}


def counts(node: Node, unique: set[str]) -> bool:
    """Whether moves of this node are counted."""
    return node.digest in unique and len(node.to_xml().encode()) >= LEAST_BYTES


def ties(
    made: Simulation, true: dict[int, bool], found: dict[int, bool], index_of: dict[int, int]
) -> set[int]:
    """XIDs that only one of both deltas moves within a parent, where the other's choice explains
    the order as well and weighs no more.

    Two ways: all that differs below a parent at once, or one for one.
    """
    weight = weights(made.new)
    partner = dict(zip(made.matching.old.tolist(), made.matching.new.tolist(), strict=True))
    homes: dict[int, tuple[set[int], set[int]]] = {}
    for which, roots in enumerate((true, found)):
        for index in (index_of[xid] for xid, is_away in roots.items() if not is_away):
            parent = made.old[index].parent
            if parent is not None:
                homes.setdefault(parent.index, (set(), set()))[which].add(index)
    xid_of = {index: xid for xid, index in index_of.items()}
    tied: set[int] = set()
    for home, (right, own) in homes.items():
        if home not in partner or right == own:
            continue
        # the children that truly stay with this parent, by their places in the new version; white
        # space goes along
        stay = [
            child.index
            for child in made.old[home].children
            if child.index in partner and not is_blank(child)
        ]
        stay = [
            index for index in stay if made.new[partner[index]].parent == made.new[partner[home]]
        ]
        only_true, only_own = (
            [index for index in some if index in stay] for some in (right - own, own - right)
        )
        pairs = [
            (only_true, only_own),
            *(([one], [other]) for one in only_true for other in only_own),
        ]
        for gone, come in pairs:
            places = [
                partner[index]
                for index in stay
                if index in gone or (index not in right and index not in come)
            ]
            heft = [sum(weight[partner[index]] for index in some) for some in (gone, come)]
            if gone and come and heft[1] <= heft[0] + 0.01 and places == sorted(places):
                tied.update(xid_of[index] for index in (*gone, *come))
    return tied


def is_blank(node: Node) -> bool:
    """Whether a node is white space."""
    return node.kind == Kind.TEXT and not node.text.strip()


def weights(tree: Tree) -> list[float]:
    """What each subtree weighs when siblings change places: one for a node and the logarithm of its
    text, white space left out.
    """
    weight = [
        0.0 if is_blank(node) else 1 + math.log(1 + len(tree._core.text(node.index).encode()))
        for node in tree
    ]
    parents = tree.parents.tolist()
    for index in range(len(weight) - 1, 0, -1):
        weight[parents[index]] += weight[index]
    return weight
