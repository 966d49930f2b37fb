"""The old pattern in the words of a new design: what its rows and keys are called now, by how
matched elements are called.

A redesign that keeps the order of things renames them. The old pattern knows what many pages or
records had in common; a new one learnt from a page or two does not. So its tags, ids and classes
are replaced by those that the elements it was laid along have on the new page, by vote: what
happened to one element only changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from treelace.wrappers.apply.record_roots import NO_ROW
from treelace.wrappers.apply.region_reader import Page, Reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.limits import Limits
    from treelace.tree import Tree
    from treelace.wrappers.model.form import RegionForm, RowForm

OFTEN = 0.3
"""Share of the elements with an old or a new key that must have both."""


class Dictionary:
    """What tags and keys of old pages are called on new ones, from which element is which."""

    def __init__(self, pairs: Sequence[tuple[Tree, Tree, dict[int, int]]]) -> None:
        tags: dict[str, Counter[str]] = {}
        old_keys, new_keys, both = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
        for old, new, became in pairs:
            for before, now in became.items():
                if old.kind(before) == 1 and new.kind(now) == 1:
                    tags.setdefault(old.local_name(before), Counter())[new.local_name(now)] += 1
                    left, right = keys_of(old, before), keys_of(new, now)
                    old_keys.update(left)
                    new_keys.update(right)
                    both.update((one, other) for one in left for other in right)
        self.tags = {tag: count.most_common(1)[0][0] for tag, count in tags.items()}
        self.keys: dict[str, str] = {}
        taken: set[str] = set()
        shares = {
            pair: number / (old_keys[pair[0]] + new_keys[pair[1]] - number)
            for pair, number in both.items()
        }
        for (one, other), share in sorted(
            shares.items(), key=lambda item: (-item[1], item[0][0] != item[0][1], item[0])
        ):
            if share >= OFTEN and one not in self.keys and other not in taken:
                self.keys[one] = other
                taken.add(other)

    def row(self, row: RowForm, tags: Counter[str]) -> RowForm:
        """A row in new words; `tags` are what its own elements are called."""
        tag = (
            row.tag
            if row.tag in ("#root", "#text", "img")
            else tags.most_common(1)[0][0]
            if tags
            else self.tags.get(row.tag, row.tag)
        )
        keys = tuple(sorted({self.keys[key] for key in row.keys if key in self.keys}))
        wrap = " ".join(self.tags.get(word, word) for word in row.wrap.split())
        return replace(row, tag=tag, keys=keys, wrap=wrap)

    def like(self, called: str) -> str:
        """A tag with a class, in new words."""
        tag, _, word = called.partition(".")
        now = self.keys.get(f".{word}", "") if word else ""
        return self.tags.get(tag, tag) + now


def translated(
    region: RegionForm,
    pairs: Sequence[tuple[Tree, Tree, dict[int, int]]],
    known: Dictionary,
    *,
    around: RegionForm | None = None,
    limits: Limits,
) -> RegionForm:
    """The region with its pattern in new words; the anchors are the old ones."""
    reader = Reader(region)
    votes: dict[int, Counter[str]] = {}
    for old, new, became in pairs:
        page = Page(old)
        outer = Reader(around).table(page, None, limits=limits)[1] if around is not None else None
        for nodes, rows, _, _ in reader.pattern.align(
            page.tree.kernel, reader.records(page, outer, limits=limits), limits
        ):
            for node, row in zip(nodes.tolist(), rows.tolist(), strict=True):
                now = became.get(node)
                if row != NO_ROW and now is not None and new.kind(now) == 1:
                    votes.setdefault(row, Counter())[new.local_name(now)] += 1
    pattern = tuple(
        known.row(row, votes.get(number, Counter())) for number, row in enumerate(region.pattern)
    )
    return replace(region, pattern=pattern, like=known.like(region.like) if region.like else "")


def keys_of(tree: Tree, node: int) -> set[str]:
    """What an element is called, as the rows of a pattern have it: `#id`, `.class`, `@itemprop`;
    runs of digits as 0.
    """
    found = {f".{_masked(word)}" for word in (tree.attribute(node, "class") or "").split()}
    if identity := tree.attribute(node, "id"):
        found.add(f"#{_masked(identity.strip())}")
    for name in ("itemprop", "property"):
        found |= {f"@{word}" for word in (tree.attribute(node, name) or "").split()}
    return found


def _masked(word: str) -> str:
    return re.sub("[0-9]+", "0", word)
