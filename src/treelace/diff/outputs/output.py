"""What an output of `diff` is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treelace.diff.delta import Delta
from treelace.diff.ignore import Ignore
from treelace.diff.operations import Operation
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Tree

_NOTHING = Ignore()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A delta with its two documents, and how it shall be written."""

    delta: Delta
    old: Tree
    new: Tree
    old_name: str = "old"
    new_name: str = "new"
    ignore: Ignore = _NOTHING
    """What reports for people leave out; a delta is always whole."""
    has_colour: bool = False
    limits: Limits = DEFAULT_LIMITS

    def reported(self) -> Sequence[Operation]:
        """The operations that reports for people show."""
        return self.ignore.reported(self.delta, self.old, self.new)

    def __str__(self) -> str:
        return f"{self.old_name} → {self.new_name}: {self.delta!r}"


Output = Callable[[Change], str | bytes]
"""One way to write what changed.

Every output promises, and tests/contracts/test_diff_outputs.py checks: the same change gives the
same answer, byte for byte; what it cannot write is a `UsageError`; neither document is touched.
"""
