"""Proposals: classes for the pages that are of none.

Pages that are alike are clustered; a cluster that is big and tight enough is proposed as a class
with a wrapper learnt from its pages, and waits for a person, or for `auto_accept`. A rejected class
keeps its examples: its pages are not proposed again.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from treelace.classes.clusterer import PageClusterer
from treelace.classes.examples import MEASURE, MOST_EXAMPLES, SAME_KIND, pack, spread
from treelace.classes.learning import PAGES_TO_LEARN_FROM, learn, link_key
from treelace.classes.pagination import join_paginated

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from treelace._kernel import Features
    from treelace.tree import Tree
    from treelace.wrappers import Wrapper

FEWEST_PAGES = 3
"""Pages that make a class."""
MOST_PAGES = 400
"""Unclassified pages looked at in one go: clustering compares all pairs."""
_SHARED = 0.8
"""Share of the addresses of a class that must have a word in common for it to be its name."""


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
    clusterer = PageClusterer(measure=MEASURE, threshold=SAME_KIND)
    labels = clusterer.fit_predict([sketches[url] for url in urls]).tolist()
    members: dict[int, list[str]] = {}
    for url, label in zip(urls, join_paginated(urls, labels, sketches), strict=True):
        members.setdefault(label, []).append(url)
    return [members[label] for label in sorted(members) if len(members[label]) >= FEWEST_PAGES]


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
    tightness = min(_nearest(url, sketched, sketches) for url in examples)
    wrapper, problem = learn(trees, pages_to_read(members), members)
    about = {
        "examples": examples,
        "tightness": round(tightness, 3),
        "problem": problem,
        "left": "look",
    }
    if wrapper is not None and (key := link_key(wrapper, trees)):
        about["key"] = key
    return Proposal(
        _free_name(name_for(members, wrapper), taken),
        tuple(members),
        tightness,
        "" if wrapper is None else repr(wrapper),
        problem,
        "" if wrapper is None else wrapper.to_json(),
        pack([sketches[url] for url in examples]),
        about,
    )


def _nearest(url: str, others: Sequence[str], sketches: Mapping[str, Features]) -> float:
    alike = (MEASURE.compare(sketches[url], sketches[other]) for other in others if other != url)
    return max(alike, default=1.0)


def _free_name(name: str, taken: Collection[str]) -> str:
    numbered = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in numbered if one not in taken)


def name_for(urls: Sequence[str], wrapper: Wrapper | None) -> str:
    """A name for a class: the word that its addresses share, and whether its pages are lists.

    >>> name_for(["https://a.example/news/1", "https://a.example/news/2"], None)
    'news'
    >>> name_for(["https://a.example/tea", "https://a.example/cups"], None)
    'page'
    """
    words = Counter(
        word
        for url in urls
        for word in {urlsplit(url).path.strip("/").partition("/")[0].lower()}
        if word
    )
    word, count = words.most_common(1)[0] if words else ("", 0)
    is_shared = count >= _SHARED * len(urls) and re.fullmatch(r"[a-z][a-z0-9_-]*", word) is not None
    kind = "page" if wrapper is None else "item" if wrapper.regions[0].kind == "page" else "list"
    if not is_shared:
        return kind
    return f"{word}-list" if kind == "list" else word
