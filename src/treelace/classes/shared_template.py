"""One template, more or less filled: posts with code blocks and posts without are one class.

On a plain design the content of a page outweighs its template, and pages of one template fall into
several clusters. Their addresses have one form, and what all pages of one cluster have, all pages
of the other have, too. An about page may be so contained in a product page; so addresses that say
nothing (`/about`, `/tea`) do not join, and neither do lists, which show records of their own.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from treelace.classes.layout import LayoutSpace, address_form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treelace._kernel import Features

MIN_SAME_FORM = 0.9
"""Share of the pages of each cluster whose addresses have a form that the other has as often."""
MIN_CONTAINED = 0.95
"""Share of what all pages of one cluster have in common that pages of the other have."""
_ANY_PAGE = "*"
"""The form of an address in the first folder."""


def join_templates(
    clusters: Sequence[Sequence[str]],
    sketches: Mapping[str, Features],
    is_one_record: Callable[[Sequence[str]], bool],
) -> list[list[str]]:
    """The clusters, those of one template joined; `is_one_record` says whether a page of some is
    one record, and is asked only of those that may be joined.
    """
    urls = [url for some in clusters for url in some]
    forms = [Counter(map(address_form, some)) for some in clusters]
    pairs = [
        (one, other)
        for one in range(len(clusters))
        for other in range(one)
        if _same_forms(forms[one], forms[other])
    ]
    if not pairs:
        return [list(some) for some in clusters]
    space = LayoutSpace([sketches[url] for url in urls], urls)
    starts = [sum(map(len, clusters[:at])) for at in range(len(clusters))]
    rows = [range(start, start + len(some)) for start, some in zip(starts, clusters, strict=True)]
    into = list(range(len(clusters)))
    answers: dict[int, bool] = {}
    for one, other in pairs:
        contained = max(
            space.contained(rows[one], rows[other]), space.contained(rows[other], rows[one])
        )
        if contained < MIN_CONTAINED or into[one] == into[other]:
            continue
        for asked in (one, other):
            if asked not in answers:
                answers[asked] = is_one_record(clusters[asked])
        if answers[one] and answers[other]:
            first, last = sorted((into[one], into[other]))
            into = [first if it == last else it for it in into]
    joined: dict[int, list[str]] = {}
    for at, some in enumerate(clusters):
        joined.setdefault(into[at], []).extend(some)
    return [sorted(some) for some in joined.values()]


def _same_forms(one: Counter[str], other: Counter[str]) -> bool:
    """Whether nearly all addresses of both have the same forms, which say something."""
    shared = sum(
        min(one[form] / one.total(), other[form] / other.total())
        for form in one
        if form != _ANY_PAGE
    )
    return shared >= MIN_SAME_FORM
