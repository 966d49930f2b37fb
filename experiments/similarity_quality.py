"""How good our own measure, classifier and clusterer are on pages with known classes.

    python -m experiments.similarity_quality [--data DIR] [--out DIR]

DIR holds classes/, swde/, pagepairs/ and snapshots/ (default: data/ below TREELACE_CORPUS). Writes
similarity_quality.md: a table of figures, each beside what it must reach, and the same figures for
measures of the papers.

1-NN error: how often the nearest other page is of another class (equally near ones share). ε: how
likely a page of another class is nearer than one of the same class (ties half). F1: of "same kind"
for pairs of pages of one site, at the best threshold. Clustering error: Buttler's, clusters and
classes paired one to one in the best way.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treelace import Tree, parse
from treelace.classes import PageClassifier, PageClusterer
from treelace.similarity import similarity_matrix
from treelace.similarity.evaluation import (
    adjusted_rand,
    clustering_error,
    neighbour_error,
    separation_error,
)
from treelace.similarity.measures.design import Design
from treelace.similarity.measures.path_binary import PathBinary
from treelace.similarity.measures.structure import Structure
from treelace.similarity.measures.tag_set import TagSet
from treelace.similarity.measures.tag_weighted import TagWeighted

Matrix = NDArray[np.float64]
Refused = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages with their classes."""

    files: tuple[Path, ...]
    classes: tuple[str, ...]

    def trees(self) -> Iterator[Tree]:
        return (parse(file, format="html") for file in self.files)

    def sample(self, each: int) -> Pages:
        """The first so many pages of each class."""
        seen: dict[str, int] = {}
        kept = []
        for number, name in enumerate(self.classes):
            seen[name] = seen.get(name, 0) + 1
            if seen[name] <= each:
                kept.append(number)
        return Pages(tuple(self.files[i] for i in kept), tuple(self.classes[i] for i in kept))


def labelled(folder: Path, labels: str, *, kind: str | None = None) -> Pages:
    with (folder / labels).open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if kind is None or row["kind"] == kind]
    return Pages(tuple(folder / row["file"] for row in rows), tuple(row["class"] for row in rows))


def sites(folder: Path) -> Pages:
    """Every page of every folder, the folder being its class."""
    files = sorted(folder.glob("*/*.html.gz"))
    return Pages(tuple(files), tuple(file.parent.name for file in files))


def designs(folder: Path) -> Pages:
    """Snapshots, the class being (site, design)."""
    with (folder / "designs.csv").open(newline="") as file:
        known = {(row["site"], int(row["number"])): row["design"] for row in csv.DictReader(file)}
    files = sorted(folder.glob("*/*.html.gz"))
    return Pages(
        tuple(files),
        tuple(
            f"{file.parent.name}/{known[file.parent.name, int(file.name[:3])]}" for file in files
        ),
    )


def states(folder: Path, site: str) -> Pages:
    """Pages of one site, the class being their type: the labels of the pairs agree with it."""
    with (folder / "states.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["page"].startswith(f"{site}/")]
    return Pages(tuple(folder / row["page"] for row in rows), tuple(row["type"] for row in rows))


def best_f1(matrix: Matrix, classes: Iterable[str]) -> float:
    """The best F1 of "alike enough" for "same class" over all thresholds."""
    names = np.array(list(classes))
    rows, columns = np.triu_indices(len(names), 1)
    order = np.argsort(-matrix[rows, columns], kind="stable")
    values, is_same = matrix[rows, columns][order], (names[rows] == names[columns])[order]
    is_last = np.append(
        values[1:] != values[:-1], True
    )  # equal similarities are on one side of any threshold
    f1 = 2 * np.cumsum(is_same) / (np.arange(1, len(values) + 1) + is_same.sum())
    return float(f1[is_last].max())


def open_world(
    matrix: Matrix, classes: Iterable[str], *, share: float = 0.5, rounds: int = 4
) -> Refused:
    """Each class left out in turn: the share of its pages that are called unclassified; and the
    share of pages of known classes that are refused.

    `share` of the pages of each class are trained on, in `rounds` different draws; known pages are
    those not trained on.
    """
    names = np.array(list(classes))
    unseen, refused = [], []
    for round_ in range(rounds):
        random = np.random.default_rng(round_)
        is_trained = np.zeros(len(names), dtype=bool)
        for name in sorted(set(names.tolist())):
            own = random.permutation(np.flatnonzero(names == name))
            is_trained[own[: max(2, round(share * len(own)))]] = True
        trained, tested = np.flatnonzero(is_trained), np.flatnonzero(~is_trained)
        whole = PageClassifier(measure="precomputed").fit(
            matrix[np.ix_(trained, trained)], names[trained]
        )
        refused += [
            verdict.label is None for verdict in whole.classify(matrix[np.ix_(tested, trained)])
        ]
        for name in sorted(set(names.tolist())):
            others, left_out = trained[names[trained] != name], np.flatnonzero(names == name)
            model = PageClassifier(measure="precomputed").fit(
                matrix[np.ix_(others, others)], names[others]
            )
            unseen += [
                verdict.label is None
                for verdict in model.classify(matrix[np.ix_(left_out, others)])
            ]
    return float(np.mean(unseen)), float(np.mean(refused))


def clusters(matrix: Matrix, classes: tuple[str, ...], **options: Any) -> tuple[float, float, int]:
    """Error, adjusted Rand and number of the clusters found."""
    labels = PageClusterer(measure="precomputed", **options).fit(matrix).labels_.tolist()
    return clustering_error(labels, classes), adjusted_rand(labels, classes), len(set(labels))


def report(data: Path) -> Iterator[str]:
    """The lines of the report."""
    own, sketched = Structure(), Structure(slots=256)
    one, hard = (
        labelled(data / "classes", "labels.csv", kind="one-template"),
        labelled(data / "classes", "labels-hard.csv"),
    )
    every, swde, snapshots = (
        labelled(data / "classes", "labels.csv"),
        sites(data / "swde"),
        designs(data / "snapshots"),
    )
    yield from (
        "# Quality of `structure`, of classes and of clusters",
        "",
        "Made by `python -m experiments.similarity_quality`.",
        "",
    )
    yield from (
        "## Nearest neighbours and ε",
        "",
        "| pages | measure | 1-NN error | ε | to reach |",
        "|---|---|---|---|---|",
    )
    for title, pages, goal in (
        ("one-template classes", one, "0 / .001"),
        ("harder classes", hard, ".006 / .010"),
        ("SWDE's sites", swde, "– / .0005"),
    ):
        for measure in (own, sketched, Design(), TagSet(), TagWeighted(), PathBinary()):
            matrix = similarity_matrix(pages.trees(), measure)
            is_own = isinstance(measure, Structure) and measure.name == own.name
            figures = (
                f"{neighbour_error(matrix, pages.classes):.4f} |"
                f" {separation_error(matrix, pages.classes):.5f}"
            )
            yield f"| {title} | {_title(measure)} | {figures} | {goal if is_own else ''} |"
    yield from (
        "",
        "## Same kind of page or not, inside one site",
        "",
        "| site | measure | best F1 | to reach |",
        "|---|---|---|---|",
    )
    for site, goal in (("stackoverflow", ".98"), ("petclinic", ".99")):
        pages = states(data / "pagepairs", site)
        trees = list(pages.trees())
        for measure in (own, sketched, TagSet(), TagWeighted(), PathBinary()):
            f1 = best_f1(similarity_matrix(trees, measure), pages.classes)
            yield (
                f"| {site} | {_title(measure)} | {f1:.4f} |"
                f" {goal if measure in (own, sketched) else ''} |"
            )
        seeds = [
            best_f1(similarity_matrix(trees, Structure(slots=256, seed=seed)), pages.classes)
            for seed in range(10)
        ]
        yield (
            f"| {site} | structure, 256 slots, the worst of ten seeds | {min(seeds):.4f} | {goal} |"
        )
    yield from (
        "",
        "## Clusters",
        "",
        "| pages | measure | how | error | adjusted Rand | clusters | to reach |",
        "|---|---|---|---|---|---|---|",
    )
    for title, pages in (
        ("snapshots by (site, design)", snapshots),
        ("SWDE's sites", swde),
        ("one-template classes", one),
        ("harder classes", hard),
        *((site, states(data / "pagepairs", site)) for site in ("stackoverflow", "petclinic")),
    ):
        count = len(set(pages.classes))
        trees = list(pages.trees())
        for measure in (Design(), own, PathBinary()):
            matrix = similarity_matrix(trees, measure)
            for how, options in (
                ("linked, number given", {"n_clusters": count}),
                ("linked, number found", {}),
                ("medoids, number given", {"n_clusters": count, "method": "medoids"}),
            ):
                error, rand, found = clusters(matrix, pages.classes, **options)
                is_asked = pages is snapshots and measure == Design() and how.startswith("linked")
                goal = (".01" if "given" in how else ".05") if is_asked else ""
                yield (
                    f"| {title} | {_title(measure)} | {how} | {error:.4f} | {rand:.4f} | {found} of"
                    f" {count} | {goal} |"
                )
    yield from (
        "",
        "## A class left out",
        "",
        "| pages | trained on | unseen called unclassified | known refused | to reach |",
        "|---|---|---|---|---|",
    )
    both = Pages(
        every.files + swde.files, every.classes + swde.classes
    )  # a site that is in both is one class
    for title, pages in (
        ("classes and SWDE's sites together", both),
        ("classes", every),
        ("one-template classes", one),
        ("SWDE's sites", swde),
        ("harder classes", hard),
    ):
        matrix = similarity_matrix(pages.trees(), own)
        for share in (0.5, 0.8):
            unseen, refused = open_world(matrix, pages.classes, share=share)
            goal = "≥ .96, ≤ .02" if pages in (both, every, swde) else ""
            yield f"| {title} | {share:.0%} of each class | {unseen:.4f} | {refused:.4f} | {goal} |"


def _title(measure: Any) -> str:
    return (
        measure.name
        if getattr(measure, "slots", None) is None
        else f"{measure.name}, {measure.slots} slots"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("TREELACE_CORPUS", ".")) / "data"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    lines = []
    for line in report(options.data):
        print(line, flush=True)
        lines.append(line)
    (options.out / "similarity_quality.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
