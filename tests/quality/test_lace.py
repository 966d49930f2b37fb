"""lace on mutants of real pages: floors for F1, which only rise, and how far confidence may be off.

The mutants are made here, with fixed seeds; a few pages in the fast run, one page of every third
site in the slow one. The floors stand a little below what was measured, since few pages are a small
sample: `experiments/lace_quality` has the figures.
"""

from __future__ import annotations

import csv
import gzip

import pytest

from experiments.lace_quality import other_tool
from tests import corpus
from treelace import Tree, parse
from treelace.matching.matchers.lace import Lace
from treelace.matching.matching import Matching
from treelace.testing.mutate import mutate, original

FEW = ("s020", "s030", "s080", "s103", "s130", "s142")


def _f1(page: Tree, *, ratio: float, seed: int, text: bool = True, redesign: bool = False) -> float:
    mutant = mutate(page, ratio=ratio, seed=seed, rename_tags_too=redesign, restyle_too=redesign)
    new = parse(mutant.html, format="html")
    truth = Matching.from_element_pairs(page, new, mutant.truth)
    return Lace(text=text).match(page, new).elements.f1(truth)


def _mean(pages: list[Tree], **conditions: object) -> float:
    return sum(_f1(page, seed=seed, **conditions) for seed, page in enumerate(pages)) / len(pages)  # type: ignore[arg-type]


def _settled(names: tuple[str, ...]) -> list[Tree]:
    folder = corpus.part("data", "pages")
    raw = (
        parse(gzip.decompress((folder / f"{name}.html.gz").read_bytes()), format="html")
        for name in names
    )
    return [parse(original(page), format="html") for page in raw]


@pytest.fixture(scope="module")
def few() -> list[Tree]:
    return _settled(FEW)


@pytest.mark.parametrize(("ratio", "floor"), [(0.1, 0.993), (0.3, 0.965)])
def test_mutants_of_a_few_pages(few: list[Tree], ratio: float, floor: float) -> None:
    assert _mean(few, ratio=ratio) >= floor


def test_without_text(few: list[Tree]) -> None:
    assert _mean(few, ratio=0.1, text=False) >= 0.985


@pytest.mark.parametrize(
    ("reading", "text", "most"),
    [
        ("tool-c", True, 0.03),
        ("tool-c", False, 0.06),
        ("tool-d", True, 0.01),
        ("tool-d", False, 0.01),
    ],
)
def test_confidence_is_how_often_a_pair_is_right(
    few: list[Tree], reading: str, text: bool, most: float
) -> None:
    # tool-c puts copies beside their originals; the error was .043 and .078 there
    bins: list[list[float]] = [[] for _ in range(10)]
    for page in few:
        for ratio in (0.05, 0.1, 0.2, 0.3):
            mutant = other_tool.mutate(
                page.to_html(), ratio, seed=7, reading=other_tool.READINGS[reading]
            )
            old, new = (parse(html, format="html") for html in (mutant.original, mutant.mutant))
            truth = set(mutant.truth)
            for i, j, confidence in Lace(text=text).match(old, new).element_pairs():
                bins[min(9, int(10 * confidence))].append(confidence - ((i, j) in truth))
    assert sum(abs(sum(part)) for part in bins) <= most * sum(map(len, bins))


def test_redesigns(few: list[Tree]) -> None:
    assert _mean(few, ratio=0.1, redesign=True) >= 0.98


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ratio", "floor"), [(0.05, 0.997), (0.1, 0.995), (0.2, 0.984), (0.3, 0.972), (0.5, 0.925)]
)
def test_mutants_of_many_pages(ratio: float, floor: float) -> None:
    with (corpus.part("data", "pages") / "index.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if 200 <= int(row["elements"]) <= 5000]
    one_a_site = {row["site"]: row["id"] for row in rows}
    assert _mean(_settled(tuple(list(one_a_site.values())[::3])), ratio=ratio) >= floor
