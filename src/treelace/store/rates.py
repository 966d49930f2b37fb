"""Rates: how often each node of a page changed, and summed by label. The one home for change rates.

A node changed in a version where its text, name, attributes or place is another, or where children
came or went. It counts once a version. What left the page keeps its share in the sum of its label.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import msgspec

from treelace.diff import Delta
from treelace.diff.operations import Attribute, Delete, Insert, Move, Rename, Update
from treelace.limits import Limits
from treelace.store import body as bodies
from treelace.store.body import Body


@dataclass(slots=True)
class Rates:
    """Counts of one page: versions compared, changes by XID and by tag, and nodes by tag."""

    steps: int = 0
    nodes: Counter[int] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, delta: Delta, old: Body, new: Body) -> None:
        """Counts one step of the chain."""
        self.steps += 1
        changed = touched(delta)
        if not changed:
            return
        self.nodes.update(changed)
        for body in (new, old):
            import numpy as np

            here = np.flatnonzero(
                np.isin(body.xids.of, np.fromiter(changed, dtype=np.uint64, count=len(changed)))
            )
            tree, parents = body.tree, body.tree.parents
            for index in here.tolist():
                changed.discard(int(body.xids.of[index]))
                node = index if tree.local_name(index) or not index else int(parents[index])
                self.labels[tree.local_name(node)] += 1
            if not changed:
                return

    def keep(self, body: Body) -> None:
        """Forgets the counts of nodes that are gone: numbers are never used again."""
        import numpy as np

        if self.nodes:
            known = np.fromiter(self.nodes, dtype=np.uint64, count=len(self.nodes))
            self.nodes = Counter(
                {int(xid): self.nodes[int(xid)] for xid in known[np.isin(known, body.xids.of)]}
            )

    def rate(self, xid: int) -> float:
        """The share of versions in which a node changed."""
        return self.nodes[xid] / self.steps if self.steps else 0.0


def touched(delta: Delta) -> set[int]:
    """The XIDs of nodes that changed: their own value, place, or list of children."""
    changed: set[int] = set()
    for operation in delta.operations:
        if isinstance(operation, (Update, Rename, Attribute)):
            changed.add(operation.xid)
        elif isinstance(operation, (Insert, Delete)):
            changed.add(operation.place.parent)
        elif isinstance(operation, Move):
            changed.update(operation.xids)
    return changed


def write(rates: Rates) -> bytes:
    """The bytes of the counts."""
    nodes = sorted(rates.nodes.items())
    return bodies.pack(
        msgspec.msgpack.encode(
            [
                rates.steps,
                [xid for xid, _ in nodes],
                [count for _, count in nodes],
                dict(rates.labels),
            ]
        )
    )


def read(data: bytes, *, limits: Limits) -> Rates:
    """The counts of these bytes."""
    steps, xids, counts, labels = msgspec.msgpack.decode(bodies.unpack(data, limits=limits))
    return Rates(steps, Counter(dict(zip(xids, counts, strict=True))), Counter(labels))
