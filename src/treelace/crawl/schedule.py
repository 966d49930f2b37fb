"""Schedule: when a page is worth another look."""

from __future__ import annotations

LEAST_WAIT = 3_600_000
MOST_WAIT = 30 * 24 * 3_600_000
"""Milliseconds between two looks at a page: an hour to thirty days."""


def next_look(first_seen: int, last_seen: int, versions: int) -> int:
    """When a page is due again: after half its time between changes so far (milliseconds).

    A page that was seen to change n times in a time t changes once in t / (n + ½): the half tells
    pages that never changed, and were watched for long, from those that were seen once.

    >>> day = 24 * 3_600_000
    >>> [next_look(0, 10 * day, versions) // 3_600_000 - 240 for versions in (1, 2, 11)]
    [240, 80, 11]
    """
    changes = max(versions - 1, 0) + 0.5
    wait = (last_seen - first_seen) / changes / 2
    return last_seen + int(min(max(wait, LEAST_WAIT), MOST_WAIT))
