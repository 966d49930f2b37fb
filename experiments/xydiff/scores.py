"""How near a delta comes to the perfect one: bytes, moves, text updates.

Moves are counted where the moved content is unique in both versions and has at least 60 bytes, by the XID of the moved root. Two
choices are ties and count as right: an equal subtree instead of another, and the heavier-or-equal neighbours moved instead of the node
itself (a swap), which shows as a true mover that stands at its place among its new siblings by the other deltas' moves.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treelace.diff.operations import Move, Update

if TYPE_CHECKING:
    from treelace.diff import Delta
    from treelace.testing.simulate import Simulation
    from treelace.tree import Tree

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
        precision, recall = self.share(self.moves, "right", "found"), self.share(self.moves, "hit", "true")
        other = self.share(self.away, "right", "found")
        updates = self.share(self.updates, "hit", "true")
        return (
            f"delta/perfect {self.bytes / max(1, self.perfect_bytes):.3f}, moves {precision:.3f}/{recall:.3f} of {self.moves['true']}, "
            f"to another parent {other:.3f} of {self.away['found']}, updates {updates:.3f} of {self.updates['true']}"
        )


def delta_bytes(delta: Delta) -> int:
    """Bytes of the XML form, XID maps apart."""
    return len(re.sub(r'\smap="[^"]*"', "", delta.to_xml()).encode())


def add(scores: Scores, made: Simulation, delta: Delta) -> None:
    """Adds one document: what was simulated, and what was found."""
    own, perfect = delta_bytes(delta), delta_bytes(made.delta)
    scores.bytes += own
    scores.perfect_bytes += perfect
    scores.ratios.append(own / perfect)
    index_of = {xid: index for index, xid in enumerate(delta.old_xids(made.old).of.tolist())}
    unique = unique_content(made.old, made.new)
    true, found = moved_roots(made.delta), moved_roots(delta)
    digests = {xid: made.old[index_of[xid]].digest for xid in true | found}
    true_digests = {digests[xid] for xid in true}
    partner = dict(zip(made.matching.old.tolist(), made.matching.new.tolist(), strict=True))
    for xid in found:
        node = made.old[index_of[xid]]
        if not counts(node, unique):
            continue
        is_right = xid in true or digests[xid] in true_digests or is_swap(made, partner, node.index)
        scores.moves["found"] += 1
        scores.moves["right"] += is_right
        if found[xid]:
            scores.away["found"] += 1
            scores.away["right"] += is_right
    for xid in true:
        node = made.old[index_of[xid]]
        if counts(node, unique):
            scores.moves["true"] += 1
            scores.moves["hit"] += xid in found or (not true[xid] and is_in_order(found, made, index_of, node.index))
    true_updates = {op.xid for op in made.delta.operations if isinstance(op, Update)}
    own_updates = {op.xid for op in delta.operations if isinstance(op, Update)}
    scores.updates["true"] += len(true_updates)
    scores.updates["hit"] += len(true_updates & own_updates)


def moved_roots(delta: Delta) -> dict[int, bool]:
    """The XIDs that moves name, and whether each went to another parent."""
    roots: dict[int, bool] = {}
    for operation in delta.operations:
        if isinstance(operation, Move):
            roots.update((xid, operation.origin.parent != operation.target.parent) for xid in operation.xids)
    return roots


def unique_content(old: Tree, new: Tree) -> set[str]:
    """Digests of subtrees that occur once in the old version, and at most once in the new one."""
    before, after = (Counter(node.digest for node in tree) for tree in (old, new))
    return {digest for digest, count in before.items() if count == 1 and after[digest] <= 1}


def counts(node: object, unique: set[str]) -> bool:
    """Whether moves of this node are counted."""
    return node.digest in unique and len(node.to_xml().encode()) >= LEAST_BYTES  # type: ignore[attr-defined]


def is_swap(made: Simulation, partner: dict[int, int], index: int) -> bool:
    """Whether a node the simulator did not move has changed places with one it moved under the same parent, and weighs no more."""
    node = made.old[index]
    if node.parent is None or index not in partner:
        return False
    home = partner.get(node.parent.index)
    place = made.new[partner[index]]
    if place.parent is None or place.parent.index != home:
        return False
    moved = set(made.moved)
    siblings = [child for child in node.parent.children if child.index in moved and child.index in partner]
    own = len(node.to_xml())
    return any(made.new[partner[s.index]].parent == place.parent and len(s.to_xml()) >= own for s in siblings)


def is_in_order(found: dict[int, bool], made: Simulation, index_of: dict[int, int], index: int) -> bool:
    """Whether a move within a parent was told by moving the neighbours instead."""
    node = made.old[index]
    if node.parent is None:
        return False
    others = {child.index for child in node.parent.children}
    return any(index_of[xid] in others for xid, is_away in found.items() if not is_away)
