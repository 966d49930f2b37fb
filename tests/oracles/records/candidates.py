"""Candidates: everything on a page that could be a list of records, found many ways; choosing among
them is `ranking`'s work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tests.oracles.records.shapes import Shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.oracles.records.view import PageView

Records = tuple[tuple[int, ...], ...]

THRESHOLDS = (0.4, 0.6, 0.8)
"""Similarities at which the children of a parent are clustered."""

MOST_CHILDREN = 3_000
"""Above so many children, a parent's clusters are by tag and class only."""


class Candidate(NamedTuple):
    """Records (the root nodes of each), how they were found, and whether they stand under several
    parents.
    """

    records: Records
    how: str
    is_joined: bool


@dataclass(slots=True)
class _Found:
    """Candidates as they come, each once."""

    view: PageView
    all: dict[Records, Candidate] = field(default_factory=dict)

    def add(self, records: Iterable[tuple[int, ...]], how: str, *, is_joined: bool = False) -> None:
        kept = tuple(
            record for record in records if any(self.view.text_count(root) for root in record)
        )
        if len(kept) > 1 and kept not in self.all:
            self.all[kept] = Candidate(kept, how, is_joined)


def candidates(view: PageView, shapes: Shapes) -> list[Candidate]:
    """The candidates of a page, in the order they are found: outer parents first.

    Below each parent: clusters of its children by tag, by class, by each class word, by structure
    at three thresholds; groups that start at a head (a child whose tag, class or structure comes
    back); groups between separators (children without text). Then the same clusters and groups
    joined over all parents with the same path, and over those of them that have an ancestor in
    common near by. Time: linear in the nodes for each of these, but for
    structure, where the distinct shapes below a parent are compared with each other.
    """
    found = _Found(view)
    across: dict[tuple[int, str, object], list[tuple[int, list[tuple[int, ...]]]]] = {}
    for parent, children in enumerate(view.children):
        if not children or not view.text_count(parent):
            continue
        for key, members in _clusters(view, children):
            records: list[tuple[int, ...]] = [(child,) for child in members]
            found.add(records, key[0])
            across.setdefault((shapes.path[parent], *key), []).append((parent, records))
        if len(children) < 2:
            continue
        structures = shapes.clusters(children, THRESHOLDS) if len(children) <= MOST_CHILDREN else []
        for clusters in structures:
            for members in clusters:
                found.add([(child,) for child in members], "structure")
        for key, groups in _head_groups(view, children, structures):
            found.add(groups, key[0])
            if key[0] != "head structure":
                across.setdefault((shapes.path[parent], *key), []).append((parent, groups))
        for tag, groups in _between(view, children):
            for part in (groups, groups[1:], groups[:-1], groups[1:-1]):
                found.add(part, "separator")
            home = _home(view, parent)
            across.setdefault((shapes.path[home], "separator", tag), []).append((home, groups))
    for (_, how, _), parts in across.items():
        if len(parts) > 1:
            for near in _near(view, parts) if how in ("tag", "class", "separator") else ():
                found.add(near, how, is_joined=True)
            found.add(
                [record for _, records in sorted(parts) for record in records], how, is_joined=True
            )
    return _with_trimmed(found, shapes)


def _clusters(
    view: PageView, children: list[int]
) -> Iterator[tuple[tuple[str, object], list[int]]]:
    by: dict[tuple[str, object], list[int]] = {}
    for child in children:
        tag = view.tags[child]
        if tag == "#text" or not view.text_count(child):
            continue
        classes = view.classes.get(child, ())
        by.setdefault(("tag", tag), []).append(child)
        if classes:
            by.setdefault(("class", (tag, classes)), []).append(child)
            for word in dict.fromkeys(classes):
                by.setdefault(("class word", (tag, word)), []).append(child)
    yield from by.items()


def _head_groups(
    view: PageView, children: list[int], structures: list[list[list[int]]]
) -> Iterator[tuple[tuple[str, object], list[tuple[int, ...]]]]:
    """Groups that start at a child of one kind and reach to the next of that kind."""
    heads: dict[tuple[str, object], list[int]] = {}
    for place, child in enumerate(children):
        tag = view.tags[child]
        if tag in ("#text", "br", "hr"):
            continue
        heads.setdefault(("head tag", tag), []).append(place)
        if child in view.classes:
            heads.setdefault(("head class", (tag, view.classes[child])), []).append(place)
    places = {child: place for place, child in enumerate(children)}
    for level, clusters in enumerate(structures):
        for number, members in enumerate(clusters):
            heads[("head structure", (level, number))] = [places[child] for child in members]
    seen: set[tuple[int, ...]] = set()
    for key, starts in heads.items():
        if 2 <= len(starts) < len(children) and tuple(starts) not in seen:
            seen.add(tuple(starts))
            groups = [tuple(children[start:stop]) for start, stop in pairwise(starts)]
            if any(len(group) > 1 for group in groups):
                yield key, [*groups, _last_group(view, groups, children[starts[-1] :])]


def _last_group(view: PageView, groups: list[tuple[int, ...]], rest: list[int]) -> tuple[int, ...]:
    """How far the last group goes: no longer than the longest, and to the last child of a kind that
    the others have at that place or later.
    """
    kinds = [[_kind(view, child) for child in group] for group in groups]
    longest = max(len(group) for group in groups)
    known = {kind for group in kinds for kind in group[1:]}
    stop = 1
    while stop < min(len(rest), longest) and _kind(view, rest[stop]) in known:
        stop += 1
    return tuple(rest[:stop])


def _kind(view: PageView, child: int) -> tuple[str, tuple[str, ...]]:
    return view.tags[child], view.classes.get(child, ())


def _near(
    view: PageView, parts: list[tuple[int, list[tuple[int, ...]]]]
) -> Iterator[list[tuple[int, ...]]]:
    """The records of those parents that have an ancestor in common, one to four levels up, as far
    as not all have it.
    """
    above = {parent: parent for parent, _ in parts}
    for _ in range(4):
        above = {parent: view.parents[node] for parent, node in above.items()}
        if len(set(above.values())) == 1:
            return
        for ancestor in dict.fromkeys(above[parent] for parent, _ in sorted(parts)):
            together = [records for parent, records in sorted(parts) if above[parent] == ancestor]
            if len(together) > 1:
                yield [record for records in together for record in records]


def _between(view: PageView, children: list[int]) -> Iterator[tuple[str, list[tuple[int, ...]]]]:
    """Groups between children of one tag that hold no text, with that tag; between runs of `br`
    where there are any. A `br` at the end of a child with text ends a group too.
    """
    cuts: dict[str, list[tuple[int, int]]] = {}
    for place, child in enumerate(children):
        if view.tags[child] == "#text":
            continue
        if not view.text_count(child):
            cuts.setdefault(view.tags[child], []).append((place, place + 1))
            continue
        last = range(child + 1, view.ends[child])[-4:]
        shown = [node for node in last if view.shown[node]]
        if shown and view.tags[shown[-1]] == "br":
            cuts.setdefault("br", []).append((place + 1, place + 1))
    for tag, found in cuts.items():
        if tag == "br":
            doubled = [one for one, other in pairwise(found) if other[0] == one[1]]
            found = doubled or found
        starts, stops = [0, *(cut[1] for cut in found)], [*(cut[0] for cut in found), len(children)]
        groups = [tuple(children[start:stop]) for start, stop in zip(starts, stops, strict=True)]
        groups = [group for group in groups if any(view.text_count(child) for child in group)]
        if len(groups) > 1:
            yield tag, groups


def _home(view: PageView, parent: int) -> int:
    """The outermost element, up to four levels, that holds the text of a node and no other."""
    for _ in range(4):
        above = view.parents[parent]
        if not above or view.tags[above] in ("html", "body"):
            break
        if view.text_count(above) != view.text_count(parent):
            break
        parent = above
    return parent


def _are_heads(view: PageView, records: Sequence[tuple[int, ...]]) -> list[bool]:
    """Which records are one text far shorter than the others, unless those are many."""
    texts = [
        [text for node, text in view.texts.items() if record[0] <= node < view.ends[record[-1]]]
        for record in records
    ]
    sizes = [sum(len(text.encode()) for text in said) for said in texts]
    middle = sorted(sizes)[len(sizes) // 2]
    found = [len(said) == 1 and size < middle / 4 for said, size in zip(texts, sizes, strict=True)]
    return found if 3 * sum(found) <= len(records) else [False] * len(records)


def _with_trimmed(found: _Found, shapes: Shapes) -> list[Candidate]:
    """With variants that leave out what is unlike the rest: at the edges, and anywhere."""
    for candidate in list(found.all.values()):
        records = candidate.records
        if not 4 <= len(records) <= MOST_CHILDREN:
            continue
        close = shapes.closeness(records)
        middle = sorted(close)[len(close) // 2]
        is_odd = [value < 0.6 * middle for value in close]
        is_head = _are_heads(shapes.view, records)
        variants: list[Sequence[tuple[int, ...]]] = []
        if any(is_odd):
            first = next((place for place, odd in enumerate(is_odd) if not odd), 0)
            last = len(records) - next(
                (place for place, odd in enumerate(reversed(is_odd)) if not odd), 0
            )
            even = [record for record, odd in zip(records, is_odd, strict=True) if not odd]
            variants += [records[first:], records[:last], records[first:last], even]
        if any(is_head):
            variants.append([it for it, head in zip(records, is_head, strict=True) if not head])
        for variant in variants:
            found.add(variant, candidate.how, is_joined=candidate.is_joined)
    return list(found.all.values())
