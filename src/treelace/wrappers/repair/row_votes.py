"""Which row of a pattern is which column, by the columns that its leaves are known to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

MIN_VOTE_SHARE = 0.8
"""Share of the leaves of a row that must be its column, of those that say anything."""


class RowVotes:
    """Votes of leaves. A leaf of a known column votes for it; one of no column votes against all
    columns that its record has elsewhere.
    """

    def __init__(self) -> None:
        self._for: dict[int, Counter[int]] = {}
        self._against: dict[int, Counter[int]] = {}

    def add(self, row: int, column: int | None, columns_of_record: Iterable[int]) -> None:
        """The vote of a leaf that was laid along a row."""
        if column is not None:
            self._for.setdefault(row, Counter())[column] += 1
        else:
            self._against.setdefault(row, Counter()).update(columns_of_record)

    def elected(self) -> dict[int, int]:
        """The column of each row that enough leaves vote for."""
        columns = {}
        for row, votes in sorted(self._for.items()):
            column, number = votes.most_common(1)[0]
            against = self._against.get(row, Counter())[column]
            if number >= MIN_VOTE_SHARE * (votes.total() + against):
                columns[row] = column
        return columns
