"""The record of a page that is about one thing: its title, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log

from treelace.extract.page.page_view import PageView
from treelace.extract.records.page_pieces import Piece, own_label, pieces, text_of

MAX_FIELDS = 40
"""Fields of a record besides its title."""

MAX_TITLE_LENGTH = 300
"""Characters of a title."""

HALF = 0.5
"""Share of words in common from which on a picture's description speaks of a title."""

MAX_PIECES = 3_000
"""Pieces of a page that are looked at."""

_ASIDE = re.compile(
    r"nav|menu|foot|crumb|sidebar|aside|related|recommend|similar|also|advert|\bads?\b|banner|promo|sponsor"
    r"|comment|review|share|social|login|search|copyright|pagination|pager|widget|toolbar|popular"
    r"|latest|recent|mostview|cookie|consent|newsletter|subscri|popup|modal|cart|account|header",
    re.IGNORECASE,
)
"""Words of elements around what is not said of the page's thing."""

_ABOUT = re.compile(
    r"product|detail|info|spec|summary|price|title|name|author|date|address|phone|tel|location"
    r"|venue|rating|recipe|meta|profile|bio|attribute|feature|job|event|fact|data|field|value",
    re.IGNORECASE,
)
"""Words of elements around what is said of a thing."""

_TITLE_CLASS = re.compile("title|name|headline|heading", re.IGNORECASE)
_PARTS = re.compile(r"\s+[|·•»«:–—-]+\s+|\s*[|»«]\s*|:\s+|\s+::\s+")
_PRICE = re.compile(r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF)\b)\s*\d|\d\s*(?:[$€£¥₹]|(?:USD|EUR|GBP)\b)")
_PHONE = re.compile(r"\+?\(?\d{2,4}\)?[\s./-]\d{2,4}[\s./-]\d{2,5}")
_DATE = re.compile(
    r"\b(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d\d\b"
    r"|\b[^\W\d]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b"
    r"|\b\d{1,2}\.? [^\W\d]{3,10}\.? (?:19|20)\d\d\b"
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_TITLE_PROPERTIES = ("name", "headline", "title")

TITLE_WEIGHTS = {
    "first part": 1.27,
    "any part": 0.9,
    "starts": 1.26,
    "inside": 0.63,
    "share": 1.4,
    "h1": 0.76,
    "h2": 0.64,
    "heading": 1.22,
    "class": 1.09,
    "property": 1.0,
    "aside": -0.41,
    "link": -0.51,
    "after": -0.16,
    "length": 0.39,
    "one word": -0.34,
}
"""What speaks for a piece as the title. Learnt: `python -m experiments.records.details --fit`, but
for `property`, which the pages learnt from do not have.
"""

WEIGHTS = {
    "label": 1.24,
    "heading": 0.19,
    "own label": 0.09,
    "property": 0.99,
    "like title": 0.97,
    "is heading": -0.6,
    "after": -0.36,
    "before": -0.6,
    "block": -0.07,
    "aside": 0.01,
    "about": 0.53,
    "link": -0.14,
    "prose": -0.22,
    "price": 0.16,
    "date": -0.25,
    "phone": 0.24,
    "digits": -0.55,
    "copy": 0.4,
    "list item": -0.94,
    "stop": -0.03,
}
"""What speaks for a piece as a field of the record; learnt with them."""


@dataclass(frozen=True, eq=False)
class PageRecord:
    """The pieces of a page, and which of them make its record. Time linear in the nodes, but for
    the levels above each piece.
    """

    view: PageView

    @cached_property
    def pieces(self) -> list[Piece]:
        """What the page shows, piece by piece."""
        return pieces(self.view)[:MAX_PIECES]

    @cached_property
    def texts(self) -> list[str]:
        """What each piece says."""
        return [text_of(self.view, piece) for piece in self.pieces]

    @cached_property
    def chosen(self) -> list[int]:
        """The numbers of the pieces that make the record, the title first; none without one."""
        if self.title is None:
            return []
        scores = [_sum(WEIGHTS, row) for row in self.features]
        said = {self.texts[self.title].casefold()}
        kept: list[int] = []
        for number in sorted(range(len(scores)), key=lambda at: (-scores[at], at)):
            text = self.texts[number].casefold()
            if number != self.title and text not in said and len(kept) < MAX_FIELDS:
                said.add(text)
                kept.append(number)
        return [self.title, *sorted(kept)]

    @cached_property
    def title(self) -> int | None:
        """The number of the piece that is the title of what the page is about."""
        short = [at for at, text in enumerate(self.texts) if len(text) <= MAX_TITLE_LENGTH]
        likely = [
            at
            for at in short
            if not self._title_words.isdisjoint(self._words[at])
            or self.view.tags[self.pieces[at].block] in _HEADINGS
        ]
        return max(
            likely or short,
            key=lambda at: (_sum(TITLE_WEIGHTS, self.title_features(at)), -at),
            default=None,
        )

    @cached_property
    def _words(self) -> list[list[str]]:
        return list(map(_words, self.texts))

    @cached_property
    def page_title(self) -> str:
        """What the page calls itself in its head."""
        for node in self.view.tree.select("title", limit=1):
            return " ".join(node.text.split())
        return ""

    @cached_property
    def _title_parts(self) -> list[list[str]]:
        """The words of the page's title, then of its parts."""
        runs = [self.page_title, *_PARTS.split(self.page_title)]
        return [words for run in runs if (words := _words(run))]

    def title_features(self, number: int) -> list[float]:
        """What speaks for a piece as the title, in the order of `TITLE_WEIGHTS`."""
        view, piece, text = self.view, self.pieces[number], self.texts[number]
        node = piece.nodes[0]
        tags: set[str] = set()
        names: list[str] = []
        for _ in range(4):
            node = view.parents[node]
            if view.text_count(node) > len(piece.nodes) + 2:
                break
            tags.add(view.tags[node])
            names += view.class_words(node)
        said = self._words[number]
        whole = self._title_parts[0] if self._title_parts else []
        likeness = [_dice(said, part) for part in self._title_parts]
        is_inside = bool(said) and f" {' '.join(said)} " in f" {' '.join(whole)} "
        return [
            max(likeness[:2], default=0.0),
            max(likeness, default=0.0),
            max((_start(said, part) for part in self._title_parts), default=0.0),
            is_inside * log(1 + len(said)),
            len({*said} & {*whole}) / max(1, len({*said})),
            float("h1" in tags),
            float("h2" in tags),
            float(not tags.isdisjoint(_HEADINGS)),
            float(bool(_TITLE_CLASS.search(" ".join(names)))),
            float(self._property(piece) in _TITLE_PROPERTIES),
            min(2.0, self._around(piece.block)[0]),
            float(self._is_linked(piece)),
            log(1 + number),
            log(1 + len(text)),
            float(len(said) == 1),
        ]

    @cached_property
    def features(self) -> list[list[float]]:
        """What speaks for each piece as a field, in the order of `WEIGHTS`."""
        title = self.title or 0
        said: set[str] = set()
        made = []
        for number, (piece, text) in enumerate(zip(self.pieces, self.texts, strict=True)):
            aside, about = self._around(piece.block)
            words, is_short, has_own = self._words[number], len(text) < 40, bool(own_label(text))
            is_bare = not (piece.label or has_own)
            made.append(
                [
                    float(bool(piece.label)),
                    float(bool(piece.heading)),
                    float(has_own),
                    float(bool(self._property(piece))),
                    self._likeness(words),
                    float(self.view.tags[piece.block] in _HEADINGS),
                    log(1 + max(0, number - title)),
                    float(number < title),
                    log(1 + self._sizes[number]),
                    aside,
                    about,
                    float(not piece.label and self._is_linked(piece)),
                    float(len(text) > 300),
                    float(is_short and bool(_PRICE.search(text))),
                    float(len(text) < 60 and bool(_DATE.search(text))),
                    float(is_short and bool(_PHONE.search(text))),
                    float(is_bare and is_short and any(map(str.isdigit, text))),
                    float(text in said),
                    float(is_bare and self.view.tags[piece.block] == "li"),
                    float(text.endswith((".", "!", "?", "…", "»", "›"))),
                ]
            )
            said.add(text)
        return made

    def _likeness(self, words: Sequence[str]) -> float:
        """How alike words are to those of the page's title, or of a part of it."""
        if self._title_words.isdisjoint(words):
            return 0.0
        return max(_alike(words, part) for part in self._title_parts)

    @cached_property
    def _title_words(self) -> frozenset[str]:
        return frozenset(self._title_parts[0] if self._title_parts else ())

    @cached_property
    def _sizes(self) -> list[int]:
        """Texts of the smallest element around each piece and the title."""
        view = self.view
        if self.title is None:
            return [len(view.text_nodes)] * len(self.pieces)
        chain = [self.pieces[self.title].block]
        while chain[-1]:
            chain.append(view.parents[chain[-1]])
        return [
            view.text_count(next(at for at in chain if at <= piece.nodes[0] < view.ends[at]))
            for piece in self.pieces
        ]

    def _property(self, piece: Piece) -> str:
        """What the element of a piece says it is (`itemprop`)."""
        holder = self.view.parents[piece.nodes[0]]
        return self.view.properties.get(holder) or self.view.properties.get(piece.block, "")

    def _is_linked(self, piece: Piece) -> bool:
        node = piece.nodes[0]
        while node > piece.block:
            node = self.view.parents[node]
            if self.view.tags[node] == "a":
                return True
        return self.view.tags[self.view.parents[piece.block]] == "a"

    @cached_property
    def _known_around(self) -> dict[int, tuple[float, float]]:
        return {0: (0.0, 0.0)}

    def _around(self, node: int) -> tuple[float, float]:
        """How many of the elements around a node speak of other things, and of its thing."""
        known, path = self._known_around, []
        while node not in known:
            path.append(node)
            node = self.view.parents[node]
        aside, about = known[node]
        for at in reversed(path):
            name = self.view.tree[at].attribute("id") or ""
            words = " ".join((self.view.tags[at], *self.view.class_words(at), name))
            speaks = _speaks_of(words)
            aside, about = min(3.0, aside + speaks[0]), min(3.0, about + speaks[1])
            known[at] = aside, about
        return aside, about


@lru_cache(maxsize=4096)
def _speaks_of(words: str) -> tuple[bool, bool]:
    """Whether the names of an element speak of other things, and whether of its thing."""
    return bool(_ASIDE.search(words)), bool(_ABOUT.search(words))


def _sum(weights: dict[str, float], row: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights.values(), row, strict=True))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _dice(words: Sequence[str], others: Sequence[str]) -> float:
    """Share of words in common."""
    left, right = {*words}, {*others}
    return 2 * len(left & right) / max(1, len(left) + len(right))


def _alike(words: Sequence[str], others: Sequence[str]) -> float:
    return max(_dice(words, others), _start(words, others))


def is_like(text: str, other: str) -> bool:
    """Whether two texts have at least half of their words in common."""
    return _dice(_words(text), _words(other)) >= HALF


def _start(words: Sequence[str], others: Sequence[str]) -> float:
    """The share of words that others begin with, if it is two of them or all."""
    count = 0
    for word, other in zip(words, others, strict=False):
        if word != other:
            break
        count += 1
    return count / len(words) if count > 1 or (words and count == len(words)) else 0.0
