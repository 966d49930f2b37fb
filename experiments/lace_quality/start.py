"""Where learning begins: the weights of lace as a person would guess them, one for all stages, for
elements and for texts alike. Nothing in it is measured; the terms are explained in `weights.rs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treelace import _kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TERMS, ALONE, *_ = _kernel.lace_weights()
K = len(TERMS)
STAGES = 3
HALF = STAGES * (K + 2)
"""Numbers for elements; as many follow for texts."""
GUESSES = {
    -3.0: "OtherLabel",
    -2.0: "Place",
    -1.5: "OtherKids",
    -1.0: "LostAttribute GainedAttribute GainedWords AboveOther OtherShape Outside Orphan",
    -0.5: "LostWords BagOther Conflict HalfConflict Near ClosedOld",
    -0.25: "Offset AlignedElsewhere",
    0.1: "Digest Frame Shape",
    0.25: "Value Words Beside Path Leaf Inside",
    0.5: "Bag BagMass Wrapped Rewrapped Wandering Side Aligned",
    1.0: "Parent Chain Sides Exchanged Kids SharedLists",
    2.0: "FarSharedLists",
}
"""The terms that are guessed to weigh something."""
POSITIVE = frozenset(
    """Value Words Bag BagMass Digest Frame Shape Beside Path Wandering Chain Side Sides Aligned
    Exchanged Stranger Kids KidsMass Inside SharedLists FarSharedLists""".split()
)
NEGATIVE = frozenset(
    """OtherLabel LostAttribute GainedAttribute LostWords GainedWords BagOther AboveOther OtherShape
    Size KidCount Conflict HalfConflict Orphan Place Near ClosedOld ClosedNew Offset OtherSide
    AlignedElsewhere OtherKids Outside Apart FarApart""".split()
)
"""Terms that by what they measure speak for a pair only, and against one only: a weight of the
other sign would be a habit of these mutants, or make up for another term, and mislead on other
pages. The terms in neither may have either sign.
"""
AT_LEAST = {"OtherLabel": -4.0, "GainedWords": -3.0}
"""Mutants gain words and change names less often than pages do."""


def start_weights() -> Floats:
    """The guesses, as the kernel takes weights."""
    guessed = {term: value for value, terms in GUESSES.items() for term in terms.split()}
    alone = np.array([guessed.get(term, 0.0) for term in TERMS])
    context = alone.copy()
    context[:ALONE] = 0  # what a pair says by itself is weighed once, in the last stage
    stages = [np.r_[context, 1.0, 0.0]] * (STAGES - 1) + [np.r_[alone, 1.0, 0.0]]
    half = np.concatenate(stages)
    return np.concatenate([half, half])
