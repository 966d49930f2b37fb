"""diff: from two documents to a delta."""

from __future__ import annotations

from treelace import _kernel
from treelace.diff.delta import Delta
from treelace.diff.xids import Xids
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching import Matcher, Matching, match
from treelace.matching.matchers.auto import Auto
from treelace.tree import Tree


def diff(
    old: Tree,
    new: Tree,
    *,
    matcher: str | Matcher | Matching = Auto.name,
    xids: Xids | None = None,
    order_moves: bool = True,
    inner_edits: bool = True,
    attribute_order: bool | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Delta:
    """The delta from `old` to `new` (Cobéna, Abiteboul, Marian; ICDE 2002, §4, phase 5).

    Nodes the matching leaves alone are deleted or inserted, matched ones with other parents have
    moved; of children that kept their parent those outside a heaviest increasing subsequence have
    moved too. Whatever the matching, the delta is exact: the matching decides only how well it
    reads. O(n log n) beside the matcher.

    `matcher` is a name, a `Matcher`, or a `Matching` that is there already. `xids` are the XIDs of
    `old` in a chain of versions (see `Delta.new_xids`); a first version has its own. Without
    `order_moves` a child that changed places among its siblings is deleted and inserted. Without
    `inner_edits` every text stands in full. `attribute_order` records the order of attributes,
    which equality does not see; by default for HTML.

    >>> from treelace import parse
    >>> diff(parse("<ul><li>a<li>b<li>c</ul>"), parse("<ul><li>c<li>a<li>b</ul>"))
    <Delta: 1 move>
    """
    if isinstance(matcher, Matching):
        if matcher.old_tree is not old or matcher.new_tree is not new:
            raise UsageError("this matching is of other trees")
        matching = matcher
    elif old.digest == new.digest:
        import numpy as np

        same = np.arange(len(old), dtype=np.uint32)
        matching = Matching(old, new, same, same)
    else:
        matching = (
            match(old, new, matcher, limits=limits)
            if isinstance(matcher, str)
            else match(old, new, matcher)
        )
    given = None if xids is None else (xids.of, xids.next)
    options = (inner_edits, not order_moves, attribute_order)
    return Delta(
        _kernel.build_delta(
            old.kernel, new.kernel, matching.old, matching.new, given, options, limits
        )
    )
