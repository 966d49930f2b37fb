"""What a caller may ask for: both sides of every bound, and what is said beyond it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treelace.errors import UsageError
from treelace.similarity import evaluation, matrix_outputs, measure_named, similarity
from treelace.similarity.index_plan import check_question
from treelace.similarity.index_segments import (
    MOST_PAGES_OF_A_MERGE,
    segments_to_merge,
    tier_of,
)
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.path_weighted import PathWeighted
from treelace.similarity.measures.structure import Structure
from treelace.tree import Tree, parse

EYE = np.eye(2)
TREE = Tree.from_brackets("{a{b}}")


@pytest.mark.parametrize(
    "made",
    [
        lambda: Structure(slots=7),
        lambda: Structure(slots=2**20),
        lambda: Structure(seed=2**64 - 1),
        lambda: PathShingles(window=1, k=1, seed=2**64 - 1),
        lambda: PathShingles(ask="containment"),
        lambda: check_question(1, 0.0),
        lambda: check_question(1, 1.0),
        lambda: evaluation.neighbourhood_quality(EYE, "aa", 1),
    ],
)
def test_the_last_value_inside_a_bound_is_taken(made: Callable[[], Any]) -> None:
    made()


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Structure(slots=6), "7 to 1048576 slots: slots is 6; None keeps every fact"),
        (lambda: Structure(slots=2**20 + 1), "7 to 1048576 slots: slots is 1048577"),
        (lambda: Structure(seed=-1), "a seed is a number from 0 to 2**64 - 1: seed is -1"),
        (lambda: Structure(seed=2**64), "seed is 18446744073709551616"),
        (lambda: PathShingles(window=0), "at least one path: window is 0"),
        (lambda: PathShingles(k=0), "at least one shingle: k is 0; None keeps them all"),
        (lambda: PathShingles(seed=-1), "a seed is a number from 0 to 2**64 - 1: seed is -1"),
        (lambda: PathShingles(seed=2**64), "seed is 18446744073709551616"),
        (lambda: PathShingles(ask="x"), "resemblance or containment, not for 'x'"),
        (lambda: measure_named("fourier", transform="x"), "no transform is called 'x'"),
        (lambda: similarity(TREE, TREE, measure=3), "has a method similarity(left, right); "),
        (lambda: check_question(0, 0.5), "at least one page can be asked for: limit is 0"),
        (lambda: check_question(1, -0.1), "between 0 and 1: at_least is -0.1"),
        (lambda: check_question(1, 1.1), "between 0 and 1: at_least is 1.1"),
        (lambda: evaluation.separation_error(EYE, "ab"), "ε needs two classes, one of them with"),
        (lambda: evaluation.separation_error(EYE, "abc"), "3 classes need a matrix of 3 × 3, not"),
        (lambda: evaluation.neighbourhood_quality(EYE, "aa", 0), "at least one document: k is 0"),
        (lambda: evaluation.neighbour_error(EYE, "aa", 0), "somebody must vote: k is 0"),
        (lambda: evaluation.neighbour_error(np.eye(1), "a", 1), "a neighbour needs two documents"),
        (lambda: matrix_outputs.to_png(np.zeros((0, 0))), "at least one row and one column"),
        (
            lambda: matrix_outputs.to_png(EYE, classes="abc"),
            "3 classes need a matrix of 3 × 3, not 2 × 2",
        ),
    ],
)
def test_beyond_a_bound_the_value_and_the_bound_are_named(
    made: Callable[[], Any], words: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        made()


def test_texts_are_leaves_of_paths_unless_they_are_left_out() -> None:
    left, right = parse("<p><b>x</b></p>"), parse("<p><b></b></p>")
    assert PathWeighted().similarity(left, right) < 1.0
    assert PathWeighted(texts=False).similarity(left, right) == 1.0


def segments(*pages: int, removed: int = 0) -> list[dict[str, Any]]:
    return [{"pages": count, "removed": removed} for count in pages]


def test_a_segment_is_written_again_when_more_than_half_of_it_is_removed() -> None:
    assert segments_to_merge(segments(10, removed=5)) == []
    assert segments_to_merge(segments(10, removed=6)) == [0]


def test_eight_neighbours_of_one_tier_become_one() -> None:
    assert [tier_of(pages) for pages in (0, 7, 8, 63, 64)] == [0, 0, 1, 1, 2]
    assert segments_to_merge(segments(*[1] * 7)) == []
    assert segments_to_merge(segments(*[1] * 8)) == list(range(8))
    assert segments_to_merge(segments(64, *[1] * 6)) == []
    assert segments_to_merge(segments(64, *[1] * 7)) == list(range(8))
    assert segments_to_merge(segments(*[MOST_PAGES_OF_A_MERGE] * 9)) == []
    assert segments_to_merge(segments(64, *[1] * 8)) == list(range(1, 9))
    assert segments_to_merge(segments(64, *[8] * 4, *[1] * 4)) == list(range(1, 9))
