"""The classifier of section 2.2 under every measure: known pages and pages of no known class.

    TREELACE_CORPUS=… python -m experiments.flesca.classifier

Of the classes of `data/classes` with nine pages or more, a random half is known by six pages each;
the other pages of these, and all pages of the other half, are asked for. Twenty draws.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

import numpy as np

from experiments.data import corpus
from experiments.write import table
from treelace import Tree, parse
from treelace.classes import UNCLASSIFIED, PageClassifier
from treelace.similarity import measure_named, similarity_matrix
from treelace.similarity.measures.fourier import SCHEMES

MEASURES: list[tuple[str, dict[str, str]]] = [
    ("structure", {}),
    ("design", {}),
    ("tag-weighted", {}),
    ("path-binary", {}),
    ("path-shingles", {}),
    *(("fourier", {"scheme": scheme}) for scheme in SCHEMES),
]
EXAMPLES, MOST_PAGES, DRAWS = 6, 12, 20


def pages(labels: str) -> tuple[list[Tree], np.ndarray]:
    """The pages of the larger classes, at most twelve each."""
    by_class: dict[str, list[str]] = {}
    for row in csv.DictReader((corpus("classes") / labels).open(newline="")):
        by_class.setdefault(row["class"], []).append(row["file"])
    kept = [
        (name, file)
        for name, files in sorted(by_class.items())
        if len(files) >= EXAMPLES + 3
        for file in files[:MOST_PAGES]
    ]
    return [parse(corpus("classes") / file) for _, file in kept], np.array([n for n, _ in kept])


def shares(matrix: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    """Of known pages the share given its class and the share refused; of unseen ones refused."""
    counts = np.zeros(5)
    classes = sorted(set(labels))
    for seed in range(DRAWS):
        rng = random.Random(seed)
        known = set(rng.sample(classes, len(classes) // 2))
        training: list[int] = []
        asked: list[int] = []
        for name in classes:
            own = np.flatnonzero(labels == name).tolist()
            rng.shuffle(own)
            training += own[:EXAMPLES] if name in known else []
            asked += own[EXAMPLES:] if name in known else own
        classifier = PageClassifier(measure="precomputed").fit(
            matrix[np.ix_(training, training)], labels[training]
        )
        found = classifier.predict(matrix[np.ix_(asked, training)])
        is_known = np.isin(labels[asked], sorted(known))
        is_refused = found == UNCLASSIFIED
        counts += (
            is_known.sum(),
            (found == labels[asked])[is_known].sum(),
            is_refused[is_known].sum(),
            (~is_known).sum(),
            is_refused[~is_known].sum(),
        )
    return counts[1] / counts[0], counts[2] / counts[0], counts[4] / counts[3]


def main() -> None:
    """Writes classifier.csv and classifier.md."""
    rows = []
    for title, labels in (("one template", "labels.csv"), ("harder", "labels-hard.csv")):
        trees, names = pages(labels)
        for name, options in MEASURES:
            figures = shares(similarity_matrix(trees, measure_named(name, **options)), names)
            what = " ".join([name, *options.values()])
            rows.append((title, what, *(round(float(figure), 4) for figure in figures)))
    table(
        Path(__file__).parent / "classifier",
        "Known and unseen pages, by the classifier of Flesca et al., section 2.2",
        "TREELACE_CORPUS=… python -m experiments.flesca.classifier",
        ("classes", "measure", "known: right", "known: refused", "unseen: refused"),
        rows,
    )


if __name__ == "__main__":
    main()
