"""Worked examples of the two papers, exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from experiments.flesca.books import BOOK1, BOOK2, drawn_book3, paper_case, verdicts
from treelace import Tree, parse
from treelace.similarity import measure_named
from treelace.similarity.measures.fourier import Fourier, Scaling, Signal
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.time_warping import TimeWarping

X = ("{html{head{title}}{body{p}{p}}}", "{html{body{p}{ul{li}{li}}}}")
Y = ("{html{body{p}{ul{li}}}}", "{html{body{p}{p}{ul{li}{li}{li}}}}")


@pytest.mark.parametrize(
    ("name", "options", "x", "y"),
    [
        ("tag-set", {}, "3/7", "1"),
        ("tag-weighted", {}, "1/2", "10/13"),
        ("path-binary", {"is_bag": False}, "3/7", "1"),
        ("path-shingles", {"window": 1}, "1/3", "5/8"),
        ("path-binary", {}, "1/2", "10/13"),
        ("path-binary", {"leaves": True, "is_bag": False}, "1/3", "1"),
        ("path-binary", {"leaves": True}, "1/3", "4/7"),
        ("path-shingles", {"window": 2, "is_bag": False}, "1/9", "2/3"),
        ("path-shingles", {"window": 2}, "1/9", "4/7"),
        ("path-shingles", {"window": 3, "is_bag": False}, "0", "2/7"),
        ("path-shingles", {"window": 3}, "0", "2/7"),
    ],
)
def test_pairs_x_and_y(name: str, options: dict[str, Any], x: str, y: str) -> None:
    for pair, wanted in ((X, x), (Y, y)):
        left, right = map(Tree.from_brackets, pair)
        assert measure_named(name, **options).similarity(left, right) == float(Fraction(wanted))


@pytest.mark.parametrize(
    ("options", "x", "y"),
    [
        ({"window": 1}, ("1/2", "1/2"), ("1", "5/8")),
        ({"window": 2, "is_bag": False}, ("1/5", "1/5"), ("1", "2/3")),
        ({"window": 2}, ("1/5", "1/5"), ("1", "4/7")),
        ({"window": 3}, ("0", "0"), ("2/3", "1/3")),
        ({"window": 3, "is_bag": False}, ("0", "0"), ("2/3", "1/3")),
    ],
)
@pytest.mark.parametrize("k", [None, 1000])
def test_containment_both_ways(
    options: dict[str, Any], x: tuple[str, str], y: tuple[str, str], k: int | None
) -> None:
    measure = PathShingles(ask="containment", k=k, **options)
    for pair, (there, back) in ((X, x), (Y, y)):
        left, right = map(Tree.from_brackets, pair)
        assert measure.similarity(left, right) == float(Fraction(there))
        assert measure.similarity(right, left) == float(Fraction(back))


BOOK = (
    "<xml><book"
    " year='1997'><title>A</title><author>U</author><author>W</author>"
    "<publisher>P</publisher></book></xml>"
)


@pytest.mark.parametrize(
    ("signal", "wanted"),
    [
        (Signal(document="trivial"), "1 2 3 -3 4 -4 5 -5 5 -5 6 -6 -2 -1"),
        (
            Signal(document="trivial", tags="nested"),
            "1 2 3 -3 4 -4 5 -5 5 -5 6 -6 -2 -1",
        ),
        (Signal(document="trivial", ends="null"), "1 2 3 0 4 0 5 0 5 0 6 0 0 0"),
        (Signal(document="linear"), "1 3 6 3 7 3 8 3 8 3 9 3 1 0"),
        (
            Signal(document="linear", ends="null"),
            "1 3 6 6 10 10 15 15 20 20 26 26 26 26",
        ),
        (Signal(), "49 63 66 60 67 59 68 58 68 58 69 57 35 -49"),
        (Signal(ends="null"), "49 63 66 63 67 63 68 63 68 63 69 63 49 0"),
        (
            Signal(document="trivial", tags="pairwise"),
            "1 2 3 4 5 6 7 8 7 9 10 11 12 0",
        ),
        (
            Signal(tags="pairwise"),
            "169 195 198 199 200 201 202 203 202 204 205 206 325 0",
        ),
        (
            Signal(document="trivial", attributes=False),
            "1 2 3 -3 4 -4 4 -4 5 -5 -2 -1",
        ),
        (Signal(attributes=False), "36 48 51 45 52 44 52 44 53 43 24 -36"),
    ],
)
def test_the_series_of_the_book(signal: Signal, wanted: str) -> None:
    signal = replace(signal, scaling="raw")
    skeletons = [signal.skeleton(parse(BOOK, format="xml"))]
    assert signal.series(skeletons)[0].values().tolist() == [
        float(number) for number in wanted.split()
    ]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"scaling": "raw"}, 4.352463),
        ({"scaling": "amplitude"}, 4.352463),
        ({}, 2.358737),
        ({"scaling": "z-score"}, 2.358737),
        ({"scaling": "length"}, 0.659978),
        ({"scaling": "raw", "transform": "power-of-two"}, 5.811592),
    ],
)
def test_the_distance_of_two_series(options: dict[str, Any], wanted: float) -> None:
    transform = options.pop("transform", "exact")
    measure = Fourier(scheme=Signal(document="trivial", **options), transform=transform)
    left, right = Tree.from_brackets("{a{b}}"), Tree.from_brackets("{a{b}{b}}")
    assert measure.distance(left, right) == pytest.approx(wanted, abs=1e-6)
    assert measure.similarity(left, right) == pytest.approx(1 / (1 + wanted), abs=1e-6)


def test_time_warping_errs_where_fourier_is_right() -> None:
    """Flesca's Figures 4 and 5, multilevel: book1 has two books, book2 three of the same kind,
    book3 is as long as book1 but of another kind.
    """
    signal, book3 = paper_case()
    assert signal == Signal()
    collection = signal.collection([BOOK1, BOOK2, book3])
    warping = TimeWarping(scheme=signal, collection=collection)
    fourier = Fourier(scheme=signal, collection=collection)
    assert warping.distance(BOOK1, book3) < warping.distance(BOOK1, BOOK2)
    assert fourier.distance(BOOK1, BOOK2) < fourier.distance(BOOK1, book3)


@pytest.mark.parametrize("scaling", ["amplitude", "raw", "length"])
def test_without_centring_the_multilevel_case_of_the_paper_does_not_occur(scaling: Scaling) -> None:
    signal = Signal(scaling=scaling)
    cases = [verdicts(signal, drawn_book3(seed)) for seed in range(100)]
    assert (True, True) not in cases


def test_an_edit_distance_can_be_over_both_sizes() -> None:
    """Buttler's form can exceed 1 and is cut; over n1 + n2 it cannot."""
    left, right = Tree.from_brackets("{a{a{a}}}"), Tree.from_brackets("{b{c}{d}}")
    assert measure_named("tree-edit-distance").similarity(left, right) == 0.0
    both = measure_named("tree-edit-distance", over="both")
    assert both.similarity(left, right) == pytest.approx(1 - 4 / 6)


@pytest.mark.parametrize(("k", "least", "most"), [(10, 0.5, 0.85), (64, 0.98, 1.0)])
def test_small_sketches_know_too_little_for_containment(k: int, least: float, most: float) -> None:
    """A list of 100 items in one of 1,000: the truth is 1, and a sketch of ten often sees none."""
    items = [f"{{i{number}}}" for number in range(1000)]
    large = Tree.from_brackets(f"{{a{''.join(items)}}}")
    small = Tree.from_brackets(f"{{a{''.join(items[:100])}}}")
    found = [
        PathShingles(window=1, k=k, seed=seed, ask="containment").similarity(small, large)
        for seed in range(100)
    ]
    assert least < sum(found) / len(found) <= most
