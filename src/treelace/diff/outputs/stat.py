"""How much changed, in one line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from treelace.diff.ignore import Ignore

if TYPE_CHECKING:
    from treelace.diff.delta import Delta
    from treelace.diff.outputs.output import Change
    from treelace.tree import Tree

_NOTHING = Ignore()


@dataclass(frozen=True, slots=True)
class Stat:
    """The number of operations of each kind, and of nodes."""

    name: ClassVar[str] = "stat"

    def write(self, change: Change) -> str:
        """One line."""
        return stat(change.delta, change.old, change.new, ignore=change.ignore)


def stat(delta: Delta, old: Tree, new: Tree, *, ignore: Ignore = _NOTHING) -> str:
    """How much changed, in one line."""
    reported = Counter(
        type(operation).__name__.lower() for operation in ignore.reported(delta, old, new)
    )
    counts = (
        ", ".join(f"{count:,} {name}" for name, count in sorted(reported.items())) or "no change"
    )
    return f"{counts} ({len(old) - 1:,} → {len(new) - 1:,} nodes)\n"
