"""Every measure, by name. To add one: write its file, add it to the list and to the docs."""

from __future__ import annotations

from typing import Any

from treelace import named
from treelace.similarity.measure import Measure

MEASURES: named.Family[Measure] = named.Family(
    __name__,
    {
        "structure": ".structure:Structure",
        "design": ".design:Design",
        "tag-set": ".tag_set:TagSet",
        "tag-weighted": ".tag_weighted:TagWeighted",
        "path-binary": ".path_binary:PathBinary",
        "path-partial": ".path_partial:PathPartial",
        "path-weighted": ".path_weighted:PathWeighted",
        "path-shingles": ".path_shingles:PathShingles",
        "fourier": ".fourier:Fourier",
        "time-warping": ".time_warping:TimeWarping",
        "tree-edit-distance": "treelace.tree.distances:TreeEditDistance",
        "nierman-jagadish": "treelace.tree.distances:NiermanJagadish",
        "top-down": "treelace.tree.distances:TopDown",
        "restricted-top-down": "treelace.tree.distances:RestrictedTopDown",
        "bottom-up": "treelace.tree.distances:BottomUp",
        "constrained": "treelace.tree.distances:Constrained",
        "alignment": "treelace.tree.distances:Alignment",
        "simple-tree-matching": "treelace.tree.distances:SimpleTreeMatching",
    },
)

DEFAULT = "structure"
"""The measure used where none is named: the experiments chose it."""


def measure_named(name: str, **options: Any) -> Measure:
    """The measure with this name, made with these options.

    >>> measure_named("tag-weighted", texts=True)
    TagWeighted(texts=True)
    """
    return named.make("measure", MEASURES, name, options)
