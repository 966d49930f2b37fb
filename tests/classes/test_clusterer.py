"""Clusters: against their definitions, on matrices and on pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles import clusters as oracle
from treelace import Tree, UsageError, parse
from treelace.classes import PageClusterer
from treelace.classes.linkage import _silhouette, cut_at, cut_best, cut_to, mergers
from treelace.classes.medoids import build, faster_pam
from treelace.similarity import similarity_matrix
from treelace.similarity.measures.design import Design

Matrix = NDArray[np.float64]


@st.composite
def matrices(draw: st.DrawFn, most: int = 12) -> Matrix:
    """Similarities with ties: few different values, symmetric, 1 with itself."""
    count = draw(st.integers(1, most))
    values = draw(st.lists(st.integers(0, 10), min_size=count * count, max_size=count * count))
    matrix = np.array(values, dtype=float).reshape(count, count) / 10
    matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def groups(labels: NDArray[np.int64]) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def blocks(*sizes: int, inside: float = 0.9, outside: float = 0.1) -> Matrix:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    matrix = np.where(labels[:, None] == labels[None, :], inside, outside)
    np.fill_diagonal(matrix, 1.0)
    return matrix


@given(matrices(), st.integers(0, 11))
def test_pages_tied_by_a_threshold_are_connected(matrix: Matrix, tenths: int) -> None:
    assert groups(cut_at(matrix, tenths / 10)) == oracle.components(matrix, tenths / 10)


@given(matrices())
def test_any_number_of_clusters_can_be_had(matrix: Matrix) -> None:
    for count in range(1, len(matrix) + 1):
        assert len(set(cut_to(matrix, count).tolist())) == count


@given(matrices())
def test_the_tree_of_mergers_holds_every_page_once(matrix: Matrix) -> None:
    tree = mergers(matrix)
    assert tree.pages(max(2 * len(matrix) - 2, 0)) == list(range(len(matrix)))
    assert tree.similarity == sorted(tree.similarity, reverse=True)


@given(matrices(), st.integers(1, 12))
def test_no_exchange_of_medoids_is_better(matrix: Matrix, count: int) -> None:
    distances, count = 1 - matrix, min(count, len(matrix))
    medoids = faster_pam(distances, build(distances, count)).tolist()
    assert len(set(medoids)) == count
    found = oracle.cost(distances, medoids)
    assert found <= oracle.best_exchange(distances, medoids) + 1e-9
    assert found >= oracle.best_cost(distances, count) - 1e-9
    assert found <= oracle.cost(distances, build(distances, count).tolist()) + 1e-9


@given(matrices(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_silhouettes_are_what_they_are_defined_as(matrix: Matrix, given_labels: list[int]) -> None:
    _, labels = np.unique(given_labels[: len(matrix)], return_inverse=True)
    count = int(labels.max()) + 1
    if count < 2:
        return
    distances = 1 - matrix
    sums = np.column_stack([distances[:, labels == number].sum(axis=1) for number in range(count)])
    assert _silhouette(sums, labels) == pytest.approx(
        oracle.silhouette(distances, labels.tolist()), abs=1e-9
    )


def test_odd_pages_do_not_use_up_the_clusters() -> None:
    """One page like nothing else: plain single linkage would make it the second of two clusters."""
    matrix = blocks(4, 1, 4, outside=0.3)
    matrix[4, :] = matrix[:, 4] = 0.05
    matrix[4, 4], matrix[4, 0], matrix[0, 4] = 1.0, 0.06, 0.06
    assert cut_to(matrix, 2).tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert len(set(cut_to(matrix, 3).tolist())) == 3


def test_the_number_is_found() -> None:
    many_sites, one_site = blocks(5, 3, 1), blocks(5, 4, 6, inside=0.95, outside=0.5)
    for matrix, truth in (
        (many_sites, 3),
        (one_site, 3),
        (blocks(7), 1),
        (blocks(9, inside=0.6), 1),
    ):
        found = PageClusterer(measure="precomputed").fit(matrix)
        assert len(found.medoids_) == truth
        assert sorted(found.labels_.tolist()) == found.labels_.tolist()


def test_parts_that_are_much_alike_are_one_kind_however_crisp() -> None:
    assert set(cut_best(blocks(5, 5, inside=1.0, outside=0.8), alike=0.7, enough=0.5).tolist()) == {
        0
    }
    assert set(cut_best(blocks(5, 5, inside=1.0, outside=0.6), alike=0.7, enough=0.5).tolist()) == {
        0,
        1,
    }


def test_clusters_are_numbered_in_order_with_their_central_pages() -> None:
    matrix = blocks(3, 3)[[3, 0, 4, 1, 5, 2]][:, [3, 0, 4, 1, 5, 2]]
    matrix[0, 2] = matrix[2, 0] = 0.95
    for method in ("linked", "medoids"):
        found = PageClusterer(2, measure="precomputed", method=method).fit(matrix)  # type: ignore[arg-type]
        assert found.labels_.tolist() == [0, 1, 0, 1, 0, 1]
        assert found.medoids_.tolist() == [0, 1]


def page(kind: str, rows: int) -> Tree:
    if kind == "list":
        return parse(
            "<main class=shop><ul class=list>"
            + "<li class=item><a href=#>x</a>" * rows
            + "</ul></main>",
            format="html",
        )
    return parse(
        "<main class=blog><article><h1>x</h1>" + "<p>x<em>y</em></p>" * rows + "</article></main>",
        format="html",
    )


def test_pages_by_trees_by_features_and_by_similarities() -> None:
    pages = [page(kind, rows) for rows in (1, 2, 5) for kind in ("list", "post")]
    features = [Design().features(tree) for tree in pages]
    for found in (
        PageClusterer().fit(pages),
        PageClusterer().fit(features),
        PageClusterer().fit([pages[0], *features[1:]]),
        PageClusterer(measure="precomputed").fit(similarity_matrix(pages, "design")),
        PageClusterer(2, measure="tag-weighted", method="medoids").fit(iter(pages)),
        PageClusterer(2, measure="path-binary").fit(pages),
    ):
        assert found.labels_.tolist() == [0, 1, 0, 1, 0, 1]
    assert len(set(PageClusterer(3, measure="fourier").fit_predict(pages).tolist())) == 3
    assert PageClusterer().fit([]).labels_.tolist() == []
    assert PageClusterer().fit(pages[:1]).labels_.tolist() == [0]
    assert PageClusterer().fit_predict(
        [Tree.from_brackets(""), Tree.from_brackets("{a}"), Tree.from_brackets("")]
    ).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "magic"}, "linked or medoids"),
        ({"n_clusters": 0}, "at least one cluster"),
        ({"n_clusters": 2, "threshold": 0.5}, "not both"),
        ({"method": "medoids"}, "how many"),
        ({"n_clusters": 9}, "not so many pages"),
        ({"measure": "desing"}, "did you mean 'design'"),
        ({"measure": "precomputed"}, "similarities|2D"),
    ],
)
def test_wrong_use_says_what_is_right(options: dict[str, object], words: str) -> None:
    with pytest.raises((UsageError, TypeError), match=words):
        PageClusterer(**options).fit([page("list", 1), page("post", 1)])  # type: ignore[arg-type]


def test_what_is_not_a_page_is_named() -> None:
    with pytest.raises(UsageError, match="page 1 is a str: parse it first"):
        PageClusterer().fit([page("list", 1), "<p>"])
