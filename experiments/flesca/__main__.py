"""`python -m experiments.flesca [tables figures]`; both without a name. Needs TREELACE_CORPUS.

`tables` writes Table 1 (ε) and Table 2 (q_k) under every scaling of the series, since the paper
does not say which is its own, `figures` the matrices, class averages and qualities of Figures 6 to
10 for the newspapers. Figures 4 and 5 are `python -m experiments.flesca.books`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from experiments import write
from experiments.data import Page, class_pages
from treelace.similarity import Measure, similarity_matrix
from treelace.similarity.evaluation import (
    class_average_matrix,
    neighbourhood_quality,
    separation_error,
)
from treelace.similarity.matrix_outputs import to_png
from treelace.similarity.measures.fourier import SCALINGS, SCHEMES, Fourier, Signal
from treelace.similarity.measures.path_binary import PathBinary
from treelace.similarity.measures.structure import Structure
from treelace.similarity.measures.tag_weighted import TagWeighted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HERE = Path(__file__).parent
CATEGORIES = {"E": "e-commerce", "M": "museums", "N": "newspapers", "U": "universities"}
TESTS = [
    "E1 E2 E3 E4",
    "M1 M2 M3 M4",
    "N1 N2 N3 N4",
    "U1 U2 U3 U4",
    "E2 M3 N2 U2",
    "E3 M2 N3 U3",
    "E4 M4 N4 U1",
]
FOURIER: dict[str, Measure] = {scheme: Fourier(scheme=scheme) for scheme in SCHEMES}
DEFAULT_SCALING = Signal().scaling
OTHERS: dict[str, Measure] = {
    "tag-weighted": TagWeighted(),
    "path-binary": PathBinary(),
    "structure (ours)": Structure(),
}
PAPER_EPSILON = [
    (0.0114, 0.0379, 0.0067, 0.0212, 0.0329),
    (0.0442, 0.0314, 0, 0.1218, 0.0829),
    (0.0351, 0.0021, 0, 0.0142, 0.0430),
    (0.0796, 0.0375, 0.0515, 0.0498, 0.0413),
    (0.0148, 0.0053, 0.0002, 0.0167, 0.0687),
    (0.0251, 0.0165, 0.0552, 0.0436, 0.0349),
    (0.0002, 0.0038, 0.0318, 0.0075, 0.0160),
]
PAPER_QUALITY = [
    (0.9768, 0.9162, 0.9808, 0.9666, 0.9643),
    (0.9501, 0.9518, 1, 0.8300, 0.9211),
    (0.9546, 0.9914, 1, 0.9643, 0.9287),
    (0.9064, 0.9665, 0.9144, 0.9106, 0.9154),
    (0.9640, 0.9798, 0.9988, 0.9786, 0.8871),
    (0.9803, 0.9857, 0.9529, 0.9265, 0.9578),
    (1, 0.9924, 0.9271, 0.9710, 0.9595),
]
FIGURES = {"trivial": 6, "linear": 7, "nested": 8, "multilevel": 9, "pairwise": 10}


@cache
def classes() -> dict[str, list[Page]]:
    """The sixteen classes by the paper's kind of name: E1 is the first e-commerce site in the
    list.
    """
    by_category = class_pages()
    found = {}
    for letter, category in CATEGORIES.items():
        groups = dict.fromkeys(page.group for page in by_category[category])
        for number, group in enumerate(groups, 1):
            found[f"{letter}{number}"] = [
                page for page in by_category[category] if page.group == group
            ]
    return found


def matrix_of(test: str, measure: Measure) -> tuple[NDArray[np.float64], list[str]]:
    """Similarities of the pages of a test, and their classes."""
    pages = [page for name in test.split() for page in classes()[name]]
    return similarity_matrix([page.tree for page in pages], measure), [
        name for name in test.split() for _ in classes()[name]
    ]


def tables() -> None:
    """ε and q_k for each test, scaling and scheme, and for a few other measures."""
    sizes = [min(len(classes()[name]) for name in test.split()) for test in TESTS]
    measured: dict[tuple[str, int], tuple[float, float]] = {}
    measures: dict[str, Measure] = {
        f"{scheme}, {scaling}": Fourier(scheme=scheme, scaling=scaling)
        for scaling in SCALINGS
        for scheme in SCHEMES
    }
    for name, measure in (measures | OTHERS).items():
        for number, test in enumerate(TESTS):
            matrix, names = matrix_of(test, measure)
            measured[name, number] = (
                separation_error(matrix, names, strict=True),
                neighbourhood_quality(matrix, names, sizes[number]),
            )
    legend = ", ".join(f"{name} {pages[0].group}" for name, pages in classes().items())
    note = f"Other pages than the paper's: 25 of each class. {legend}."
    for which, (title, paper, more) in enumerate(
        (
            ("Table 1: error ε", PAPER_EPSILON, "Ties do not count, as in the paper."),
            (
                "Table 2: quality q_k",
                PAPER_QUALITY,
                "k is the size of the smallest class, the page itself is one of the k.",
            ),
        )
    ):
        rows = _rows(measured, paper, which)
        write.table(
            HERE / f"table{which + 1}",
            f"Flesca et al., {title}, under each scaling",
            "TREELACE_CORPUS=… python -m experiments.flesca tables",
            ["scaling", "scheme", *map(str, range(1, len(TESTS) + 1)), "mean", "apart from paper"],
            rows,
            f"{note} {more} The last column is the mean difference from the paper, test by test."
            f" The default scaling is {DEFAULT_SCALING}.",
        )


def _rows(
    measured: dict[tuple[str, int], tuple[float, float]],
    paper: Sequence[tuple[float, ...]],
    which: int,
) -> list[list[object]]:
    """Lines of the paper, of each scheme under each scaling, and of other measures."""
    rows: list[list[object]] = []

    def add(group: str, name: str, values: list[float], wanted: list[float] | None) -> None:
        apart = (
            f"{sum(abs(a - b) for a, b in zip(values, wanted, strict=True)) / len(values):.4f}"
            if wanted
            else "–"
        )
        rows.append([group, name, *values, sum(values) / len(values), apart])

    columns = {scheme: [row[at] for row in paper] for at, scheme in enumerate(SCHEMES)}
    for scheme, values in columns.items():
        add("the paper", scheme, values, None)
    for scaling in SCALINGS:
        for scheme in SCHEMES:
            found = [
                measured[f"{scheme}, {scaling}", number][which] for number in range(len(TESTS))
            ]
            add(scaling, scheme, found, columns[scheme])
    for name in OTHERS:
        add("–", name, [measured[name, number][which] for number in range(len(TESTS))], None)
    return rows


def figures() -> None:
    """The newspapers by each scheme: matrix as an image, class averages, ε and q_k."""
    test = TESTS[2]
    rows: list[list[object]] = []
    for scheme, number in FIGURES.items():
        matrix, names = matrix_of(test, FOURIER[scheme])
        image = HERE / f"figure{number}.png"
        image.write_bytes(to_png(matrix, classes=names, scale="rank", pixels=4))
        write.note(image)
        averages = class_average_matrix(matrix, names)
        for name, line in zip(averages.classes, averages.matrix.tolist(), strict=True):
            rows.append(
                [f"{number}: {scheme}, {name}", *(f"{value:.3g}" for value in line), "", ""]
            )
        rows[-len(averages.classes)][-2:] = [
            separation_error(matrix, names, strict=True),
            neighbourhood_quality(matrix, names, 22),
        ]
    pictures = "\n\n".join(
        f"Figure {number} (a), {scheme}\n\n![{scheme}](figure{number}.png)"
        for scheme, number in FIGURES.items()
    )
    note = (
        "Class averages CS (b), ε and q_k with k = 22 (c). In the images black is most alike;"
        " colours by rank, pages class after class,\nblue lines between classes."
    )
    command = "TREELACE_CORPUS=… python -m experiments.flesca figures"
    head = ["figure", "N1", "N2", "N3", "N4", "ε", "q_k"]
    write.table(
        HERE / "figures",
        "Flesca et al., Figures 6 to 10: four newspapers",
        command,
        head,
        rows,
        f"{note}\n\n{pictures}",
    )


def main() -> None:
    parts = {"tables": tables, "figures": figures}
    unknown = [name for name in sys.argv[1:] if name not in parts]
    if unknown:
        raise SystemExit(f"no part {', '.join(unknown)}: there are {', '.join(parts)}")
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
