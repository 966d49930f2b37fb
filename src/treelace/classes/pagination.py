"""Pagination: a list that is cut into pages (`/tea`, `/tea?page=2`), told by its addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAME_LIST = 0.5
"""Pages of one list are one class from here on: on a small page a pager differs much."""


def list_address(url: str) -> str:
    """What the addresses of a list that is cut into pages have in common.

    >>> pages = ["https://a.example/tea?page=2", "https://a.example/tea/page/3"]
    >>> {list_address(url) for url in pages} == {list_address("https://a.example/tea")}
    True
    """
    parts = urlsplit(url)
    return f"{parts.netloc}{re.sub(r'(/page)?/[0-9]{1,4}$', '', parts.path.rstrip('/'))}"


def join_paginated(
    urls: Sequence[str], labels: Sequence[int], similarities: NDArray[np.float64]
) -> list[int]:
    """The clusters, those that the pages of lists tie together made one: of the smaller one more
    than half of the pages go on in the other, by their addresses and their looks.
    """
    lists: dict[str, list[int]] = {}
    for number, url in enumerate(urls):
        lists.setdefault(list_address(url), []).append(number)
    tied: dict[tuple[int, int], set[int]] = {}
    for pages in lists.values():
        if len({labels[one] for one in pages}) > 1:
            for one, other in permutations(pages, 2):
                if labels[one] != labels[other] and similarities[one, other] >= SAME_LIST:
                    tied.setdefault((labels[one], labels[other]), set()).add(one)
    sizes, into = Counter(labels), dict[int, int]()
    for (one, other), pages_tied in sorted(tied.items()):
        mine, its = _last(into, one), _last(into, other)
        if mine != its and 2 * len(pages_tied) > sizes[one]:
            into[max(mine, its)] = min(mine, its)
    return [_last(into, label) for label in labels]


def _last(into: Mapping[int, int], label: int) -> int:
    while label in into:
        label = into[label]
    return label
