"""Mutants carry their truth and nothing else."""

from __future__ import annotations

import json

import pytest

import treelace as tl
from treelace.testing.mutate import mutate, original
from treelace.testing.operators import OPERATORS, PAPER

PAGE = (
    "<!doctype html><title>Shop</title><header><nav><a href=/>Home</a><a href=/tea>Tea</a></nav></header><main><ul class=list>"
    + "".join(
        f"<li class='item n{n}'><h3><a href=/p/{n}>Tea number {n}</a></h3><p class=price>{n}.20</p><p>words about {n}</p></li>" for n in range(20)
    )
    + "</ul><table><tr><th>a<td>b<tr><th>c<td>d</table></main><footer><p>end</p></footer>"
)


def elements(html: str) -> int:
    return sum(node.element_index is not None for node in tl.parse(html).elements)


def test_nothing_changed_is_everything_kept():
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0)
    assert mutant.html == original(page)
    assert mutant.truth == tuple((i, i) for i in range(elements(mutant.html)))


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_keeps_a_one_to_one_truth_within_the_page(operator):
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0.2, seed=3, operators=[operator])
    old, new = [i for i, _ in mutant.truth], [j for _, j in mutant.truth]
    assert len(set(old)) == len(old)
    assert len(set(new)) == len(new)
    assert max(old) < elements(original(page))
    assert max(new) < elements(mutant.html)
    assert mutant.log["operations"], "the operator did nothing on this page"
    assert "signature" not in mutant.html


def test_the_same_seed_gives_the_same_mutant():
    page = tl.parse(PAGE)
    assert mutate(page, ratio=0.3, seed=5) == mutate(page, ratio=0.3, seed=5)
    assert mutate(page, ratio=0.3, seed=5).html != mutate(page, ratio=0.3, seed=6).html
    assert len(PAPER) == 11


def test_lace_finds_most_of_the_truth_and_more_than_paths_do(treelace, tmp_path):
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    assert treelace("mutate", "page.html", "-o", "out", "--ratio", "0.1", "--count", "3").returncode == 0
    for number in ("001", "002", "003"):
        truth = {tuple(pair) for pair in json.loads((tmp_path / "out" / f"{number}.truth.json").read_text())}
        found = {}
        for matcher in ("lace", "same-path"):
            ran = treelace("match", "out/original.html", f"out/{number}.html", "--matcher", matcher)
            pairs = {(i, j) for i, j, _ in json.loads(ran.stdout)["pairs"]}
            found[matcher] = 2 * len(pairs & truth) / (len(pairs) + len(truth))
        assert found["lace"] > 0.93
        assert found["lace"] >= found["same-path"]


def test_unknown_operators_and_ratios_are_refused():
    page = tl.parse("<p>x")
    with pytest.raises(tl.UsageError, match="unknown operator nonsense"):
        mutate(page, ratio=0.1, operators=["nonsense"])
    with pytest.raises(tl.UsageError, match="ratio"):
        mutate(page, ratio=2)
