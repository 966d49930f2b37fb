"""Pagination: a list that is cut into pages (`/tea`, `/tea?page=2`), told by its addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from treelace._kernel import Features
from treelace.classes.examples import MEASURE

SAME_LIST = 0.7
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
    urls: Sequence[str], labels: Sequence[int], sketches: Mapping[str, Features]
) -> list[int]:
    """The clusters, those that pages of one list tie together made one."""
    into: dict[int, int] = {}
    first: dict[str, str] = {}
    label_of = dict(zip(urls, labels, strict=True))
    for url in urls:
        other = first.setdefault(list_address(url), url)
        mine, its = (_last(into, label_of[one]) for one in (url, other))
        if mine != its and MEASURE.compare(sketches[url], sketches[other]) >= SAME_LIST:
            into[max(mine, its)] = min(mine, its)
    return [_last(into, label) for label in labels]


def _last(into: Mapping[int, int], label: int) -> int:
    while label in into:
        label = into[label]
    return label
