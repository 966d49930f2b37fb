"""Classes by example: thresholds, modes, votes, and no class at all."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from treelace import Tree, UsageError, parse
from treelace.classes import PageClassifier, Verdict
from treelace.similarity import cdist, similarity_matrix
from treelace.similarity.measures.structure import Structure


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


PAGES = [page(kind, rows) for rows in (1, 2, 5) for kind in ("list", "post")]
LABELS = ["list", "post"] * 3
ODD = parse("<table bgcolor=red><tr><td>1<td>2</table>", format="html")


def test_pages_join_their_class_or_none() -> None:
    classifier = PageClassifier().fit(PAGES, LABELS)
    assert classifier.classes_.tolist() == ["list", "post"]
    assert classifier.predict([page("post", 9), ODD, page("list", 9)]).tolist() == [
        "post",
        "unclassified",
        "list",
    ]
    assert classifier.score(PAGES, LABELS) == 1.0
    verdict = classifier.classify([ODD])[0]
    assert verdict.label is None
    assert verdict.similarity < verdict.threshold
    assert verdict.nearest in ("list", "post")


def test_trees_features_and_similarities_give_the_same() -> None:
    measure = Structure()
    new = [page("list", 4), ODD, page("post", 3)]
    by_trees = PageClassifier().fit(PAGES, LABELS).classify(new)
    by_features = (
        PageClassifier()
        .fit([measure.features(tree) for tree in PAGES], LABELS)
        .classify([measure.features(tree) for tree in new])
    )
    by_matrix = (
        PageClassifier(measure="precomputed")
        .fit(similarity_matrix(PAGES), LABELS)
        .classify(cdist(new, PAGES))
    )
    assert by_trees == by_features == by_matrix


# three pages of a, two of b; the new page is near to one page of a, and fairly near to both of b
TRAINING = np.array(
    [
        [1.0, 0.9, 0.8, 0.1, 0.2],
        [0.9, 1.0, 0.7, 0.1, 0.1],
        [0.8, 0.7, 1.0, 0.1, 0.1],
        [0.1, 0.1, 0.1, 1.0, 0.6],
        [0.2, 0.1, 0.1, 0.6, 1.0],
    ]
)
AB = ["a", "a", "a", "b", "b"]
NEW = np.array([[0.75, 0.45, 0.3, 0.6, 0.55]])


def test_thresholds_are_learnt_from_how_alike_a_class_is() -> None:
    """a: nearest others .9 .9 .8, of which nine tenths reach .82; b: .6 and .6."""
    assert PageClassifier(measure="precomputed").fit(TRAINING, AB).thresholds_ == pytest.approx(
        [5 / 6 * 0.82, 5 / 6 * 0.6]
    )
    # a, strict: farthest others .8 .7 .7
    assert PageClassifier(measure="precomputed", mode="strict").fit(
        TRAINING, AB
    ).thresholds_ == pytest.approx([5 / 6 * 0.7, 5 / 6 * 0.6])
    assert PageClassifier(measure="precomputed", threshold=0.77).fit(
        TRAINING, AB
    ).thresholds_.tolist() == [0.77, 0.77]
    # what other classes reach: never below it, but never above what the own pages reach
    close = np.where(TRAINING < 0.5, 0.75, TRAINING)
    assert PageClassifier(measure="precomputed").fit(close, AB).thresholds_ == pytest.approx(
        [0.75, 0.6]
    )
    assert PageClassifier(measure="precomputed", floor=0.72).fit(
        TRAINING, AB
    ).thresholds_ == pytest.approx([0.72, 0.72])


def test_thresholds_follow_the_scale_of_the_measure() -> None:
    """1 / (1 + distance) of raw spectra is about 1e-5; the same pages, the same verdicts."""
    small = np.where(TRAINING == 1.0, 1.0, TRAINING * 1e-5)
    ours = PageClassifier(measure="precomputed").fit(small, AB)
    assert [verdict.label for verdict in ours.classify(NEW * 1e-5)] == ["a"]
    assert [verdict.label for verdict in ours.classify(NEW * 1e-6)] == [None]


def test_a_class_of_one_page_takes_the_others_threshold() -> None:
    lone = PageClassifier(measure="precomputed").fit(TRAINING[:4, :4], AB[:4])
    assert lone.thresholds_ == pytest.approx([5 / 6 * 0.82] * 2)
    assert PageClassifier(measure="precomputed").fit(
        TRAINING[:1, :1], ["a"]
    ).thresholds_.tolist() == [0.6]
    # pages alone in their classes: twice as near as the nearest other, .25 being a distance of 3
    pairs = np.where(np.eye(2) > 0, 1.0, 0.25)
    two = PageClassifier(measure="precomputed").fit(pairs, ["a", "b"])
    assert two.thresholds_ == pytest.approx([0.4, 0.4])


def test_modes_and_votes() -> None:
    def verdict(**options: object) -> Verdict:
        return PageClassifier(measure="precomputed", **options).fit(TRAINING, AB).classify(NEW)[0]  # type: ignore[arg-type]

    assert verdict() == Verdict("a", 0.75, "a", pytest.approx(5 / 6 * 0.82))  # type: ignore[arg-type]
    assert verdict(threshold=0.8).label is None
    # strict: a's farthest page is .3 away, b's .55
    assert verdict(mode="strict").label == "b"
    assert verdict(mode="strict", threshold=0.6).label is None
    # votes of the three nearest: a, b, b
    assert verdict(k=3).label == "b"
    assert verdict(k=3).similarity == 0.6
    assert verdict(k=2).label == "a"


def test_numbers_as_classes_stay_numbers_unless_a_page_has_none() -> None:
    classifier = PageClassifier(measure="precomputed").fit(TRAINING, [7, 7, 7, 9, 9])
    assert classifier.predict(NEW).tolist() == [7]
    assert classifier.predict(NEW).dtype.kind == "i"
    assert classifier.predict(np.zeros((1, 5))).tolist() == ["unclassified"]
    assert classifier.set_params(unclassified=-1).predict(np.zeros((1, 5))).tolist() == [-1]


def test_a_classifier_can_be_kept() -> None:
    classifier = pickle.loads(pickle.dumps(PageClassifier().fit(PAGES, LABELS)))
    assert classifier.predict([ODD, page("list", 3)]).tolist() == ["unclassified", "list"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "loose"}, "any or strict"),
        ({"k": 0}, "somebody must vote"),
        ({"k": 2, "mode": "strict"}, "k is 1"),
        ({"measure": "structur"}, "did you mean 'structure'"),
    ],
)
def test_wrong_use_says_what_is_right(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        PageClassifier(**options).fit(PAGES, LABELS)  # type: ignore[arg-type]


def test_wrong_data_says_what_is_right() -> None:
    with pytest.raises(UsageError, match="6 pages, 2 classes"):
        PageClassifier().fit(PAGES, LABELS[:2])
    with pytest.raises(UsageError, match="there are none"):
        PageClassifier().fit([], [])
    with pytest.raises(UsageError, match="not fitted yet"):
        PageClassifier().predict(PAGES)
    with pytest.raises(UsageError, match="page 0 is a str: parse it first"):
        PageClassifier().fit(["<p>"], ["a"])
    with pytest.raises(UsageError, match="the class of each page"):
        PageClassifier().fit(PAGES)
    with pytest.raises(UsageError, match="Invalid parameter 'q'"):
        PageClassifier().set_params(q=1)
