"""Evidence that pages are one record each, although something on them repeats as a list does.

The page of a film has more critics than facts, and that of a car a long strip of other models; old
pages are laid out in tables, three or four to a page, that repeat and are no records. What tells
them from lists are labels. A list has few besides its records, and each record has the same. A page
that is one record says `Genre:` once, as the others do, with another genre behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from treelace.extract.page.page_view import PageView
from treelace.tree import Tree
from treelace.wrappers.model.text_shapes import MAX_NAME_LENGTH, has_letters

MIN_PAGES_WITH_LABEL = 0.6
"""Share of the pages that have a text which is a label or another part of the frame."""
MIN_PAGES_WITH_VALUE, MIN_VARIETY = 0.5, 0.5
"""Share of the pages with a value behind a label; share of these values that differ."""
MIN_LABELLED_VALUES = 4
"""Labels with values outside of a list that make each page a record: true lists have one or two."""
MIN_TOLD_APART = 0.5
"""Share of the texts in repeated elements that the same one of them has on every page, and no
other: then they are parts of the frame, each with its own labels.
"""
MIN_UNEVEN = 3
"""How many times more texts the longest part of a page has than the shortest."""


def are_one_record_each(pages: Sequence[Tree], records: Sequence[Sequence[int]]) -> bool:
    """Whether each page is one record; `records` are the elements that repeat on each."""
    inside, outside = [], []
    for page, roots in zip(pages, records, strict=True):
        view = PageView.of(page)
        texts = sorted((at, text) for at, text in view.texts.items() if has_letters(text))
        ends = [page.end(root) for root in roots]
        spans = list(zip(roots, ends, strict=True))
        inside.append([[text for at, text in texts if low <= at < high] for low, high in spans])
        outside.append(
            [text for at, text in texts if not any(low <= at < high for low, high in spans)]
        )
    known = {text for parts in inside for part in parts for text in part}
    return _labelled_values(outside, known) >= MIN_LABELLED_VALUES or _are_parts(inside)


def _labelled_values(pages: Sequence[Sequence[str]], known: set[str]) -> int:
    """How many labels the pages share, each once a page and with one value behind it that differs
    from page to page; texts that records have too (`known`) are no labels.

    What follows a value must be frame again: a heading before a list of choices is no label.
    """
    counts = Counter(text for texts in pages for text in set(texts))
    repeated = {text for texts in pages for text, count in Counter(texts).items() if count > 1}
    frame = {text for text, count in counts.items() if count >= MIN_PAGES_WITH_LABEL * len(pages)}
    labels = {text for text in frame - repeated - known if len(text) <= MAX_NAME_LENGTH}
    values: dict[str, list[str]] = {}
    for texts in pages:
        for label, value, after in zip(texts, texts[1:], [*texts[2:], ""], strict=False):
            if label in labels and value not in frame and (after in frame or not after):
                values.setdefault(label, []).append(value)
    return sum(
        len(found) >= max(2, MIN_PAGES_WITH_VALUE * len(pages))
        and len(set(found)) >= max(2, MIN_VARIETY * len(found))
        for found in values.values()
    )


def _are_parts(pages: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Whether repeated elements are parts of the frame: as many on every page, some much longer
    than others, and the first, the second and so on say each the same on all pages, and other
    things than their neighbours.
    """
    if len({len(parts) for parts in pages}) > 1 or not all(map(_are_uneven, pages)):
        return False
    places: Counter[tuple[int, str]] = Counter()
    for parts in pages:
        within = Counter(text for part in parts for text in set(part))
        places.update(
            (number, text)
            for number, part in enumerate(parts)
            for text in set(part)
            if within[text] == 1
        )
    own = {place for place, count in places.items() if count == len(pages)}
    total = sum(len(part) for parts in pages for part in parts)
    told_apart = sum(
        (number, text) in own
        for parts in pages
        for number, part in enumerate(parts)
        for text in part
    )
    return told_apart >= max(1, MIN_TOLD_APART * total)


def _are_uneven(parts: Sequence[Sequence[str]]) -> bool:
    lengths = [len(part) for part in parts]
    return bool(lengths) and max(lengths) >= MIN_UNEVEN * max(1, min(lengths))
