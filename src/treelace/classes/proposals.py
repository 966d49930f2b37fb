"""Proposals: classes for the pages that are of none.

Pages that are alike are clustered; a cluster that is big and tight enough is proposed as a class
with a wrapper learnt from its pages, and waits for a person, or for `auto_accept`. A rejected class
keeps its examples: its pages are not proposed again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treelace.classes.examples import MOST_EXAMPLES, pack, spread
from treelace.classes.layout import LayoutSpace, address_form, plain_similarity
from treelace.classes.learning import PAGES_TO_LEARN_FROM, learn
from treelace.classes.linkage import cut_average
from treelace.classes.names import free_name, names_for
from treelace.classes.pagination import join_paginated
from treelace.classes.record_keys import record_key

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from treelace._kernel import Features
    from treelace.tree import Tree

FEWEST_PAGES = 3
"""Pages that make a class."""
MOST_PAGES = 1_000
"""Unclassified pages that are clustered in one go: all pairs are compared. The others join the
classes that are found.
"""
SAME_KIND = 0.74
"""Pages of one kind inside a site are so alike in the mean (docs/explanation/classes.md)."""
SAME_LAYOUT = 0.9
"""Pages that are so alike are of one kind, also one after the other."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed class: its name, its pages, their least similarity, and its wrapper's tables."""

    name: str
    pages: tuple[str, ...]
    tightness: float
    wrapper: str
    problem: str = ""
    data: str = field(default="", repr=False)
    """The wrapper itself, as JSON; empty where there is none."""
    sketch: bytes = field(default=b"", repr=False)
    """Its examples, as the store keeps them."""
    about: Mapping[str, object] = field(default_factory=dict, repr=False)
    """What else is kept of the class."""

    def __str__(self) -> str:
        gives = self.wrapper or f"no wrapper: {self.problem}"
        return f"{self.name}: {len(self.pages):,} pages, {self.tightness:.2f} alike; {gives}"


def alike_pages(sketches: Mapping[str, Features]) -> list[list[str]]:
    """The addresses of pages that make a class, class by class; pages that are like too few others
    are left out. Whatever order the pages come in, the classes are the same.
    """
    urls = sorted(sketches)
    if len(urls) < FEWEST_PAGES:
        return []
    space = LayoutSpace([sketches[url] for url in urls], urls)
    labels = cut_average(space.similarities, threshold=SAME_KIND, tight=SAME_LAYOUT).tolist()
    members: dict[int, list[str]] = {}
    labels = join_paginated(urls, labels, space.similarities, space.contained)
    for url, label in zip(urls, labels, strict=True):
        members.setdefault(label, []).append(url)
    found = [some for some in members.values() if len(some) >= FEWEST_PAGES]
    return sorted(found, key=lambda some: some[0])


def sample(urls: Sequence[str]) -> list[str]:
    """Pages to look at where there are too many: some of each form of address."""
    if len(urls) <= MOST_PAGES:
        return list(urls)
    forms: dict[str, list[str]] = {}
    for url in sorted(urls):
        forms.setdefault(address_form(url), []).append(url)
    share = MOST_PAGES / len(urls)
    return [
        url
        for some in forms.values()
        for url in spread(some, max(min(len(some), FEWEST_PAGES), int(share * len(some))))
    ][:MOST_PAGES]


def pages_to_read(members: Sequence[str]) -> list[str]:
    """The pages of a class that a wrapper is learnt from."""
    return spread(members, PAGES_TO_LEARN_FROM)


def propose(
    members: Sequence[str],
    sketches: Mapping[str, Features],
    trees: Sequence[Tree],
    taken: Collection[str],
) -> Proposal:
    """A class of these pages. `sketches` has those that examples are chosen from, `trees` are the
    `pages_to_read`, `taken` the names that other classes have.
    """
    sketched = [url for url in members if url in sketches]
    examples = spread(sketched, MOST_EXAMPLES)
    tightness = min(_nearest(url, examples, sketches) for url in examples)
    wrapper, problem = learn(trees, pages_to_read(members), members)
    about = {
        "examples": examples,
        "tightness": round(tightness, 3),
        "problem": problem,
        "left": "look",
    }
    if wrapper is not None and (key := record_key(wrapper, trees)):
        about["key"] = key
    return Proposal(
        free_name(names_for(members, wrapper, trees), taken),
        tuple(members),
        tightness,
        "" if wrapper is None else repr(wrapper),
        problem,
        "" if wrapper is None else wrapper.to_json(),
        pack([sketches[url] for url in examples]),
        about,
    )


def _nearest(url: str, others: Sequence[str], sketches: Mapping[str, Features]) -> float:
    """How alike a page and the next of some others are, by all facts."""
    alike = (plain_similarity(sketches[url], sketches[it]) for it in others if it != url)
    return max(alike, default=1.0)
