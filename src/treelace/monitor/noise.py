"""Noise: texts of a change not worth telling, by what the page said before. Pure.

Looked at one after the other: signs and spaces; the order; menus, forms and the foot of the page;
ages, and years of copyright; texts that differ in their numbers alone, at a spot where that happens
at most looks (a *spot* is a text by the text before it: a counter stays behind its label); and
texts that were there before and come back, as adverts do that take turns. What is left is news. A
paragraph that comes back is news, and so is what goes and nothing comes in its place. How often a
text changes is not enough: a page that shows another programme each week has news each week, and
its words are new.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

MAX_EARLIER_VERSIONS = 12
"""Versions before the last one that are looked at."""
MIN_CHANGES_OF_A_SPOT = 2
"""Changes of a spot from which on it can be called restless."""
MIN_RESTLESS_RATE = 0.5
"""The share of versions in which a node that is restless changed."""
MIN_PARAGRAPH = 80
"""Characters from which on a text is a paragraph: that one comes back is news."""
MIN_RECORDS_SEEN, MIN_RECORDS_FOR_A_SHARE, MIN_NOISE_SHARE = 3, 8, 0.8
"""Records from which on a column that changes in all of them is noise; records from which on this
share of them is enough.
"""
MAX_AGE_TEXT = 40
"""Characters of a text that says how long ago something was."""

_AGE = re.compile(
    r"\b(ago|just now|yesterday|today|seconds?|minutes?|hours?"
    r"|vor|heute|gestern|vorgestern|sekunden?|minuten?|stunden?|tagen?|uhr"
    r"|il y a|hier|aujourd'hui|hace|ayer|hoy|fa|ieri|oggi"
    r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(slots=True)
class ColumnChanges:
    """How many records that were seen again changed a column, in one round so far.

    A column that changes in nearly every record of a kind at one look is a counter or a rotating
    strip: noise, from the second look on. Prices are never: a shop may change all of them. Where
    most columns change, the pages show other records, and that is news.

    >>> changes = ColumnChanges()
    >>> for number in range(4):
    ...     changes.add("item", 1, [({"visits": number, "stock": 3}, {"visits": 7, "stock": 3})])
    >>> changes.noise("item")
    {'visits'}
    """

    seen: Counter[str] = field(default_factory=Counter)
    changed: Counter[tuple[str, str]] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)
    """The columns with a value of the fullest record that changed, by kind."""

    def add(
        self,
        kind: str,
        records: int,
        changes: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]],
    ) -> None:
        """Counts the records of a page that was seen before, and the old and new values of those
        that changed.
        """
        self.seen[kind] += records
        for old, new in changes:
            full = sum(value is not None for value in new.values())
            self.filled[kind] = max(self.filled[kind], full)
            self.changed.update(
                (kind, name)
                for name, value in new.items()
                if old.get(name) != value and not _is_price(name, new)
            )

    def noise(self, kind: str) -> set[str]:
        """The columns that changed in nearly every record of a kind."""
        seen = self.seen[kind]
        least = seen if seen < MIN_RECORDS_FOR_A_SHARE else MIN_NOISE_SHARE * seen
        found = {
            name
            for (of, name), count in self.changed.items()
            if of == kind and seen >= MIN_RECORDS_SEEN and count >= least
        }
        return found if 2 * len(found) <= self.filled[kind] else set()


def _is_price(name: str, values: Mapping[str, Any]) -> bool:
    whole = name.removesuffix(" text").removesuffix(" currency")
    return f"{whole} currency" in values


@dataclass(slots=True)
class News:
    """What of a change is news: texts that came and texts that went; and why the rest is not."""

    come: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def news_of(
    old: Sequence[str],
    new: Sequence[str],
    earlier: Sequence[Sequence[str]] = (),
    *,
    frame: Collection[str] = (),
    rate: Callable[[int], float] | None = None,
) -> News:
    """What is news from `old` to `new`; `earlier` versions before `old` come newest first.

    `frame` are texts that stand in the page's menus, forms and foot only. `rate(i)` is the share of
    all versions in which the i-th new text changed.

    >>> earlier = [["Tea", "70 comments"], ["Tea", "64 comments"]]
    >>> news_of(["Tea", "72 comments"], ["Tea", "77 comments"], earlier).reasons
    ['numbers that change at most looks']
    >>> news_of(["Tea", "€72"], ["Tea", "€64"], [["Tea", "€72"], ["Tea", "€72"]]).come
    ['€64']
    >>> news_of(["Tea", "Buy!"], ["Tea", "Hurry!"], [["Tea", "Hurry!"], ["Tea", "Buy!"]]).reasons
    ['texts that were there before and take turns']
    """
    before, after = Counter(map(_folded, old)), Counter(map(_folded, new))
    news = News()
    if before == after:
        news.reasons.append(
            "the order" if sorted(old) == sorted(new) else "signs, spaces or the order"
        )
        return news
    come, gone = _only(new, after - before), _only(old, before - after)
    steps: dict[str, Callable[[], bool]] = {
        "menus, forms or the foot of the page": lambda: _framed(come, gone, frame),
        "times and ages": lambda: _ages(come, gone),
        "the year of the copyright": lambda: _years(come, gone),
        "numbers that change at most looks": lambda: _numbers(come, gone, old, new, earlier, rate),
        "texts that were there before and take turns": lambda: _turns(come, gone, earlier),
    }
    news.reasons = [reason for reason, explains in steps.items() if (come or gone) and explains()]
    news.come, news.gone = come, gone
    if not (come or gone or news.reasons):
        news.reasons.append("signs, spaces or the order")
    return news


def _folded(text: str) -> str:
    """A text by its words and numbers."""
    return " ".join(_WORDS.findall(text))


def _only(texts: Iterable[str], wanted: Counter[str]) -> list[str]:
    """The texts whose words are all among these, counted; those without words are dropped."""
    left = wanted.copy()
    found = []
    for text in texts:
        words = _folded(text)
        if words and left[words] > 0:
            left[words] -= 1
            found.append(text)
    return found


def _framed(come: list[str], gone: list[str], frame: Collection[str]) -> bool:
    """What stands in the frame of the page alone."""
    count = len(come) + len(gone)
    come[:], gone[:] = ([text for text in texts if text not in frame] for texts in (come, gone))
    return len(come) + len(gone) < count


def _paired(come: list[str], gone: list[str], is_pair: Sequence[tuple[str, str]]) -> bool:
    """Takes pairs (gone, come) out of both; whether there were any."""
    for left, right in is_pair:
        gone.remove(left)
        come.remove(right)
    return bool(is_pair)


def _ages(come: list[str], gone: list[str]) -> bool:
    """How long ago, or when today: short texts of time for short texts of time."""
    fresh, stale = (
        [text for text in texts if len(text) <= MAX_AGE_TEXT and _is_age(text)]
        for texts in (come, gone)
    )
    return _paired(come, gone, list(zip(stale, fresh, strict=False)))


def _is_age(text: str) -> bool:
    rest = [word for word in _WORDS.findall(_AGE.sub(" ", text)) if not word.isdigit()]
    return _AGE.search(text) is not None and any(map(str.isdigit, text)) and len(rest) <= 1


def _years(come: list[str], gone: list[str]) -> bool:
    """The line of the copyright; and a year that stands alone and becomes the next."""
    lines = [text for text in (*come, *gone) if "©" in text and len(text) < MIN_PARAGRAPH]
    come[:], gone[:] = ([text for text in texts if text not in lines] for texts in (come, gone))
    pairs = [
        (text, other)
        for text in gone
        if _YEAR.fullmatch(text)
        for other in come
        if other.isdecimal() and int(other) == int(text) + 1
    ]
    return _paired(come, gone, pairs[:1]) or bool(lines)


def _numbers(
    come: list[str],
    gone: list[str],
    old: Sequence[str],
    new: Sequence[str],
    earlier: Sequence[Sequence[str]],
    rate: Callable[[int], float] | None,
) -> bool:
    """Texts that differ in numbers alone, where they did so at most looks."""
    if len(earlier) < MIN_CHANGES_OF_A_SPOT and rate is None:
        return False
    then, now = _spots(old), _spots(new)
    past = [_spots(texts) for texts in (old, *earlier)]
    pairs = []
    fresh, stale = Counter(come), Counter(gone)
    for spot, text in now.items():
        other = then.get(spot)
        if other is None or fresh[text] < 1 or stale[other] < 1 or text == other:
            continue
        values = [known[spot] for known in past if spot in known]
        changes = sum(one != two for one, two in pairwise(values))
        if (changes >= MIN_CHANGES_OF_A_SPOT and 2 * changes >= len(values) - 1) or (
            rate is not None and rate(new.index(text)) >= MIN_RESTLESS_RATE
        ):
            fresh[text] -= 1
            stale[other] -= 1
            pairs.append((other, text))
    return _paired(come, gone, pairs)


def _spots(texts: Sequence[str]) -> dict[tuple[str, str], str]:
    """Texts with numbers, by the words around them and the text before; the first of equals."""
    found: dict[tuple[str, str], str] = {}
    before = ""
    for text in texts:
        masked = masked_numbers(text)
        if masked != text:
            found.setdefault((before, masked), text)
        before = masked
    return found


def masked_numbers(text: str) -> str:
    """A text without its numbers, and without the ends of words that follow them.

    >>> masked_numbers("1 visitor") == masked_numbers("1,204 visitors")
    True
    """
    bare = re.sub(r"\d[\d.,:]*", "#", text)
    return re.sub(r"(?<=# )(\w{3,}?)(?:e?[sn]|e)?\b", r"\1", bare)


def _turns(come: list[str], gone: list[str], earlier: Sequence[Sequence[str]]) -> bool:
    """Short texts that were there before and come back, for texts that came not long ago."""
    known = [set(texts) for texts in earlier]
    back = [
        text
        for text in come
        if len(text) < MIN_PARAGRAPH
        and any(map(str.isalpha, text))
        and any(text in texts for texts in known)
    ]
    lately = [text for text in gone if any(text not in texts for texts in known)]
    if not come or len(back) < len(come) or len(lately) < len(gone):
        return False
    come.clear()
    gone.clear()
    return True
