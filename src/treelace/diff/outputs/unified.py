"""Unified text: the two documents compared line by line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from treelace.diff.outputs.output import Change
    from treelace.tree import Tree


@dataclass(frozen=True, slots=True)
class Unified:
    """A unified diff of the two documents as treelace writes them, for `patch`."""

    name: ClassVar[str] = "unified"

    def write(self, change: Change) -> str:
        """The lines that differ, with three lines around them."""
        return to_unified(
            change.old, change.new, old_name=change.old_name, new_name=change.new_name
        )


def to_unified(
    old: Tree, new: Tree, *, old_name: str = "old", new_name: str = "new", context: int = 3
) -> str:
    """A unified diff of the two documents as treelace writes them, line by line: what `patch`
    takes.

    >>> from treelace.tree import parse
    >>> old = parse("<a>\\n<b/>\\n</a>", format="xml")
    >>> new = parse("<a>\\n<c/>\\n</a>", format="xml")
    >>> print(to_unified(old, new), end="")
    --- old
    +++ new
    @@ -1,3 +1,3 @@
     <a>
    -<b/>
    +<c/>
     </a>
    \\ No newline at end of file
    """
    before, after = (_lines(tree) for tree in (old, new))
    lines = difflib.unified_diff(before, after, old_name, new_name, n=context)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


def _lines(tree: Tree) -> list[str]:
    text = tree.to_html() if tree.format == "html" else tree.to_xml()
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
