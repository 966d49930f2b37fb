"""How much changed, in one line."""

from __future__ import annotations

from collections import Counter

from treelace.diff.outputs.output import Change


def stat(change: Change) -> str:
    """How much changed: operations of each kind, and nodes."""
    reported = Counter(type(operation).__name__.lower() for operation in change.reported())
    counts = ", ".join(f"{count:,} {name}" for name, count in sorted(reported.items()))
    sizes = f"{len(change.old) - 1:,} → {len(change.new) - 1:,} nodes"
    return f"{counts or 'no change'} ({sizes})\n"
