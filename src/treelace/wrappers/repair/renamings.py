"""The old pattern with the tags, ids and classes of a new design.

A redesign that keeps the order of things renames them. The old pattern knows what many pages or
records had in common; a new one learnt from a page or two does not. So its tags, ids and classes
are replaced by those that the matched elements have on the new page, by vote: what happened to one
element only changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from treelace.limits import Limits
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.pattern import placed_rows
from treelace.wrappers.model.form import RegionForm, RowForm

MIN_SHARE_OF_BOTH = 0.3
"""Share of the elements with an old or a new key that must have both."""


class PagePair(NamedTuple):
    """A page as it was and as it is, and what each old node is on the new page."""

    old: Tree
    new: Tree
    new_node_of: dict[int, int]


class Renamings:
    """What tags and keys of old pages are called on new ones, from which element is which."""

    def __init__(self, pairs: Sequence[PagePair]) -> None:
        tags: dict[str, Counter[str]] = {}
        old_keys, new_keys, both = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
        for old, new, new_node_of in pairs:
            for before, now in new_node_of.items():
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
            if share >= MIN_SHARE_OF_BOTH and one not in self.keys and other not in taken:
                self.keys[one] = other
                taken.add(other)

    def row(self, row: RowForm, tags: Counter[str]) -> RowForm:
        """A row with new names; `tags` are those of its own elements on the new pages."""
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
        """A tag with a class, with new names."""
        tag, _, word = called.partition(".")
        now = self.keys.get(f".{word}", "") if word else ""
        return self.tags.get(tag, tag) + now


def renamed_region(
    region: RegionForm,
    pairs: Sequence[PagePair],
    renamings: Renamings,
    *,
    around: RegionForm | None = None,
    limits: Limits,
) -> RegionForm:
    """The region with new names in its pattern; the anchors are the old ones."""
    reader = RegionReader(region)
    votes: dict[int, Counter[str]] = {}
    for pair in pairs:
        page = Page(pair.old, limits=limits)
        outer = None if around is None else RegionReader(around).read(page).node_of_row
        records = reader.records(page, outer)
        for nodes, rows, _, _ in reader.pattern.align(pair.old.kernel, records, limits):
            for node, row in placed_rows(nodes, rows):
                now = pair.new_node_of.get(node)
                if now is not None and pair.new.kind(now) == 1:
                    votes.setdefault(row, Counter())[pair.new.local_name(now)] += 1
    pattern = tuple(
        renamings.row(row, votes.get(number, Counter()))
        for number, row in enumerate(region.pattern)
    )
    like = renamings.like(region.like) if region.like else ""
    return replace(region, pattern=pattern, like=like)


def keys_of(tree: Tree, node: int) -> set[str]:
    """An element's names as a pattern has them: `#id`, `.class`, `@itemprop`; digits as 0."""
    found = {f".{_masked(word)}" for word in (tree.attribute(node, "class") or "").split()}
    if identity := tree.attribute(node, "id"):
        found.add(f"#{_masked(identity.strip())}")
    for name in ("itemprop", "property"):
        found |= {f"@{word}" for word in (tree.attribute(node, name) or "").split()}
    return found


def _masked(word: str) -> str:
    return re.sub("[0-9]+", "0", word)
