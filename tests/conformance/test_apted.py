"""Tree edit distance on the public test cases of the APTED and tree-similarity projects (outside
data: conformance/apted).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import corpus
from treelace import Tree, _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.matching.matchers.tree_distances import Constrained
from treelace.matching.matchers.tree_edit_distance import TreeEditDistance
from treelace.matching.neighbours import lower_bounds, within


def blocks(file: Path, lines: int) -> Iterator[list[str]]:
    """The cases of a file: a comment line and so many lines after it."""
    text = file.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(text) if line.startswith("# ")]
    return (text[start : start + lines] for start in starts if start + lines <= len(text))


def exact_cases(folder: Path) -> Iterator[tuple[str, str, float]]:
    for name in ("correctness_test_cases.json", "mini.json"):
        for case in json.loads((folder / "conformance/apted" / name).read_text(encoding="utf-8")):
            yield case["t1"], case["t2"], case["d"]
    for _, left, right, expected in blocks(
        folder / "conformance/apted/tree-similarity/ted_test_data.txt", 4
    ):
        yield left, right, float(expected)


@pytest.mark.parametrize("case", corpus.cases(exact_cases))
def test_exact_distances(case: tuple[str, str, float]) -> None:
    left, right, expected = case
    old, new = Tree.from_brackets(left), Tree.from_brackets(right)
    assert TreeEditDistance().distance(old, new) == expected
    # following heavy paths only is cubic: not on the one pair of a thousand nodes
    for way in ("best", "old-left", "new-right", "old-heavy", "new-heavy")[
        : 5 if len(old) < 200 else 3
    ]:
        found = _kernel.edit_mapping_by(old._core, new._core, way, None, DEFAULT_LIMITS)
        assert found is not None
        assert found[0] == expected


def bounded_cases(folder: Path) -> Iterator[list[str]]:
    return blocks(folder / "conformance/apted/tree-similarity/touzet_ted_test_data.txt", 5)


@pytest.mark.parametrize("case", corpus.cases(bounded_cases))
def test_bounded_distances(case: list[str]) -> None:
    _, left, right, bound, expected = case
    old, new = Tree.from_brackets(left), Tree.from_brackets(right)
    wanted = None if expected == "INF" else float(expected)
    assert TreeEditDistance().distance_at_most(old, new, int(bound)) == wanted
    found = _kernel.edit_mapping_by(old._core, new._core, "", int(bound), DEFAULT_LIMITS)
    assert (found and found[0]) == wanted


def constrained_cases(folder: Path) -> Iterator[list[str]]:
    return blocks(folder / "conformance/apted/tree-similarity/cted_ub_ted_test_data.txt", 4)


@pytest.mark.parametrize("case", corpus.cases(constrained_cases))
def test_constrained_distances(case: list[str]) -> None:
    _, left, right, expected = case
    assert Constrained().distance(Tree.from_brackets(left), Tree.from_brackets(right)) == float(
        expected
    )


def bound_cases(folder: Path) -> Iterator[list[str]]:
    return blocks(folder / "conformance/apted/tree-similarity/sed_lb_ed_test_data.txt", 4)


@pytest.mark.parametrize("case", corpus.cases(bound_cases))
def test_string_bounds(case: list[str]) -> None:
    _, left, right, expected = case
    assert lower_bounds(Tree.from_brackets(left), Tree.from_brackets(right)).traversals == float(
        expected
    )


@pytest.mark.parametrize("size", [20, 129])
def test_number_of_pairs_within_a_distance(size: int) -> None:
    folder = corpus.part("conformance", "apted", "tree-similarity")
    trees = [
        Tree.from_brackets(line)
        for line in (folder / f"join_test_data_{size}.txt").read_text(encoding="utf-8").splitlines()
    ]
    expected = [
        int(line)
        for line in (folder / f"join_test_results_{size}.txt").read_text(encoding="utf-8").split()
    ]
    farthest = len(expected)
    distances = [
        near.distance
        for place, query in enumerate(trees)
        for near in within(query, trees[place + 1 :], farthest)
    ]
    assert [
        sum(distance <= most for distance in distances) for most in range(1, farthest + 1)
    ] == expected
