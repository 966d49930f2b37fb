"""Edit distance of tag strings, as MDR compares subtrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def edit_distance(left: Sequence[int], right: Sequence[int]) -> int:
    """Insertions, deletions and replacements that turn one string into the other (Levenshtein).

    By the bit vectors of Hyyrö (2003, after Myers): one whole column of the table is one integer, so the time is O(m · n / 64) in C
    loops, and tag strings of a thousand tags take a millisecond.

    >>> edit_distance([1, 2, 3], [1, 3, 3, 4])
    2
    """
    if left == right or not left or not right:
        return 0 if left == right else max(len(left), len(right))
    where: dict[int, int] = {}
    for position, tag in enumerate(left):
        where[tag] = where.get(tag, 0) | 1 << position
    whole = (1 << len(left)) - 1
    last = 1 << (len(left) - 1)
    up, down, distance = whole, 0, len(left)
    for tag in right:
        equal = where.get(tag, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        rises = down | ~(diagonal | up)
        falls = diagonal & up
        distance += bool(rises & last) - bool(falls & last)
        rises = rises << 1 | 1
        up = ((falls << 1) | ~(diagonal | rises)) & whole
        down = diagonal & rises & whole
    return distance


def normalised_distance(left: Sequence[int], right: Sequence[int]) -> float:
    """Edit distance over the mean length of the two strings (Liu, Grossman, Zhai; KDD 2003).

    >>> normalised_distance([1, 2, 3], [1, 2])
    0.4
    """
    total = len(left) + len(right)
    return 2 * edit_distance(left, right) / total if total else 0.0
