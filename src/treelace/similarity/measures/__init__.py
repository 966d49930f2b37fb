"""Every measure, by its name. To add one: write its file, add it to the list, give it a page in the docs."""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import Any, cast

from treelace.errors import UsageError
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
from treelace.similarity.measures.tree_distances import (
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
    if name not in MEASURES:
        near = difflib.get_close_matches(name, MEASURES, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise UsageError(f"no measure is called '{name}': {hint}There are {', '.join(MEASURES)}")
    try:
        return MEASURES[name](**options)
    except TypeError as error:
        known = ", ".join(options_of(MEASURES[name])) or "none"
        raise UsageError(f"measure '{name}' cannot take {', '.join(options)}; its options are: {known}") from error


def options_of(measure: type[Measure]) -> list[str]:
    """The names of a measure's options."""
    return [field.name for field in fields(cast("Any", measure))] if hasattr(measure, "__dataclass_fields__") else []
