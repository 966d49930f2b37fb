"""Context: where on its page a candidate stands, what is written above it, and how its texts
read.
"""

from __future__ import annotations

import re
from math import log, log1p
from typing import TYPE_CHECKING
from unicodedata import category

from treelace.extract.page.html_rules import TOPICS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.oracles.records.candidates import Candidate
    from tests.oracles.records.view import PageView

PLACES = ("main", "article", "aside", "header", "nav", "footer")
ROLES = {
    "main": "main",
    "complementary": "aside",
    "banner": "header",
    "navigation": "nav",
    "contentinfo": "footer",
}
STOPS = ".!?…。！？"
FAR = 6.0
WORDS = [
    re.compile(
        "|".join(
            re.escape(word.rstrip("|")) + (r"(?![0-9A-Za-z_]|[^\x00-\x7f])" if "|" in word else "")
            for word in words.split()
        ),
        re.IGNORECASE | re.ASCII,
    )
    for words in TOPICS.values()
]


def context(
    view: PageView, candidate: Candidate, some: Sequence[tuple[int, ...]], count: int
) -> list[float]:
    """The numbers of a candidate; `some` are its records that are looked at one by one, `count` is
    how many candidates the page has.
    """
    records = candidate.records
    first, last = records[0][0], records[-1][-1]
    parent = view.parents[first]
    owner = next(node for node, children in enumerate(view.children) if first in children)

    def share(is_so: Callable[[int], bool]) -> float:
        return sum(is_so(record[0]) for record in some) / len(some)

    return [
        *_form(view, some),
        *(float(_is_in(view, first, place)) for place in PLACES),
        *(share(lambda root, n=number: _names(view, root, n)) for number in range(len(WORDS))),
        *(_around(view, parent, number) for number in range(len(WORDS))),
        *_titles(view, first, last, len(records)),
        *_page(view, count),
        *_in_main(view, candidate),
        share(lambda root: any(_is(view, node, "li") for node in range(root + 1, view.ends[root]))),
        float(sum(_is(view, node, "li") for node in _up(view, parent))),
        float(sum(_is(view, node, "table") for node in _up(view, parent))),
        log1p(len(view.children[owner])),
        _repeats_above(view, parent),
        float(view.tags[parent] == "ol"),
        *_days(view, records, some),
        *_said_above(view, first),
    ]


def _up(view: PageView, node: int) -> list[int]:
    """A node and all above it."""
    found = []
    while node:
        found.append(node)
        node = view.parents[node]
    return found


def _is(view: PageView, node: int, tag: str) -> bool:
    return view.tags[node] == tag and bool(view.shown[node])


def _texts(view: PageView, record: tuple[int, ...]) -> list[str]:
    start, stop = record[0], view.ends[record[-1]]
    return [text for node, text in view.texts.items() if start <= node < stop]


def _chars(view: PageView, start: int, stop: int) -> int:
    return sum(len(text) for node, text in view.texts.items() if start <= node < stop)


def _form(view: PageView, some: Sequence[tuple[int, ...]]) -> list[float]:
    few = number = stop = capital = sentences = commas = 0
    for record in some:
        texts = _texts(view, record)
        few += sum(len(text.split(" ")) for text in texts) <= 2
        sentences += sum(len(re.findall(f"[{STOPS}](?= |$)", text)) for text in texts)
        commas += sum(text.count(",") for text in texts)
        opening = next((sign for text in texts for sign in text if sign.isalnum()), "")
        number += bool(opening) and category(opening)[0] == "N"  # 三 is a letter that counts
        capital += opening.isupper()
        closing = next((text for text in reversed(texts) if len(text) > 1), "")
        stop += closing.endswith(tuple(STOPS))
    size = len(some)
    shares = [few / size, number / size, stop / size, capital / size]
    return [*shares, log1p(sentences / size), log1p(commas / size)]


MONTHS = (
    "january february march april may june july august september october november december"
).split()


def _part(word: str) -> str:
    """y: a year, n: a number of one or two figures, m: a month, else a dot."""
    if re.fullmatch("(?:19|20)[0-9]{2}", word):
        return "y"
    if re.fullmatch("[0-9]{1,2}(?:[A-Za-z]{2})?", word):
        return "n"
    plain = re.sub("[A-Z]", lambda found: found[0].lower(), word)
    is_month = len(plain.encode()) > 2 and any(month.startswith(plain) for month in MONTHS)
    return "m" if is_month or plain == "sept" else "."


def _names_day(text: str) -> bool:
    """A month beside a number, three numbers with a year at one end, or a year after a number and
    one to three words, in the first 160 letters.
    """
    if not re.search("[0-9]", text[:160]):
        return False
    words = "".join(sign if sign.isalnum() else " " for sign in text[:160]).split()
    parts = "".join(map(_part, words))
    return bool(re.search(r"m[ny]|[ny]m|nny|ynn|n.?.?\.y|n\.\.?y", parts))


def _days_of(view: PageView) -> dict[int, bool]:
    """Which texts name a day, by themselves or as the first of a month and its number."""
    nodes, texts = list(view.texts), list(view.texts.values())
    days: list[bool] = []
    for text, following in zip(texts, [*texts[1:], ""], strict=True):
        pair = _lone(text, 12) + _lone(following, 12)
        begins = _lone(text, 12) + _first(following)
        is_taken = bool(days) and days[-1] and not _names_day(texts[len(days) - 1])
        days.append(_names_day(text) or (not is_taken and (pair == "nm" or begins == "mn")))
    return dict(zip(nodes, days, strict=True))


def _words(text: str, most: int) -> list[str]:
    if len(text.encode()) > most:
        return []
    return "".join(sign if sign.isalnum() else " " for sign in text).split()


def _lone(text: str, most: int) -> str:
    words = _words(text, most)
    return _part(words[0]) if len(words) == 1 else "."


def _first(text: str) -> str:
    words = _words(text, 24)
    return _part(words[0]) if words else "."


CLOCK = re.compile(rb"[0-9](?::[0-9]{2}|(?!:) ?[ap]\.?m(?![0-9A-Za-z]))", re.IGNORECASE)


def _days(
    view: PageView, records: Sequence[tuple[int, ...]], some: Sequence[tuple[int, ...]]
) -> list[float]:
    known = _days_of(view)

    def days(record: tuple[int, ...]) -> list[bool]:
        return [is_day for node, is_day in known.items() if record[0] <= node < _end(view, record)]

    said = [days(record) for record in some]
    timed = [
        any(CLOCK.search(text.encode()[:160]) for text in _texts(view, record)) for record in some
    ]
    return [
        sum(map(any, said)) / len(some),
        sum(bool(texts) and texts[0] for texts in said) / len(some),
        sum(sum(texts) == 1 for texts in said) / len(some),
        log1p(sum(map(sum, said)) / len(some)),
        sum(sum(days(record)) for record in records) / max(1, sum(known.values())),
        sum(timed) / len(some),
    ]


def _end(view: PageView, record: tuple[int, ...]) -> int:
    return view.ends[record[-1]]


def _said_above(view: PageView, first: int) -> list[float]:
    """The topics that the text before and the heading near by name, else the heading before it."""
    nodes, texts = list(view.texts), list(view.texts.values())
    start = view.text_before[first]
    said = texts[start - 1 : start] if start else []
    for heading in [node for node in _headings(view) if node < first][:-3:-1]:
        end = view.text_before[view.ends[heading]]
        is_first = heading == [node for node in _headings(view) if node < first][-1]
        if end + 12 >= start and (is_first or not any(_topics(said))):
            inside = [at for at, node in enumerate(nodes) if heading < node < view.ends[heading]]
            said = [*said, *(texts[at] for at in inside)]
    return [float(topic) for topic in _topics(said)]


def _topics(texts: Sequence[str]) -> list[bool]:
    short = [text for text in texts if len(text) <= 60]
    return [any(words.search(text) for text in short) for words in WORDS]


def _is_in(view: PageView, node: int, place: str) -> bool:
    return any(
        bool(view.shown[above])
        and (
            view.tags[above] == place
            or ROLES.get(view.tree[above].attribute("role") or "") == place
        )
        for above in _up(view, node)
        if view.tags[above] != "#text"
    )


def _names(view: PageView, node: int, topic: int) -> bool:
    if view.tags[node] in ("#text", "#other") or not view.shown[node]:
        return False
    said = (view.tree[node].attribute(name) for name in ("class", "id", "role", "itemprop"))
    return any(WORDS[topic].search(value) for value in said if value)


def _around(view: PageView, node: int, topic: int) -> float:
    """1 at an element that names the topic, and .8 of that at each level below."""
    value = 1.0
    for above in _up(view, node):
        if view.tags[above] not in ("html", "body") and _names(view, above, topic):
            return value
        if view.shown[above]:
            value *= 0.8
    return 0.0


def _headings(view: PageView) -> list[int]:
    return [
        node
        for node, tag in enumerate(view.tags)
        if re.fullmatch("h[1-6]", tag) and view.shown[node] and view.text_count(node)
    ]


def _titles(view: PageView, first: int, last: int, count: int) -> list[float]:
    headings, end = _headings(view), view.ends[last]
    before = [node for node in headings if node < first]
    after = [node for node in headings if node >= end]
    inside = len(headings) - len(before) - len(after)
    near = [FAR, 0.0]
    if before:
        stop = view.ends[before[-1]]
        between = max(0, view.text_before[first] - view.text_before[stop])
        near = [log1p(between), log1p(_chars(view, before[-1], stop))]
    following = log1p(view.text_before[after[0]] - view.text_before[end]) if after else FAR
    title = next((node for node in headings if view.tags[node] == "h1"), None)
    page = max(1, _chars(view, 0, len(view.tags)))
    distance = -1.0
    if title is not None:
        distance = (_chars(view, 0, first) - _chars(view, 0, title)) / page
    return [*near, log1p(inside / count), following, distance]


def _page(view: PageView, count: int) -> list[float]:
    words = [len(text.split(" ")) for text in view.texts.values()]
    chars, texts = _chars(view, 0, len(view.tags)), len(view.texts)
    in_links = sum(
        len(text)
        for node, text in view.texts.items()
        if any(_is(view, above, "a") for above in _up(view, node))
    )
    return [
        log(count),
        log1p(texts),
        log1p(chars / max(1, texts)),
        sum(number for number in words if number >= 20) / max(1, sum(words)),
        in_links / max(1, chars),
    ]


def _in_main(view: PageView, candidate: Candidate) -> list[float]:
    nodes = [node for node, tag in enumerate(view.tags) if tag[0] != "#" and view.shown[node]]
    mains = [
        node
        for node in nodes
        if view.tags[node] == "main" or view.tree[node].attribute("role") == "main"
    ] or [node for node in nodes if view.tags[node] == "article"]
    if not mains:
        return [-2.0, 0.0]
    start = _chars(view, 0, mains[0])
    whole = max(1, _chars(view, mains[0], view.ends[mains[0]]))
    held = sum(len(text) for record in candidate.records for text in _texts(view, record))
    from_start = (_chars(view, 0, candidate.records[0][0]) - start) / whole
    return [min(2.0, max(-1.0, from_start)), min(2.0, held / whole)]


def _repeats_above(view: PageView, parent: int) -> float:
    most = 0
    for node in _up(view, parent)[:4]:
        if view.tags[node] in ("html", "body"):
            break
        kind = view.tags[node], view.classes.get(node, ())
        alike = [
            other
            for other in view.children[view.parents[node]][:200]
            if (view.tags[other], view.classes.get(other, ())) == kind and view.text_count(other)
        ]
        most = max(most, len(alike))
    return log1p(most)
