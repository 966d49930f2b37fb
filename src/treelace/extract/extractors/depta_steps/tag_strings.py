"""Edit distance of tag strings, as MDR compares subtrees."""

from __future__ import annotations

from collections.abc import Sequence

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS

Part = tuple[int, int]
"""Where a tag string starts in the tags of a page, and one past its end."""


class TagStrings:
    """A page's tags in document order, as numbers; tag strings are parts, compared in one call.

    >>> TagStrings([1, 2, 3, 1, 3, 3, 4]).distances([((0, 3), (3, 7)), ((0, 1), (3, 4))])
    [0.5714285714285714, 0.0]
    """

    def __init__(self, tags: Sequence[int]) -> None:
        self._core = _kernel.TagStrings(list(tags))

    def distances(self, pairs: Sequence[tuple[Part, Part]]) -> list[float]:
        """For each pair the edit distance over the mean length (Liu, Grossman, Zhai; KDD 2003).

        Insertions, deletions and replacements count one each. By bit vectors (Myers 1999, Hyyrö
        2003), in the kernel: O(m · n / 64).
        """
        import numpy as np

        if not pairs:
            return []
        parts = np.array(pairs, dtype=np.uint32).reshape(-1)
        found = self._core.distances(parts, DEFAULT_LIMITS).tolist()
        totals = [left[1] - left[0] + right[1] - right[0] for left, right in pairs]
        return [
            2 * distance / total if total else 0.0
            for distance, total in zip(found, totals, strict=True)
        ]


def normalised_distance(left: Sequence[int], right: Sequence[int]) -> float:
    """The distance of two tag strings.

    >>> normalised_distance([1, 2, 3], [1, 2])
    0.4
    """
    return TagStrings([*left, *right]).distances(
        [((0, len(left)), (len(left), len(left) + len(right)))]
    )[0]
