"""SFTM: the worked example of the paper's equations to six digits, the oracle, and what bad input
gets.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import sftm as oracle
from treelace import Limits, Tree, parse
from treelace.errors import LimitError, UsageError
from treelace.matching.matchers.sftm import Sftm

OLD = parse('<body><ul id="menu"><li class="first"/><li class="last"/></ul></body>', format="xml")
NEW = parse('<body><ul id="menu"><li class="last"/></ul></body>', format="xml")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (0, {(0, 0): 2.772589, (1, 1): 5.545177 * 0.5, (2, 2): 1.386294, (3, 2): 2.772589}),
        (1, {(0, 0): 7.208731, (1, 1): 9.981319 * 0.5, (2, 2): 3.604365, (3, 2): 4.990660}),
        (2, {(0, 0): 8.007236, (1, 1): 10.957271 * 0.5, (2, 2): 4.003618, (3, 2): 5.389912}),
        (3, {(0, 0): 8.094894, (1, 1): 5.532224, (2, 2): 4.047447, (3, 2): 5.433742}),
    ],
)
def test_the_worked_example_has_these_similarities(
    steps: int, expected: dict[tuple[int, int], float]
) -> None:
    matcher = Sftm(from_parents=(0.4, 0.04, 0.004)[:steps], to_parents=(0.8, 0.08, 0.008)[:steps])
    found = {(i, j): s for i, j, s in matcher.graph(OLD, NEW)}
    assert found.keys() == expected.keys()
    for pair, similarity in expected.items():
        assert found[pair] == pytest.approx(similarity, abs=1e-6)


def test_the_worked_example_has_these_costs() -> None:
    costs = {(i, j): 1 / (1 + s) for i, j, s in Sftm().graph(OLD, NEW)}
    assert costs == pytest.approx(
        {(0, 0): 0.109952, (1, 1): 0.153087, (2, 2): 0.198120, (3, 2): 0.155431}, abs=1e-6
    )
    one_step = {
        (i, j): 1 / (1 + s)
        for i, j, s in Sftm(from_parents=(0.4,), to_parents=(0.8,)).graph(OLD, NEW)
    }
    assert one_step == pytest.approx(
        {(0, 0): 0.121822, (1, 1): 0.166927, (2, 2): 0.217185, (3, 2): 0.166927}, abs=1e-6
    )


def test_the_worked_example_is_matched_and_costs_this() -> None:
    matching = Sftm(iterations=0).match(OLD, NEW)
    assert [(OLD[i].xpath, NEW[j].xpath) for i, j in matching.pairs[1:]] == [
        ("/body", "/body"),
        ("/body/ul", "/body/ul"),
        ("/body/ul/li[2]", "/body/ul/li"),
    ]
    scores = oracle.similarities(OLD, NEW)
    for no_match, mean, objective in ((9 / 11, 0.309163, 0.461669), (1.0, 0.354617, 0.412078)):
        assert oracle.greedy(scores, 4, 3, no_match)[1] == pytest.approx(mean, abs=1e-6)
        assert math.exp(-2.5 * mean) == pytest.approx(objective, abs=1e-6)


@st.composite
def pages(draw: st.DrawFn) -> Tree:
    """Small pages of few tags and few words, so that tokens repeat."""

    def element(depth: int) -> str:
        tag = draw(st.sampled_from(["div", "span", "b"]))
        words = draw(st.lists(st.sampled_from(["x", "y", "z1", "w-v"]), max_size=2))
        attributes = f' class="{" ".join(words)}"' if words else ""
        inside = "".join(
            element(depth + 1) for _ in range(draw(st.integers(0, 3 if depth < 3 else 0)))
        )
        return f"<{tag}{attributes}>{inside}</{tag}>"

    return parse(element(0), format="xml")


@settings(max_examples=60, deadline=None)
@given(pages(), pages(), st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_the_graph_is_the_oracles(old: Tree, new: Tree, alpha: float) -> None:
    found = {(i, j): s for i, j, s in Sftm(alpha=alpha).graph(old, new)}
    expected = oracle.similarities(old, new, alpha=alpha)
    assert found.keys() == expected.keys()
    for pair, similarity in expected.items():
        assert found[pair] == pytest.approx(similarity, rel=1e-9, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(pages(), pages())
def test_the_first_matching_is_the_oracles_greedy_one(old: Tree, new: Tree) -> None:
    matcher = Sftm(iterations=0)
    number_old = {node.index: i for i, node in enumerate(old.elements)}
    number_new = {node.index: i for i, node in enumerate(new.elements)}
    found = [(number_old[i], number_new[j]) for i, j in matcher.match(old, new).pairs if i]
    scores = {(i, j): s for i, j, s in matcher.graph(old, new)}
    assert found == oracle.greedy(scores, len(number_old), len(number_new), matcher.no_match)[0]


def mean_cost(matcher: Sftm, old: Tree, new: Tree) -> float:
    scores = {(i, j): s for i, j, s in matcher.graph(old, new)}
    number_old = {node.index: i for i, node in enumerate(old.elements)}
    number_new = {node.index: i for i, node in enumerate(new.elements)}
    pairs = [(number_old[i], number_new[j]) for i, j in matcher.match(old, new).pairs if i]
    alone = len(number_old) + len(number_new) - 2 * len(pairs)
    return (sum(1 / (1 + scores[pair]) for pair in pairs) + alone * matcher.no_match) / (
        len(pairs) + alone
    )


@settings(max_examples=40, deadline=None)
@given(pages(), pages(), st.integers(0, 5), st.booleans())
def test_the_walk_returns_the_best_it_saw(
    old: Tree, new: Tree, seed: int, as_printed: bool
) -> None:
    first = mean_cost(Sftm(iterations=0), old, new)
    few = mean_cost(Sftm(iterations=5, seed=seed, as_printed=as_printed), old, new)
    many = mean_cost(Sftm(iterations=25, seed=seed, as_printed=as_printed), old, new)
    assert many <= few + 1e-12 <= first + 2e-12  # the longer walk begins with the shorter one


def test_the_same_seed_walks_the_same_way_and_another_may_not() -> None:
    rng = random.Random(24)

    def page() -> Tree:
        rows = (
            f"<p class='{' '.join(rng.sample('abcdefgh', rng.randint(1, 3)))}'/>" for _ in range(14)
        )
        return parse(f"<r>{''.join(rows)}</r>", format="xml")

    old, new = page(), page()
    walks = [
        Sftm(seed=seed, gamma=0.5, iterations=30).match(old, new) for seed in (1, 1, 2, 3, 4, 5)
    ]
    assert walks[0] == walks[1]
    assert any(walk != walks[0] for walk in walks[2:])


@pytest.mark.parametrize(
    "departure",
    [
        {"always_rank": True},
        {"no_penalty": True},
        {"parent_token": True},
        {"neighbours": 2},
        {"skip_data": True},
        {"whole_beyond": 2},
    ],
)
def test_each_departure_changes_the_graph(departure: dict[str, object]) -> None:
    old = parse(
        '<div id="a"><p class="one two three" data-x="k"><b/><b/></p><p class="q"/><p'
        ' class="q"/><p/></div>',
        format="xml",
    )
    new = parse(
        '<div id="a"><p class="one two three" data-x="k"><b/></p><p class="q"/></div>', format="xml"
    )
    assert Sftm(alpha=1.0, **departure).graph(old, new) != Sftm(alpha=1.0).graph(old, new)  # type: ignore[arg-type]


def test_the_librarys_settings_are_a_matcher() -> None:
    assert Sftm.library(seed=3).neighbours == 100
    assert len(Sftm.library().match(OLD, NEW)) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 2.0},
        {"gamma": 0.0},
        {"from_parents": (0.4,)},
        {"beta": -1.0},
        {"no_match": math.nan},
    ],
)
def test_parameters_out_of_range_are_wrong_use(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="sftm"):
        Sftm(**wrong).match(OLD, NEW)  # type: ignore[arg-type]


def test_too_many_pairs_are_refused_by_name() -> None:
    rows = "".join(f"<p class=a><b id=x{i % 40}>{i}</b></p>" for i in range(2000))
    page, other = parse(rows), parse(rows + "<hr>")
    with pytest.raises(LimitError, match="working memory"):
        Sftm(alpha=1.0, limits=Limits(memory=10**6)).match(page, other)


@pytest.mark.parametrize("name", ["chain", "star", "twins"])
def test_odd_shapes_are_done_in_time(name: str) -> None:
    shapes = {
        "chain": "{a" * 10**5 + "}" * 10**5,
        "star": "{r" + "{a}" * 10**5 + "}",
        "twins": "{r" + "{a{b}}" * 5000 + "}",
    }
    old = Tree.from_brackets(shapes[name])
    new = Tree.from_brackets(shapes[name] + "{z}")
    assert len(Sftm().match(old, new)) > 0.99 * len(old)


def test_parameters_on_the_command_line(treelace: Any, tmp_path: Path) -> None:
    (tmp_path / "old.html").write_text(
        "<ul id=menu><li class=first>a<li class=last>b</ul>", encoding="utf-8"
    )
    (tmp_path / "new.html").write_text("<ul id=menu><li class=last>b</ul>", encoding="utf-8")

    def pairs(*options: str) -> int:
        ran = treelace("match", "old.html", "new.html", "--matcher", "sftm", *options)
        assert ran.returncode == 0, ran.stderr
        return len(json.loads(ran.stdout)["pairs"])

    assert (
        pairs(
            "--option",
            "from_parents=0.4,0.04",
            "--option",
            "to_parents=0.8,0.08",
            "--option",
            "as_printed=true",
        )
        == 5
    )
    assert pairs("--option", "no_match=0") == 0  # nothing is cheaper than no partner
    for wrong in ("alpha=much", "seed=-1", "alpha", "no_such=1", "alpha=7"):
        ran = treelace("match", "old.html", "new.html", "--matcher", "sftm", "--option", wrong)
        assert ran.returncode == 2, wrong
        assert "Traceback" not in ran.stderr


def test_words_by_the_letter_of_the_paper_have_no_digits() -> None:
    old = parse("<p id=row-12>a</p><p id=row-13>b</p>")
    new = parse("<p id=row-13>b</p>")
    found = [old[i].text for i, j in Sftm().match(old, new).pairs if new[j].tag == "p"]
    assert found == ["b"]
    assert Sftm(latin=True).graph(old, new) != Sftm().graph(old, new)
