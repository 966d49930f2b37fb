"""A matching as lines of text, for a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from treelace import _kernel
from treelace.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treelace.matching.matching import Matching
    from treelace.tree import Tree

_UNSURE = 0.5
_LONGEST, _LAST = 60, 20
"""Steps of a path that are shown: all up to the first number, beyond it the last ones."""
_PLAIN = re.compile(r"[^\W\d][\w.-]*")


def as_text(matching: Matching) -> str:
    """The pairs of elements with confidence, unpaired elements, and their numbers last.

    >>> from treelace.matching import match
    >>> from treelace.tree import Tree
    >>> old, new = Tree.from_brackets("{a{b}{c}{c}}"), Tree.from_brackets("{a{c}{d}}")
    >>> print(as_text(match(old, new, matcher="same-path")), end="")
    1.00  /a  =  /a
    1.00  /a/c[1]  =  /a/c
    only in the old page:
      /a/b
      /a/c[2]
    only in the new page:
      /a/d
    2 pairs; 2 elements only in the old page, 1 only in the new page
    """
    pairs = matching.elements
    old_paths, new_paths = _Paths(matching.old_tree), _Paths(matching.new_tree)
    lines = [f"{sure:.2f}  {old_paths.of(i)}  =  {new_paths.of(j)}" for i, j, sure in pairs]
    removed = _alone(matching.old_tree, pairs.old.tolist())
    added = _alone(matching.new_tree, pairs.new.tolist())
    for page, alone, paths in (("old", removed, old_paths), ("new", added, new_paths)):
        lines += (
            [f"only in the {page} page:", *(f"  {paths.of(i)}" for i in alone)] if alone else []
        )
    unsure = int((pairs.confidence < _UNSURE).sum())
    summary = f"{len(pairs):,} pair{'s' * (len(pairs) != 1)}"
    summary += f" ({unsure:,} with a confidence below {_UNSURE:.2f})" if unsure else ""
    summary += (
        f"; {len(removed):,} element{'s' * (len(removed) != 1)} only in the old page,"
        f" {len(added):,} only in the new page"
    )
    return "".join(line + "\n" for line in [*lines, summary])


def _alone(tree: Tree, paired: Iterable[int]) -> list[int]:
    taken = set(paired)
    return [i for i in _kernel.element_nodes(tree.kernel).tolist() if i not in taken]


class _Paths:
    """The XPaths of elements from one pass: asking each node is quadratic among many siblings."""

    def __init__(self, tree: Tree) -> None:
        names = [_Step.of(name.namespace, name.local, is_html=tree.is_html) for name in tree.names]
        self.parents, self.depths = tree.parents.tolist(), tree.depths.tolist()
        step_of = [names[number] for number in tree.name_ids.tolist()]
        elements = [i for i, kind in enumerate(tree.kinds.tolist()) if kind == Kind.ELEMENT]
        counts: dict[tuple[int, str], int] = {}
        ranks: dict[int, int] = {}
        for i in elements:
            for test in step_of[i].passes:
                counts[self.parents[i], test] = counts.get((self.parents[i], test), 0) + 1
            ranks[i] = counts[self.parents[i], step_of[i].test]
        self.steps = [step.words for step in step_of]
        for i in elements:
            if counts[self.parents[i], step_of[i].test] > 1:
                self.steps[i] += f"[{ranks[i]}]"

    def of(self, i: int) -> str:
        """The path of an element; of a very deep one the end."""
        depth = self.depths[i]
        shown = depth if depth <= _LONGEST else _LAST
        steps: list[str] = []
        while len(steps) < shown:
            steps.append(self.steps[i])
            i = self.parents[i]
        return (f"/… {depth - shown:,} levels …" if shown < depth else "") + "".join(
            f"/{step}" for step in reversed(steps)
        )


class _Step(NamedTuple):
    """How `Node.xpath` writes elements of one name: the step, its test, the tests they pass."""

    words: str
    test: str
    passes: tuple[str, ...]

    @classmethod
    def of(cls, namespace: str, local: str, *, is_html: bool) -> _Step:
        exact, plain = f"local-name {local}", f"name {local.lower() if is_html else local}"
        is_plain = is_html or not namespace
        passes = (exact, plain) if is_plain else (exact,)
        if is_plain and _PLAIN.fullmatch(local):
            return cls(local, plain, passes)
        quote = '"' if "'" in local else "'"
        return cls(f"*[local-name()={quote}{local}{quote}]", exact, passes)
