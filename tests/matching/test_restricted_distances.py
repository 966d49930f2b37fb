"""The restricted distances against their definitions, each other, and the values worked out by
hand.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import restricted as oracle
from tests.oracles.trees import brackets, plain, random_tree
from tests.oracles.zhang_shasha import PlainTree, edit_distance
from treelace import LimitError, Limits, Tree, parse
from treelace.matching import matcher_named
from treelace.matching.matchers.tree_distances import (
    NiermanJagadish,
    RestrictedDistance,
    SimpleTreeMatching,
)

ORACLES: dict[str, Callable[[PlainTree, PlainTree], float]] = {
    "top-down": oracle.top_down,
    "simple-tree-matching": oracle.simple_distance,
    "restricted-top-down": oracle.restricted_top_down,
    "nierman-jagadish": oracle.nierman_jagadish,
    "bottom-up": oracle.bottom_up,
    "constrained": oracle.constrained,
    "alignment": oracle.alignment,
}
TOP_DOWN = ("top-down", "simple-tree-matching", "restricted-top-down", "nierman-jagadish")

# A, B: TED, alignment, constrained, Selkow, RTDM, N&J, bottom-up, STM
BY_HAND = """
{a{b}{c}}           {a{b}{d}}               1 1 1 1 1 1 4 2
{a{b{c}{d}}}        {a{c}{d}}               1 1 1 4 4 4 3 1
{f{d{a}{c{b}}}{e}}  {f{c{d{a}{b}}}{e}}      2 2 2 4 8 4 6 2
{a{b{c}}}           {a{b}{c}}               2 2 2 2 2 2 4 2
{a{e{b}{c}}{d}}     {a{b}{f{c}{d}}}         2 4 4 5 6 5 4 1
{a{b}{c}{d}}        {a{g{b}{c}}{d}}         1 1 3 4 4 4 3 2
{a{x{b}{c}}}        {a{x{b}{c}}{x{b}{c}}}   3 3 3 3 3 1 5 4
{a{b{d}{e}}{c{f}}}  {a{c{f}}{b{d}{e}}}      4 4 4 4 4 2 2 4
{a}                 {b{a}}                  1 1 1 2 2 2 1 0
{a{b}{c}}           {x{b}{c}}               1 1 1 1 6 1 2 0
"""


def distance(name: str, left: str, right: str) -> float:
    matcher = matcher_named(name)
    return matcher.distance(Tree.from_brackets(left), Tree.from_brackets(right))  # type: ignore[attr-defined]


@st.composite
def plain_trees(draw: st.DrawFn, most: int = 10) -> PlainTree:
    seed = draw(st.integers(0, 2**32))
    return random_tree(
        random.Random(seed),
        draw(st.integers(1, most)),
        labels="ab",
        bend=draw(st.sampled_from([0.0, 0.5, 1.0])),
    )


@pytest.mark.parametrize("row", BY_HAND.strip().splitlines())
def test_values_worked_out_by_hand(row: str) -> None:
    left, right, *values = row.split()
    names = (
        "tree-edit-distance",
        "alignment",
        "constrained",
        "top-down",
        "restricted-top-down",
        "nierman-jagadish",
        "bottom-up",
    )
    assert [distance(name, left, right) for name in names] == [
        float(value) for value in values[:-1]
    ]
    assert SimpleTreeMatching().score(Tree.from_brackets(left), Tree.from_brackets(right)) == int(
        values[-1]
    )


def test_whole_subtrees_by_hand() -> None:
    assert distance("nierman-jagadish", "{a{x{b}}}", "{a{x{b}}{x{b}{c}}}") == 2
    assert distance("top-down", "{a{x{b}}}", "{a{x{b}}{x{b}{c}}}") == 3
    for part, whole, is_in in (
        ("{x{b}{d}}", "{x{b}{c}{d}}", True),
        ("{x{c}{b}}", "{x{b}{c}}", False),
        ("{a{b}}", "{a{x{b}}}", False),
    ):
        # beside a root that nothing else equals, the part is one graft or one for each of its nodes
        left, right = "{r" + whole + "}", "{r" + whole + part + "}"
        grown = NiermanJagadish().distance(Tree.from_brackets(left), Tree.from_brackets(right))
        assert grown == (1 if is_in else part.count("{")), (part, whole)
        assert oracle.contained(plain(part), plain(whole)) == is_in


def test_four_distances_that_all_differ() -> None:
    left, right = "{a{c}{a{b}{a}}}", "{c{b{c{c}}{b}}{a}{a}}"
    assert [
        distance(name, left, right)
        for name in ("tree-edit-distance", "alignment", "constrained", "top-down")
    ] == [5, 6, 7, 8]


def check(left: PlainTree, right: PlainTree) -> None:
    old, new = Tree.from_brackets(brackets(left)), Tree.from_brackets(brackets(right))
    found = {}
    for name, definition in ORACLES.items():
        matcher = matcher_named(name)
        assert isinstance(matcher, RestrictedDistance)
        found[name] = matcher.distance(old, new)
        assert found[name] == definition(left, right), name
        check_mapping(
            name,
            old,
            new,
            [pair for pair in matcher.match(old, new).pairs if pair != (0, 0)],
            found[name],
        )
    assert (
        edit_distance(left, right)
        <= found["alignment"]
        <= found["constrained"]
        <= found["top-down"]
    )
    assert found["top-down"] <= min(found["simple-tree-matching"], found["restricted-top-down"])
    assert found["nierman-jagadish"] <= found["top-down"]


def check_mapping(
    name: str, old: Tree, new: Tree, pairs: list[tuple[int, int]], cost: float
) -> None:
    renamed = sum(old[i].tag != new[j].tag for i, j in pairs)
    if name != "nierman-jagadish":  # whole subtrees for one
        assert len(old) - 1 + len(new) - 1 - 2 * len(pairs) + renamed == cost, name
    if name in ("bottom-up", "simple-tree-matching"):
        assert renamed == 0
    if name != "bottom-up":
        for (i, j), (p, q) in itertools.combinations(pairs, 2):
            assert (i < p) == (j < q), name
            assert (p < old.ends[i]) == (q < new.ends[j]), name
    if name in TOP_DOWN:
        together = {(0, 0), *pairs}
        assert all((int(old.parents[i]), int(new.parents[j])) in together for i, j in pairs), name


@given(plain_trees(), plain_trees())
def test_every_distance_is_what_its_definition_says(left: PlainTree, right: PlainTree) -> None:
    check(left, right)


@pytest.mark.slow
def test_the_definitions_hold_on_thousands_of_random_pairs() -> None:
    rng = random.Random(7)
    for _ in range(3000):
        check(
            *(
                random_tree(rng, rng.randrange(1, 13), labels="abc", bend=rng.random())
                for _ in range(2)
            )
        )


def test_simple_tree_matching_takes_the_earliest() -> None:
    def pairs(left: str, right: str) -> list[tuple[int, int]]:
        return SimpleTreeMatching().match(Tree.from_brackets(left), Tree.from_brackets(right)).pairs

    assert pairs("{p{c}}", "{p{c}{b}{c}}") == [(0, 0), (1, 1), (2, 2)]
    left, right = "{a{b{c}{d}}{e}{b{c}}}", "{a{b{d}{c}}{b{c}{f}}{e}}"
    stm = SimpleTreeMatching()
    assert stm.score(Tree.from_brackets(left), Tree.from_brackets(right)) == 5
    assert stm.similarity(Tree.from_brackets(left), Tree.from_brackets(right)) == pytest.approx(
        2 / 3
    )
    # A1 with B1, A3 with B2
    assert {(2, 2), (6, 5)} <= set(pairs(left, right))


def test_simple_tree_matching_of_two_subtrees_of_one_page() -> None:
    page = parse(
        "<table><tr><td>a<td><b>1</b></tr><tr><td>b<td><b>2</b><i>x</i></tr></table>", format="html"
    )
    first, second = (node.index for node in page.elements if node.tag == "tr")
    pairs = SimpleTreeMatching().match_subtrees(page, first, page, second)
    assert [(page[i].tag, page[j].tag) for i, j in pairs] == [
        ("tr", "tr"),
        ("td", "td"),
        ("td", "td"),
        ("b", "b"),
    ]
    with pytest.raises(IndexError):
        SimpleTreeMatching().match_subtrees(page, 0, page, len(page))


DEEP = 100_000
CHAIN = "{a" * DEEP + "}" * DEEP
STAR = "{a" + "{b}" * DEEP + "}"


@pytest.mark.parametrize("name", ORACLES)
def test_a_chain_and_a_star_of_a_hundred_thousand(name: str) -> None:
    chain, star, small = (
        Tree.from_brackets(CHAIN),
        Tree.from_brackets(STAR),
        Tree.from_brackets("{a{b}{c}}"),
    )
    longer = Tree.from_brackets("{a" + CHAIN + "}")
    wider = Tree.from_brackets(STAR[:-1] + "{c}}")
    for old, new in (
        (chain, chain),
        (chain, longer),
        (chain, small),
        (star, small),
        (star, wider),
        (chain, star),
    ):
        refusal = None
        try:
            found = len(matcher_named(name).match(old, new))
        except LimitError as refused:
            refusal, found = refused, 1
        assert found >= 1
        # what is refused is large on both sides (alignment: wide on one), and refused for its
        # memory
        assert refusal is None or refusal.limit == "memory"
        assert refusal is None or min(len(old), len(new)) > 10 or name == "alignment"


@pytest.mark.parametrize("name", sorted(set(ORACLES) - {"alignment"}))
def test_five_thousand_identical_siblings(name: str) -> None:
    old, new = (
        Tree.from_brackets("{a" + "{b}" * 5000 + "}"),
        Tree.from_brackets("{a" + "{b}" * 4990 + "{c}" + "}"),
    )
    grown = distance(name, old.to_brackets(), new.to_brackets())
    # one b becomes c and nine go; without renames ten go and one comes, and bottom-up loses the
    # root as well
    assert grown == {"bottom-up": 13, "simple-tree-matching": 11}.get(name, 10)
    assert len(matcher_named(name).match(old, new)) >= 4990


def test_what_needs_too_much_memory_is_refused() -> None:
    old = Tree.from_brackets("{a" + "{b{c}{d}}" * 300 + "}")
    new = Tree.from_brackets("{a" + "{b{d}{c}}" * 300 + "}")
    for name in sorted(set(ORACLES) - {"bottom-up"}):
        with pytest.raises(LimitError, match="working memory"):
            matcher_named(name, limits=Limits(memory=10_000)).match(old, new)
    with pytest.raises(LimitError):
        matcher_named("alignment").match(
            Tree.from_brackets("{a" + "{b}" * 5000 + "}"),
            Tree.from_brackets("{a" + "{c}" * 5000 + "}"),
        )
