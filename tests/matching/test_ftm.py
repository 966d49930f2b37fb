"""Flexible tree matching: its costs and bounds by hand and by definition, and how near the walk
comes to the optimum.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import ftm as oracle
from tests.oracles.trees import brackets, random_tree
from tests.oracles.zhang_shasha import PlainTree
from treelace import Kind, Tree, _kernel, parse
from treelace.errors import MatchError, UsageError
from treelace.limits import DEFAULT_LIMITS
from treelace.matching.matchers.flexible_tree_matching import FlexibleTreeMatching as Ftm

WEIGHTS = (1.0, 1.0, 0.25, 0.25)
ONES = Ftm(ancestry=1.0, siblings=1.0)


@st.composite
def plain_trees(draw: st.DrawFn, most: int = 4) -> PlainTree:
    seed = draw(st.integers(0, 2**32))
    return random_tree(
        random.Random(seed),
        draw(st.integers(1, most)),
        labels="ab",
        bend=draw(st.sampled_from([0.0, 0.5, 1.0])),
    )


def tree(plain_tree: PlainTree) -> Tree:
    return Tree.from_brackets(brackets(plain_tree))


def priced(
    old: Tree, new: Tree, partner: oracle.Partners, ftm: Ftm
) -> tuple[float, list[tuple[int, int, float]]]:
    """By the kernel; the oracle counts nodes from 0, the tree has its document before them."""
    return _kernel.ftm_priced(
        old._core,
        new._core,
        [(i + 1, j + 1) for i, j in partner.items()],
        False,
        ftm,
        DEFAULT_LIMITS,
    )


def test_the_example_costs_three() -> None:
    old, new = Tree.from_brackets("{a{b}{c}}"), Tree.from_brackets("{a{b{c}}}")
    total, pairs = priced(old, new, {0: 0, 1: 1, 2: 2}, ONES)
    assert total == 3.0
    assert pairs == [(1, 1, 1.0), (2, 2, 1.5), (3, 3, 0.5)]
    for weights, expected in (
        ({"ancestry": 0.0}, 1.0),
        ({"siblings": 0.0}, 2.0),
        ({"rename": 5.0, "no_match": 9.0}, 3.0),
    ):
        assert priced(old, new, {0: 0, 1: 1, 2: 2}, replace(ONES, **weights))[0] == expected


def test_the_bounds_at_the_start_and_after_an_edge_is_fixed() -> None:
    one = Tree.from_brackets("{a{b}{c}}")

    def bounds(
        fixed: list[tuple[int, int]],
    ) -> dict[tuple[int, int], tuple[tuple[float, float], tuple[float, float]]]:
        return {
            (i, j): (a, s)
            for i, j, a, s in _kernel.ftm_bounds(
                one._core, one._core, fixed, False, Ftm(), DEFAULT_LIMITS
            )
        }

    assert bounds([])[1, 1][0] == (0.0, 4.0)
    assert bounds([])[2, 2][1] == (0.0, 1.0)
    after = bounds([(1, 1), (3, 3)])
    assert after[1, 1][0] == (0.0, 0.0)
    assert after[2, 2][1] == (0.0, 0.0)
    assert (2, 3) not in after


@settings(max_examples=60, deadline=None)
@given(
    plain_trees(5),
    plain_trees(5),
    st.integers(0, 2**32),
    st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, 3.0])] * 4),
)
def test_a_matching_costs_what_the_definition_says(
    left: PlainTree, right: PlainTree, seed: int, weights: tuple[float, float, float, float]
) -> None:
    old, new = oracle.numbered(left), oracle.numbered(right)
    rng = random.Random(seed)
    count = rng.randint(0, min(len(old.labels), len(new.labels)))
    chosen = zip(
        rng.sample(range(len(old.labels)), count),
        rng.sample(range(len(new.labels)), count),
        strict=True,
    )
    partner = dict(sorted(chosen))
    no_match, rename, ancestry, siblings = weights
    ftm = Ftm(no_match=no_match, rename=rename, ancestry=ancestry, siblings=siblings)
    assert priced(tree(left), tree(right), partner, ftm)[0] == pytest.approx(
        oracle.cost(old, new, partner, *weights)
    )


@settings(max_examples=25, deadline=None)
@given(plain_trees(), plain_trees(), st.booleans())
def test_every_matching_costs_what_the_bounds_allow(
    left: PlainTree, right: PlainTree, fixes_one: bool
) -> None:
    old, new = oracle.numbered(left), oracle.numbered(right)
    fixed = [(len(old.labels), len(new.labels))] if fixes_one else []
    rows = _kernel.ftm_bounds(
        tree(left)._core, tree(right)._core, fixed, False, Ftm(), DEFAULT_LIMITS
    )
    allowed = {(i - 1, j - 1): bounds for i, j, *bounds in rows}
    for partner in oracle.matchings(len(old.labels), len(new.labels)):
        if any(partner.get(i - 1) != j - 1 for i, j in fixed):
            continue
        for m, n in partner.items():
            ancestry, siblings = allowed[m, n]
            assert ancestry[0] <= oracle.ancestry(old, new, m, n, partner) <= ancestry[1]
            assert (
                siblings[0] - 1e-12
                <= oracle.siblings(old, new, m, n, partner)
                <= siblings[1] + 1e-12
            )


def test_the_walk_is_near_the_optimum_of_all_matchings() -> None:
    rng = random.Random(2011)
    reached = 0
    for _ in range(40):
        left, right = (
            random_tree(rng, rng.randint(1, 5), labels="abc", bend=rng.random()) for _ in range(2)
        )
        old, new = oracle.numbered(left), oracle.numbered(right)
        optimum = min(
            oracle.cost(old, new, partner, *WEIGHTS)
            for partner in oracle.matchings(len(old.labels), len(new.labels))
        )
        found = Ftm(ancestry=0.25, siblings=0.25, gamma=0.5, iterations=300).cost(
            tree(left), tree(right)
        )
        assert found >= optimum - 1e-9
        reached += found <= optimum + 1e-9
    assert reached >= 36


def test_a_longer_walk_is_never_dearer_and_a_seed_says_which_way_it_goes() -> None:
    rng = random.Random(4)
    left, right = (tree(random_tree(rng, 30, labels="abcd", bend=0.3)) for _ in range(2))
    costs = [
        Ftm(iterations=iterations, seed=7, ancestry=0.25, siblings=0.25).cost(left, right)
        for iterations in (0, 10, 60)
    ]
    assert costs == sorted(costs, reverse=True)
    assert costs[2] < costs[0]
    assert Ftm(seed=3).match(left, right) == Ftm(seed=3).match(left, right)


def test_a_moved_subtree_is_found_again() -> None:
    old = Tree.from_brackets("{html{nav{ul{li}{em}}}{main{h1}{p}{footer{b}{i}}}}")
    new = Tree.from_brackets("{html{nav{ul{li}{em}}{footer{b}{i}}}{main{h1}{p}}}")
    matching = Ftm().match(old, new)
    assert {(old[i].tag, new[j].tag) for i, j in matching.pairs if i} == {
        (node.tag, node.tag) for node in old.elements
    }


def test_larger_trees_are_refused_by_name() -> None:
    large, small = Tree.from_brackets("{a" + "{b}" * 128 + "}"), Tree.from_brackets("{a}")
    for old, new in ((large, small), (small, large)):
        with pytest.raises(
            MatchError,
            match=r"flexible-tree-matching takes trees of at most 128 nodes, these have .*lace",
        ):
            Ftm().match(old, new)
    assert len(Ftm(iterations=0).match(Tree.from_brackets("{a" + "{b}" * 127 + "}"), small)) == 2


def test_forests_texts_and_attributes() -> None:
    old, new = Tree.from_brackets("{a}{b}"), Tree.from_brackets("{b}{a}")
    assert {(old[i].tag, new[j].tag) for i, j in Ftm().match(old, new).pairs if i} == {
        ("a", "a"),
        ("b", "b"),
    }
    page, other = parse("<p class=x>one<p class=y>two"), parse("<p class=y>two<p class=x>one")
    said = {
        (page[i].text, other[j].text)
        for i, j in Ftm(attributes=True).match(page, other).pairs
        if page[i].kind is Kind.TEXT
    }
    assert said == {("one", "one"), ("two", "two")}


@pytest.mark.parametrize("wrong", [{"gamma": 0.0}, {"no_match": -1.0}, {"beta": float("nan")}])
def test_parameters_out_of_range_are_wrong_use(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="flexible-tree-matching"):
        Ftm(**wrong).match(Tree.from_brackets("{a}"), Tree.from_brackets("{a}"))  # type: ignore[arg-type]
