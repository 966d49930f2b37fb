"""Worked examples of the two papers, exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from treelace import Tree, parse
from treelace.similarity import measure_named
from treelace.similarity.measures.fourier import Fourier, Signal
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
        (Signal(document="trivial", tags="nested"), "1 2 3 -3 4 -4 5 -5 5 -5 6 -6 -2 -1"),
        (Signal(document="trivial", ends="null"), "1 2 3 0 4 0 5 0 5 0 6 0 0 0"),
        (Signal(document="linear"), "1 3 6 3 7 3 8 3 8 3 9 3 1 0"),
        (Signal(document="linear", ends="null"), "1 3 6 6 10 10 15 15 20 20 26 26 26 26"),
        (Signal(scaling="raw"), "49 63 66 60 67 59 68 58 68 58 69 57 35 -49"),
        (Signal(scaling="raw", ends="null"), "49 63 66 63 67 63 68 63 68 63 69 63 49 0"),
        (Signal(document="trivial", tags="pairwise"), "1 2 3 4 5 6 7 8 7 9 10 11 12 0"),
        (
            Signal(tags="pairwise", scaling="raw"),
            "169 195 198 199 200 201 202 203 202 204 205 206 325 0",
        ),
        (Signal(document="trivial", attributes=False), "1 2 3 -3 4 -4 4 -4 5 -5 -2 -1"),
        (Signal(scaling="raw", attributes=False), "36 48 51 45 52 44 52 44 53 43 24 -36"),
    ],
)
def test_the_series_of_the_book(signal: Signal, wanted: str) -> None:
    skeletons = [signal.skeleton(parse(BOOK, format="xml"))]
    assert signal.series(skeletons)[0].values().tolist() == [
        float(number) for number in wanted.split()
    ]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, 4.352463),
        ({"scaling": "z-score"}, 2.358737),
        ({"scaling": "length"}, 0.659978),
        ({"transform": "power-of-two"}, 5.811592),
    ],
)
def test_the_distance_of_two_series(options: dict[str, Any], wanted: float) -> None:
    transform = options.pop("transform", "exact")
    measure = Fourier(scheme=Signal(document="trivial", **options), transform=transform)
    left, right = Tree.from_brackets("{a{b}}"), Tree.from_brackets("{a{b}{b}}")
    assert measure.distance(left, right) == pytest.approx(wanted, abs=1e-6)
    assert measure.similarity(left, right) == pytest.approx(1 / (1 + wanted), abs=1e-6)


def test_time_warping_prefers_another_kind_of_document_of_the_same_length() -> None:
    """Flesca's Figure 4 in words: book1 has two books, book2 three of the same kind, book3 is as
    long as book1 but of another kind.
    """
    book = "{book{title}{author}{publisher}}"
    book1, book2 = (
        Tree.from_brackets(f"{{xml{book * 2}}}"),
        Tree.from_brackets(f"{{xml{book * 3}}}"),
    )
    book3 = Tree.from_brackets("{xml{book{title}{author}{isbn}}{book{title}{author}{isbn}}}")
    signal = Signal()
    collection = signal.collection([book1, book2, book3])
    warped = TimeWarping(scheme=signal, collection=collection)
    assert warped.distance(book1, book3) < warped.distance(book1, book2)
