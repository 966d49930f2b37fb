"""In scikit-learn's manner: its own checks, where the input can be a matrix; and without it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from treelace.classes import PageClassifier, PageClusterer

estimator_checks = pytest.importorskip(
    "sklearn.utils.estimator_checks", reason="scikit-learn is an extra"
)

# its checks are numbers, not similarities: a threshold that all reach makes the classifier name a
# class always
ESTIMATORS = [
    PageClassifier(measure="precomputed", threshold=-1e9),
    PageClusterer(2, measure="precomputed"),
    PageClassifier(),
    PageClusterer(),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learns_own_checks(estimator: Any) -> None:
    """Where pages come as trees only the checks that need no data run; with similarities all of
    them.
    """
    results = estimator_checks.check_estimator(estimator, on_fail=None, on_skip=None)
    assert [
        (one["check_name"], one["exception"])
        for one in results
        if one["status"] not in ("passed", "skipped")
    ] == []
    assert len(results) >= (40 if estimator.measure == "precomputed" else 1)


def test_clone_and_cross_validation() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    labels = np.repeat(["a", "b"], 10)
    matrix = np.where(labels[:, None] == labels[None, :], 0.9, 0.2)
    assert (
        cross_val_score(clone(PageClassifier(measure="precomputed")), matrix, labels, cv=5).tolist()
        == [1.0] * 5
    )
    assert repr(clone(PageClusterer(3))) == "PageClusterer(n_clusters=3)"


def test_scikit_learn_is_not_needed() -> None:
    code = "import sys; sys.modules['sklearn'] = None; from treelace import parse; "
    code += "from treelace.classes import PageClassifier as C, PageClusterer as K; "
    code += (
        "t = [parse('<p>'), parse('<p>')]; C().fit(t, ['a', 'a']).predict(t); K().fit(t);"
        " print(K().get_params()['method'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "linked\n"), done.stderr
