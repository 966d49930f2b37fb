"""SFTM on mutants of real pages is no worse than its authors' program, with the paper's
parameters.
"""

from __future__ import annotations

import csv
import gzip
import statistics
from pathlib import Path

import pytest

from tests import corpus
from treelace import parse
from treelace.matching.matchers.sftm import Sftm
from treelace.testing.mutate import mutate, original

AUTHORS = {
    "pages of 200 to 5,000 elements": (
        200,
        5000,
        6,
        {0.05: 0.848, 0.1: 0.808, 0.2: 0.762, 0.3: 0.708, 0.5: 0.650},
    ),
    "pages over 5,000 elements": (
        5001,
        10**6,
        7,
        {0.05: 0.584, 0.1: 0.535, 0.2: 0.539, 0.3: 0.489, 0.5: 0.444},
    ),
    "pages under 1,000 elements": (
        200,
        999,
        6,
        {0.05: 0.891, 0.1: 0.840, 0.2: 0.805, 0.3: 0.753, 0.5: 0.690},
    ),
}
"""F1 of the authors' program, by ratio of mutated elements."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", AUTHORS)
def test_no_worse_than_the_authors_program(kind: str) -> None:
    low, high, count, theirs = AUTHORS[kind]
    folder: Path = corpus.part("data", "pages")
    with (folder / "index.csv").open(encoding="utf-8") as file:
        names = [row["id"] for row in csv.DictReader(file) if low <= int(row["elements"]) <= high]
    chosen = names[:: max(1, len(names) // count)][:count]
    found: dict[float, list[float]] = {ratio: [] for ratio in theirs}
    for name in chosen:
        page = parse(gzip.decompress((folder / f"{name}.html.gz").read_bytes()), format="html")
        old = parse(original(page), format="html")
        for ratio in theirs:
            mutant = mutate(page, ratio=ratio, seed=7)
            pairs = {
                (i, j)
                for i, j, _ in Sftm().match(old, parse(mutant.html, format="html")).element_pairs()
            }
            found[ratio].append(
                2 * len(pairs & set(mutant.truth)) / (len(pairs) + len(mutant.truth))
            )
    means = {ratio: statistics.fmean(values) for ratio, values in found.items()}
    assert all(means[ratio] >= floor - 0.01 for ratio, floor in theirs.items()), means
