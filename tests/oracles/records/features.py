"""Features: what a candidate looks like, as numbers that a ranking can weigh."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.oracles.records.shapes import alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracles.records.candidates import Candidate, Records
    from tests.oracles.records.shapes import Shapes
    from tests.oracles.records.view import PageView

MOST_RECORDS = 150
"""Records of a candidate that are looked at one by one: evenly spread, the first and the last among
them.
"""

_FRAME_WORDS = re.compile(
    r"nav|menu|foot|header|sidebar|side-?bar|breadcrumb|crumb|pag(?:er|inat|ing)|toolbar|filter|facet|refine|tabs?\b|share|social|lang|login|sort|ads?\b|sponsor|related"
)
_LIST_WORDS = re.compile(
    r"result|product|item|list|search|content|main|post|entry|article|record|hit|card|grid|catalog|story|stories"
)
_FRAME_TAGS = frozenset(["nav", "footer", "header", "aside", "form", "menu"])
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "dt", "b", "strong", "th"])
_PRICE = re.compile(r"[$€£¥]\s*\d|\d\s*(?:[$€£¥]|USD|EUR)")


@dataclass(slots=True)
class Measured:
    """Running sums over a page's nodes, so that what a subtree holds is one subtraction."""

    view: PageView
    shapes: Shapes
    chars: list[int] = field(init=False)
    link_chars: list[int] = field(init=False)
    links: list[int] = field(init=False)
    images: list[int] = field(init=False)
    headings: list[int] = field(init=False)
    digits: list[int] = field(init=False)
    prices: list[int] = field(init=False)
    controls: list[int] = field(init=False)
    path_counts: dict[int, int] = field(init=False)
    _frames: dict[int, tuple[float, float]] = field(
        init=False, default_factory=lambda: {0: (0.0, 0.0)}
    )
    _insides: dict[int, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        view = self.view
        size = len(view.tags) + 1
        sums = [[0] * size for _ in range(8)]
        running = [0] * 8
        link_until = 0
        for index, tag in enumerate(view.tags):
            for number in range(8):
                sums[number][index] = running[number]
            if tag == "#text":
                if index in view.texts:
                    text = view.texts[index]
                    running[0] += len(text)
                    running[1] += len(text) if index < link_until else 0
                    running[5] += any(character.isdigit() for character in text)
                    running[6] += bool(_PRICE.search(text))
            elif tag == "a" and view.shown[index]:
                running[2] += 1
                link_until = max(link_until, view.ends[index])
            elif index in view.images:
                running[3] += 1
            elif tag in _HEADINGS:
                running[4] += 1
            elif tag in ("input", "button"):
                running[7] += 1
        for number in range(8):
            sums[number][size - 1] = running[number]
        (
            self.chars,
            self.link_chars,
            self.links,
            self.images,
            self.headings,
            self.digits,
            self.prices,
            self.controls,
        ) = sums
        self.path_counts = {}
        for index, path in enumerate(self.shapes.path):
            if view.shown[index]:
                self.path_counts[path] = self.path_counts.get(path, 0) + 1

    def inside(self, sums: list[int], record: tuple[int, ...]) -> int:
        """How much of one thing a record holds."""
        ends = self.view.ends
        return sum(sums[ends[root]] - sums[root] for root in record)

    def frame(self, index: int) -> tuple[float, float]:
        """How much the elements around a node speak of navigation, and how much of lists: by tags,
        classes, ids and roles.
        """
        ahead = []
        while index not in self._frames:
            ahead.append(index)
            index = self.view.parents[index]
        for below in reversed(ahead):
            node = self.view.tree[below]
            words = " ".join(
                [
                    *self.view.classes.get(below, ()),
                    node.attribute("id") or "",
                    node.attribute("role") or "",
                ]
            ).lower()
            is_frame = self.view.tags[below] in _FRAME_TAGS or bool(_FRAME_WORDS.search(words))
            above = self._frames[index]
            index = below
            self._frames[below] = (
                above[0] * 0.8 + is_frame,
                above[1] * 0.8 + bool(_LIST_WORDS.search(words)),
            )
        return self._frames[index]

    def repeats_inside(self, root: int) -> float:
        """Share of a node's text that stands in children of one tag that are all alike: high where
        it is a list itself, not a record.
        """
        if root not in self._insides:
            view, best = self.view, 0.0
            node, whole = root, self.inside(self.chars, (root,)) or 1
            for _ in range(6):
                children = [child for child in view.children[node] if view.text_count(child)]
                if len(children) > 1:
                    by_tag: dict[str, list[int]] = {}
                    for child in children:
                        by_tag.setdefault(view.tags[child], []).append(child)
                    for tag, members in by_tag.items():
                        if tag != "#text" and len(members) > 1:
                            first = self.shapes.of(members[0])
                            close = min(
                                alike(first, self.shapes.of(member)) for member in members[1:6]
                            )
                            if len(first) >= 4:
                                best = max(
                                    best,
                                    close
                                    * sum(self.inside(self.chars, (member,)) for member in members)
                                    / whole,
                                )
                    break
                if not children:
                    break
                node = children[0]
            self._insides[root] = best
        return self._insides[root]


def looked_at(records: Records) -> Records:
    """The records that are looked at one by one."""
    step = max(1, len(records) // MOST_RECORDS)
    return records[::step] if step == 1 else (*records[::step], records[-1])


def features(measured: Measured, candidate: Candidate) -> list[float]:
    """The features of a candidate, in the order of `treelace.extract.regions.candidates.NAMES`."""
    view, shapes = measured.view, measured.shapes
    records = candidate.records
    some = looked_at(records)
    count = len(some)
    page_chars, page_texts = measured.chars[-1] or 1, len(view.texts) or 1
    chars = [measured.inside(measured.chars, record) for record in some]
    texts = [measured.inside(view.text_before, record) for record in some]
    link_chars = [measured.inside(measured.link_chars, record) for record in some]
    links = [measured.inside(measured.links, record) for record in some]
    close = shapes.closeness(some)
    close.sort()
    bodies = [
        tuple(view.texts[text] for root in record for text in view.texts_in(root))
        for record in some
    ]
    kinds = {shapes.of_record(record) for record in some}
    heads = [view.tags[record[0]] for record in some]
    classes = [view.classes.get(record[0], ()) for record in some]
    parent = view.parents[records[0][0]]
    first, last = records[0][0], records[-1][-1]
    frame, list_words = measured.frame(parent)
    whole = sum(measured.inside(measured.chars, record) for record in records)
    around = _around(view, first, last)
    roots = [len(record) for record in some]
    before, after = _beside(measured, candidate)
    top_tag = heads[0]
    gaps = _gaps(view, records)
    mean_chars, mean_texts = sum(chars) / count, sum(texts) / count
    return [
        math.log(len(records)),
        float(len(records) == 2),
        float(len(records) == 3),
        float(len(records) >= 6),
        whole / page_chars,
        sum(measured.inside(view.text_before, record) for record in records) / page_texts,
        math.log1p(mean_chars),
        _spread(chars),
        math.log1p(mean_texts),
        _spread(texts),
        sum(number == 1 for number in texts) / count,
        sum(link_chars) / (sum(chars) or 1),
        sum(mine >= 0.95 * all_ for mine, all_ in zip(link_chars, chars, strict=True)) / count,
        sum(_starts_with_link(view, record) for record in some) / count,
        sum(number > 0 for number in links) / count,
        math.log1p(sum(links) / count),
        sum(measured.inside(measured.images, record) > 0 for record in some) / count,
        sum(measured.inside(measured.headings, record) > 0 for record in some) / count,
        sum(measured.inside(measured.digits, record) > 0 for record in some) / count,
        sum(measured.inside(measured.prices, record) > 0 for record in some) / count,
        sum(measured.inside(measured.controls, record) > 0 for record in some) / count,
        sum(close) / count,
        close[count // 4],
        math.log1p(sum(len(shapes.of_record(record)) for record in some[:20]) / len(some[:20])),
        len(set(bodies)) / count,
        len({body[0] for body in bodies if body}) / count,
        len(kinds) / count,
        float(len(set(heads)) == 1),
        float(len(set(classes)) == 1),
        frame,
        list_words,
        min(view.depths[first], 40) / 20,
        measured.chars[first] / page_chars,
        measured.chars[view.ends[last]] / page_chars,
        math.log(sum(roots) / count),
        float(max(roots) > 1),
        _spread(roots),
        float(candidate.is_joined),
        whole / (measured.inside(measured.chars, (around,)) or 1),
        before,
        after,
        sum(measured.repeats_inside(record[0]) for record in some if len(record) == 1) / count,
        math.log(measured.path_counts.get(shapes.path[parent], 1))
        if not candidate.is_joined
        else 0.0,
        float(top_tag == "tr"),
        float(top_tag in ("td", "th")),
        float(top_tag in ("li", "dt", "dd")),
        float(top_tag == "a"),
        float(top_tag in _HEADINGS),
        float(candidate.how in ("class", "class word")),
        float(candidate.how == "structure"),
        float(candidate.how == "separator"),
        float(candidate.how.startswith("head")),
        gaps,
        sorted(chars)[count // 4] / (mean_chars or 1),
        math.log(whole / page_chars + 1e-4),
    ]


def _spread(numbers: Sequence[int]) -> float:
    """Standard deviation over mean, at most 3."""
    mean = sum(numbers) / len(numbers)
    if not mean:
        return 3.0
    return min(
        3.0, math.sqrt(sum((number - mean) ** 2 for number in numbers) / len(numbers)) / mean
    )


def _starts_with_link(view: PageView, record: tuple[int, ...]) -> bool:
    texts = next((found for root in record if (found := view.texts_in(root))), [])
    if not texts:
        return False
    node = texts[0]
    while node > record[0]:
        node = view.parents[node]
        if view.tags[node] == "a":
            return True
    return False


def _around(view: PageView, first: int, last: int) -> int:
    above = view.parents[first]
    while above and not above < last < view.ends[above]:
        above = view.parents[above]
    return above


def _beside(measured: Measured, candidate: Candidate) -> tuple[float, float]:
    """How alike the nearest siblings with text before and after the region are to its records: high
    where records were left out.
    """
    view, shapes = measured.view, measured.shapes
    records = candidate.records
    found = []
    for record, at, step in ((records[0], records[0][0], -1), (records[-1], records[-1][-1], 1)):
        siblings = view.children[view.parents[at]]
        if at not in siblings:
            found.append(0.0)
            continue
        place = siblings.index(at) + step
        while 0 <= place < len(siblings) and not view.text_count(siblings[place]):
            place += step
        if not 0 <= place < len(siblings):
            found.append(0.0)
        elif len(record) == 1:
            found.append(alike(shapes.of(siblings[place]), shapes.of(record[0])))
        else:
            end = record[0] if step < 0 else record[-1]
            is_known = any(
                view.tags[siblings[place]] == view.tags[root]
                for root in (record[0], record[-1], end)
            )
            found.append(0.5 * is_known)
    return found[0], found[1]


def _gaps(view: PageView, records: Sequence[tuple[int, ...]]) -> float:
    """Share of the texts between the first and the last record that are in no record."""
    span = view.text_before[view.ends[records[-1][-1]]] - view.text_before[records[0][0]]
    inside = sum(view.text_count(root) for record in records for root in record)
    return max(0.0, 1 - inside / (span or 1))
