"""What every measure promises, checked over every member of MEASURES."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings

from tests.strategies import page_trees, trees
from treelace import Tree, UsageError, parse
from treelace.classes import PageClassifier
from treelace.similarity import (
    MEASURES,
    FeatureMeasure,
    Measure,
    cdist,
    measure_named,
    similarity,
    similarity_matrix,
)
from treelace.similarity.measures.fourier import SCALINGS, SCHEMES

TREES = [
    Tree.from_brackets(""),
    Tree.from_brackets("{a}"),
    Tree.from_brackets("{a{b}{b}{c{b}}}"),
    parse("<p>one"),
    parse(
        "<!doctype html><title>t</title><ul class=x><li>1<li>2<li><a href=/>3</a></ul><!-- c"
        " --><script>x</script><svg><g/></svg>"
    ),
    parse("<table><tr><td>1<td>2</table><template><p>1</p></template>"),
]
names = pytest.mark.parametrize("name", MEASURES)


@names
def test_a_measure_is_a_measure_with_a_docstring(name: str) -> None:
    assert isinstance(measure_named(name), Measure)
    assert MEASURES[name].name == name
    assert MEASURES[name].__doc__


@names
@settings(max_examples=25)
@given(trees(), page_trees())
def test_range_symmetry_and_self(name: str, left: Tree, right: Tree) -> None:
    measure = measure_named(name)
    value = measure.similarity(left, right)
    assert 0.0 <= value <= 1.0
    assert measure.similarity(right, left) == value
    assert measure.similarity(left, left) == 1.0
    assert measure.similarity(right, right) == 1.0


@names
def test_odd_documents(name: str) -> None:
    measure = measure_named(name)
    for left in TREES:
        for right in TREES:
            assert 0.0 <= measure.similarity(left, right) <= 1.0
        assert measure.similarity(left, left) == 1.0


@names
def test_a_matrix_is_what_the_pairs_are(name: str) -> None:
    measure = measure_named(name)
    if name in ("fourier", "time-warping"):
        signal = measure.signal  # type: ignore[attr-defined]
        measure = measure_named(name, collection=signal.collection(TREES))
    matrix = similarity_matrix(TREES, measure)
    wanted = np.array([[measure.similarity(left, right) for right in TREES] for left in TREES])
    np.testing.assert_allclose(matrix, wanted, rtol=1e-12)
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 1.0).all()
    np.testing.assert_allclose(cdist(TREES[:2], TREES[1:], measure), wanted[:2, 1:], rtol=1e-12)
    assert similarity_matrix([], measure).shape == (0, 0)


@names
def test_features_stand_alone(name: str) -> None:
    measure = measure_named(name)
    if not isinstance(measure, FeatureMeasure):
        pytest.skip("knows only pairs of trees")
    features = [measure.features(tree) for tree in TREES]
    again = pickle.loads(pickle.dumps(features))
    assert again == features
    assert [hash(one) for one in again] == [hash(one) for one in features]
    assert (
        similarity_matrix(TREES, pickle.loads(pickle.dumps(measure))).tolist()
        == similarity_matrix(TREES, measure).tolist()
    )


@names
def test_by_name_and_by_instance_are_the_same(name: str) -> None:
    assert similarity(TREES[2], TREES[4], measure=name) == similarity(
        TREES[2], TREES[4], measure=measure_named(name)
    )


KINDS = {
    "list": ("<main class=shop><ul>", "<li class=item><a href=#>x</a>", "</ul></main>"),
    "post": ("<main class=blog><article><h1>x</h1>", "<p>x<em>y</em></p>", "</article></main>"),
    "data": ("<table class=data border=1>", "<tr><td>1<td>2<td>3</tr>", "</table>"),
}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in MEASURES),
        *(
            ("fourier", {"scheme": scheme, "scaling": scaling})
            for scheme in SCHEMES
            for scaling in SCALINGS
        ),
    ],
)
def test_a_classifier_does_not_refuse_the_pages_of_its_classes(
    name: str, options: dict[str, str]
) -> None:
    def pages(rows: tuple[int, ...]) -> tuple[list[Tree], list[str]]:
        made = [
            (parse(first + row * count + last), kind)
            for kind, (first, row, last) in KINDS.items()
            for count in rows
        ]
        return [tree for tree, _ in made], [kind for _, kind in made]

    training, labels = pages((4, 6, 8, 10, 12))
    classifier = PageClassifier(measure=measure_named(name, **options)).fit(training, labels)
    new, truth = pages((5, 7, 9, 11))
    verdicts = classifier.classify(new)
    # which class is nearest is the measure's to say; that it is near enough, the classifier's
    refused = [kind for kind, verdict in zip(truth, verdicts, strict=True) if verdict.label is None]
    assert len(refused) <= 2, refused


@names
def test_an_unknown_option_is_wrong_use(name: str) -> None:
    with pytest.raises(UsageError, match="no_such_option"):
        measure_named(name, no_such_option=1)


def test_an_unknown_name_shows_the_way_out() -> None:
    with pytest.raises(
        UsageError,
        match=(
            r"no measure is called 'tag-wieghted': did you mean 'tag-weighted'\? There are:"
            r" structure, design, "
        ),
    ):
        similarity(TREES[0], TREES[1], measure="tag-wieghted")
    with pytest.raises(UsageError, match="this is int"):
        similarity(TREES[0], TREES[1], measure=3)  # type: ignore[arg-type]
