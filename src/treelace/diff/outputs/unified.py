"""Unified text: the two documents compared line by line."""

from __future__ import annotations

import difflib

from treelace.diff.outputs.output import Change
from treelace.tree import Tree


def unified(change: Change) -> str:
    """A unified diff of the two documents as treelace writes them: what `patch` takes.

    >>> from treelace.diff import diff
    >>> from treelace.diff.outputs import Change
    >>> from treelace.tree import parse
    >>> old = parse("<a>\\n<b/>\\n</a>", format="xml")
    >>> new = parse("<a>\\n<c/>\\n</a>", format="xml")
    >>> print(unified(Change(delta=diff(old, new), old=old, new=new)), end="")
    --- old
    +++ new
    @@ -1,3 +1,3 @@
     <a>
    -<b/>
    +<c/>
     </a>
    \\ No newline at end of file
    """
    before, after = _lines(change.old), _lines(change.new)
    lines = difflib.unified_diff(before, after, change.old_name, change.new_name)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


def _lines(tree: Tree) -> list[str]:
    text = tree.to_html() if tree.format == "html" else tree.to_xml()
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
