"""Pagination: a list that is cut into pages (`/tea`, `/tea?page=2`), told by its addresses."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

SAME_LIST = 0.5
"""Pages of one list are one class from here on: on a small page a pager differs much."""
MIN_CONTINUED = 0.9
"""Share of what pages of a list have in common that its first page has, or the other way round:
`/jobs/17` does not go on with the list `/jobs`.
"""
_FIRST_OR_NUMBERED = re.compile(
    r"(/page)?/[0-9]{1,4}/?$"  # /tea/page/2, /tea/2
    r"|/(index|page-?[0-9]{1,4}|index-?[0-9]{1,4})(\.[a-z]{3,5})?/?$"  # /index2.html, /page-2.html
)
_NAMED_PAGE = re.compile(r"([a-z])[0-9]{1,3}(?=\.html?$)")
"""The number of a page of a list with a name, as in `/tea2.html`."""


def list_address(url: str) -> str:
    """What the addresses of a list that is cut into pages have in common.

    >>> pages = ["https://a.example/tea?page=2", "https://a.example/tea/page/3"]
    >>> {list_address(url) for url in pages} == {list_address("https://a.example/tea")}
    True
    >>> list_address("https://a.example/tea2.html"), list_address("https://a.example/index-2.html")
    ('a.example/tea.html', 'a.example')
    """
    parts = urlsplit(url)
    path = _NAMED_PAGE.sub(r"\1", _FIRST_OR_NUMBERED.sub("", parts.path))
    return f"{parts.netloc}{path.rstrip('/')}"


def join_paginated(
    urls: Sequence[str],
    labels: Sequence[int],
    similarities: NDArray[np.float64],
    contained: Callable[[Sequence[int], Sequence[int]], float],
) -> list[int]:
    """The clusters, those that the pages of lists tie together made one: of the smaller one more
    than half of the pages go on in the other, by their addresses and their looks. `contained` says
    how much of what some pages have in common others have.
    """
    lists: dict[str, list[int]] = {}
    members: dict[int, list[int]] = {}
    for number, (url, label) in enumerate(zip(urls, labels, strict=True)):
        lists.setdefault(list_address(url), []).append(number)
        members.setdefault(label, []).append(number)
    tied: dict[tuple[int, int], set[int]] = {}
    for pages in lists.values():
        if len({labels[one] for one in pages}) > 1:
            for one, other in permutations(pages, 2):
                if labels[one] != labels[other] and similarities[one, other] >= SAME_LIST:
                    tied.setdefault((labels[one], labels[other]), set()).add(one)
    into = dict[int, int]()
    for (one, other), pages_tied in sorted(tied.items()):
        first, last = sorted((_last(into, one), _last(into, other)))
        some, others = members[one], members[other]
        if first == last or 2 * len(pages_tied) <= len(some):
            continue
        if max(contained(some, others), contained(others, some)) >= MIN_CONTINUED:
            into[last] = first
    return [_last(into, label) for label in labels]


def _last(into: Mapping[int, int], label: int) -> int:
    while label in into:
        label = into[label]
    return label
