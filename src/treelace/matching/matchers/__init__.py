"""The matchers there are, and how to get one by its name."""

from __future__ import annotations

from typing import Any

from treelace import named
from treelace.errors import LimitError, UsageError
from treelace.matching.matcher import Matcher
from treelace.matching.matching import Matching
from treelace.tree import Tree

MATCHERS: named.Family[Matcher] = named.Family(
    __name__,
    {
        "lace": ".lace:Lace",
        "auto": ".auto:Auto",
        "document": ".document:Document",
        "buld": ".buld:Buld",
        "sftm": ".sftm:Sftm",
        "same-path": ".same_path:SamePath",
        "tree-edit-distance": ".tree_edit_distance:TreeEditDistance",
        "simple-tree-matching": ".tree_distances:SimpleTreeMatching",
        "top-down": ".tree_distances:TopDown",
        "restricted-top-down": ".tree_distances:RestrictedTopDown",
        "bottom-up": ".tree_distances:BottomUp",
        "constrained": ".tree_distances:Constrained",
        "alignment": ".tree_distances:Alignment",
        "nierman-jagadish": ".tree_distances:NiermanJagadish",
        "flexible-tree-matching": ".flexible_tree_matching:FlexibleTreeMatching",
    },
)
"""Every matcher by name. To add one: write its file, add it to this list and the docs."""

DEFAULT_MATCHER = "lace"


def matcher_named(name: str, **options: Any) -> Matcher:
    """The matcher called `name`, made with these options.

    >>> matcher_named("same-path").name
    'same-path'
    >>> matcher_named("same-paths")
    Traceback (most recent call last):
        ...
    treelace.errors.UsageError: no matcher is called 'same-paths': did you mean 'same-path'? ...
    """
    return named.make("matcher", MATCHERS, name, options)


def match(
    old: Tree, new: Tree, matcher: str | Matcher = DEFAULT_MATCHER, **options: Any
) -> Matching:
    """Which node of `old` is which node of `new`.

    `matcher` is a name of `MATCHERS` (with its options) or a `Matcher`.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b}{c}}")
    >>> right = Tree.from_brackets("{a{c}{d}}")
    >>> match(left, right, matcher="same-path").pairs
    [(0, 0), (1, 1), (3, 2)]
    """
    if isinstance(matcher, str):
        matcher = matcher_named(matcher, **options)
    elif options:
        raise UsageError("options go with the name of a matcher; give them to the matcher itself")
    try:
        return matcher.match(old, new)
    except LimitError as error:
        other = (
            ""
            if matcher.name == DEFAULT_MATCHER
            else f", or take a matcher that needs less, such as {DEFAULT_MATCHER}"
        )
        error.args = (
            f"{matcher.name}, for {len(old):,} and {len(new):,} nodes: {error.args[0]}{other}",
        )
        raise
