"""Segments of an index in its file: written, merged, with pages marked as removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.similarity.commit_file import CommitFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEGMENTS_PER_MERGE = 8
"""So many segments of about one size are merged into one."""
MOST_PAGES_OF_A_MERGE = 1 << 21
"""Segments of more pages than this are left as they are."""

Segment = dict[str, Any]
"""What the state of the file says of a segment."""


class Change:
    """What is appended inside counts if it is committed, and is forgotten otherwise."""

    def __init__(self, file: CommitFile) -> None:
        self._file = file

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._file.undo()


def written_segment(file: CommitFile, builder: _kernel.IndexBuilder) -> Segment:
    """Appends the segment of a builder; what the state says of it."""
    import numpy as np

    start, pages, pieces = file.tail, len(builder), []

    def take(piece: bytes) -> None:
        file.append(piece)
        pieces.append([len(piece), _kernel.checksum(np.frombuffer(piece, dtype=np.uint8))])

    builder.write(take, DEFAULT_LIMITS)
    return {
        "at": start,
        "length": file.tail - start,
        "pages": pages,
        "removed": 0,
        "pieces": pieces,
    }


def segments_to_merge(segments: list[Segment]) -> list[int]:
    """Neighbours that should become one: SEGMENTS_PER_MERGE or more at the end of no more than a
    tier, or one of which more than half is removed; none if all is well.
    """
    for number, segment in enumerate(segments):
        if segment["removed"] * 2 > segment["pages"]:
            return [number]
    tiers = [tier_of(segment["pages"]) for segment in segments]
    for tier in sorted(set(tiers)):
        start = next(
            (number + 1 for number in range(len(tiers) - 1, -1, -1) if tiers[number] > tier), 0
        )
        if len(tiers) - start >= SEGMENTS_PER_MERGE and tier < tier_of(MOST_PAGES_OF_A_MERGE):
            return list(range(start, len(tiers)))
    return []


def tier_of(pages: int) -> int:
    """How many times SEGMENTS_PER_MERGE a segment is, in powers."""
    tier = 0
    while pages >= SEGMENTS_PER_MERGE:
        pages //= SEGMENTS_PER_MERGE
        tier += 1
    return tier


def removed_pages(view: NDArray[np.uint8], segment: Segment) -> NDArray[np.uint32] | None:
    """The numbers of the pages that were removed; None where they are not what was written."""
    import numpy as np

    if not segment["removed"]:
        return np.zeros(0, dtype=np.uint32)
    start = segment["removed_at"]
    data = view[start : start + 4 * segment["removed"]].tobytes()
    check = _kernel.checksum(np.frombuffer(data, dtype=np.uint8))
    if len(data) != 4 * segment["removed"] or check != segment["removed_check"]:
        return None
    return np.frombuffer(data, dtype="<u4")


def without_pages(
    file: CommitFile, segment: Segment, removed: NDArray[np.uint32], gone: set[int]
) -> Segment:
    """A segment with more pages marked as removed; the list of them is appended to the file."""
    import numpy as np

    if not gone:
        return segment
    both = np.union1d(removed, np.array(sorted(gone), dtype=np.uint32))
    data = both.astype("<u4").tobytes()
    check = _kernel.checksum(np.frombuffer(data, dtype=np.uint8))
    return {
        **segment,
        "removed": len(data) // 4,
        "removed_at": file.append(data),
        "removed_check": check,
    }


def is_whole(view: NDArray[np.uint8], segment: Segment) -> bool:
    """Whether the bytes of a segment are those that were written."""
    start = 0
    for length, check in segment["pieces"]:
        if _kernel.checksum(view[start : start + length]) != check:
            return False
        start += length
    return True
