"""Lists of a batch that lost their rows: most of a class at once are doubted (`empty_lists`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from treelace.classes.pages import NotModified
from treelace.site.pipeline import Fate, PageOutcome, Read, Unchanged

if TYPE_CHECKING:
    from collections.abc import Sequence


def doubt_empty_lists(outcomes: Sequence[PageOutcome]) -> list[PageOutcome]:
    """The outcomes; where most lists of a class that came have lost their rows, those that do not
    say that there is nothing have drifted: a script may draw the rows from now on.
    """
    came, lost = Counter[int | None](), Counter[int | None]()
    for outcome in outcomes:
        if any(isinstance(fate, Read | Unchanged | NotModified) for fate in outcome.fates):
            came[outcome.state.class_id] += 1
            lost[outcome.state.class_id] += any(read.is_emptied for read in outcome.read)
    doubted = {number for number, count in lost.items() if 2 * count > came[number]}
    return [
        replace(outcome, fates=tuple(map(_doubted, outcome.fates)))
        if outcome.state.class_id in doubted
        else outcome
        for outcome in outcomes
    ]


def _doubted(fate: Fate) -> Fate:
    """An emptied list that does not say so, as a page that its class does not know."""
    if not isinstance(fate, Read) or not fate.is_emptied or fate.says_so:
        return fate
    why = "no record is found, though nothing else has changed"
    return replace(fate, tables=None, drift=why, is_emptied=False)
