"""Which of very many sketches are alike, by the structure index."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from treelace._kernel import Features
from treelace.bulk.watching import Watch
from treelace.classes.proposals import SAME_LAYOUT
from treelace.similarity.structure_index import StructureIndex

MOST_ALIKE = 64
"""Others that are looked at for each one; those that are alike hang together through others."""


def alike_labels(features: Sequence[Features], watch: Watch) -> list[int]:
    """A number for each: that of the first of those that it hangs together with."""
    into = list(range(len(features)))
    for one, other in _alike(features, watch):
        left, right = sorted((_last(into, one), _last(into, other)))
        into[right] = left
    return [_last(into, at) for at in range(len(features))]


def _alike(features: Sequence[Features], watch: Watch) -> Iterator[tuple[int, int]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        StructureIndex.create(Path(folder) / "alike.index") as index,
    ):
        index.add_features((str(at), one) for at, one in enumerate(features))
        for at, one in enumerate(features):
            watch.at(f"sketch {at}")
            for found in index.search(one, limit=MOST_ALIKE, at_least=SAME_LAYOUT):
                yield at, int(found.name)


def _last(into: list[int], at: int) -> int:
    while into[at] != at:
        into[at] = into[into[at]]
        at = into[at]
    return at
