"""Every measure, by name. To add one: write its file, add it to the list and to the docs."""

from __future__ import annotations

from typing import Any

from treelace import named
from treelace.similarity.measure import Measure
from treelace.similarity.measures.design import Design
from treelace.similarity.measures.fourier import Fourier
from treelace.similarity.measures.path_binary import PathBinary
from treelace.similarity.measures.path_partial import PathPartial
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.path_weighted import PathWeighted
from treelace.similarity.measures.structure import Structure
from treelace.similarity.measures.tag_set import TagSet
from treelace.similarity.measures.tag_weighted import TagWeighted
from treelace.similarity.measures.time_warping import TimeWarping
from treelace.tree.distances import (
    Alignment,
    BottomUp,
    Constrained,
    NiermanJagadish,
    RestrictedTopDown,
    SimpleTreeMatching,
    TopDown,
    TreeEditDistance,
)

MEASURES: dict[str, type[Measure]] = {
    cls.name: cls
    for cls in (
        Structure,
        Design,
        TagSet,
        TagWeighted,
        PathBinary,
        PathPartial,
        PathWeighted,
        PathShingles,
        Fourier,
        TimeWarping,
        TreeEditDistance,
        NiermanJagadish,
        TopDown,
        RestrictedTopDown,
        BottomUp,
        Constrained,
        Alignment,
        SimpleTreeMatching,
    )
}

DEFAULT = Structure.name
"""The measure used where none is named: the experiments chose it."""


def measure_named(name: str, **options: Any) -> Measure:
    """The measure with this name, made with these options.

    >>> measure_named("tag-weighted", texts=True)
    TagWeighted(texts=True)
    """
    return named.make("measure", MEASURES, name, options)
