"""The exact tree edit distance against its definition, every way of computing it, and the laws it
obeys.
"""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.trees import brackets, random_tree
from tests.oracles.zhang_shasha import PlainTree, edit_distance
from treelace import LimitError, Limits, Tree, _kernel, parse
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS
from treelace.matching import Costs, match
from treelace.matching.matchers.tree_edit_distance import TreeEditDistance

WAYS = ("unit", "best", "old-left", "old-right", "old-heavy", "new-left", "new-right", "new-heavy")


@st.composite
def plain_trees(draw: st.DrawFn, most: int = 12) -> PlainTree:
    seed = draw(st.integers(0, 2**32))
    return random_tree(
        random.Random(seed),
        draw(st.integers(1, most)),
        labels="ab",
        bend=draw(st.sampled_from([0.0, 0.5, 1.0])),
    )


def tree(plain: PlainTree) -> Tree:
    return Tree.from_brackets(brackets(plain))


def by(
    way: str, old: Tree, new: Tree, at_most: int | None = None
) -> tuple[float, list[tuple[int, int]]] | None:
    return _kernel.edit_mapping_by(old._core, new._core, way, at_most, DEFAULT_LIMITS)


def distance(left: PlainTree, right: PlainTree) -> float:
    return TreeEditDistance().distance(tree(left), tree(right))


def check_mapping(old: Tree, new: Tree, pairs: list[tuple[int, int]], cost: float) -> None:
    """The pairs keep order and ancestry, and cost what they should."""
    for (i, j), (p, q) in itertools.combinations(pairs, 2):
        assert (i < p) == (j < q)
        assert (p < old.ends[i]) == (q < new.ends[j])
    renamed = sum(old[i].tag != new[j].tag for i, j in pairs)
    assert len(old) - 1 + len(new) - 1 - 2 * len(pairs) + renamed == cost


def check_all_ways(left: PlainTree, right: PlainTree) -> None:
    expected = edit_distance(left, right)
    old, new = tree(left), tree(right)
    for way in WAYS:
        found = by(way, old, new)
        assert found is not None
        assert found[0] == expected, way
        check_mapping(old, new, found[1], expected)
    for most in {0, 1, max(0, int(expected) - 1), int(expected), int(expected) + 2, 99}:
        bounded = by("", old, new, at_most=most)
        if most < expected:
            assert bounded is None
        else:
            assert bounded is not None
            assert bounded[0] == expected
            check_mapping(old, new, bounded[1], expected)


@given(plain_trees(), plain_trees())
def test_every_way_finds_the_distance_of_the_definition(left: PlainTree, right: PlainTree) -> None:
    check_all_ways(left, right)


@pytest.mark.slow
def test_the_definition_holds_on_ten_thousand_random_pairs() -> None:
    rng = random.Random(1989)
    for _ in range(10_000):
        left, right = (
            random_tree(rng, rng.randrange(1, 15), labels="abc", bend=rng.random())
            for _ in range(2)
        )
        check_all_ways(left, right)


@given(plain_trees(30), plain_trees(30))
def test_every_way_agrees_on_larger_trees(left: PlainTree, right: PlainTree) -> None:
    old, new = tree(left), tree(right)
    results = [by(way, old, new) for way in WAYS]
    first = results[0]
    assert first is not None
    for found in (*results, by("", old, new, at_most=60)):
        assert found is not None
        assert found[0] == first[0]
        check_mapping(old, new, found[1], first[0])


@given(plain_trees(), plain_trees(), plain_trees())
def test_it_is_a_metric(one: PlainTree, two: PlainTree, three: PlainTree) -> None:
    assert (distance(one, two) == 0) == (one == two)
    assert distance(one, two) == distance(two, one)
    assert distance(one, three) <= distance(one, two) + distance(two, three)


@given(
    plain_trees(9),
    plain_trees(9),
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5, 7.0]), min_size=7, max_size=7),
)
def test_costs_by_label(left: PlainTree, right: PlainTree, prices: list[float]) -> None:
    insert, delete, rename, insert_a, delete_b, ab, ba = prices
    costs = Costs(
        insert=insert,
        delete=delete,
        rename=rename,
        insert_tag={"a": insert_a},
        delete_tag={"b": delete_b},
        rename_tag={("a", "b"): ab, ("b", "a"): ba},
    )
    expected = edit_distance(
        left,
        right,
        insert=lambda label: insert_a if label == "a" else insert,
        delete=lambda label: delete_b if label == "b" else delete,
        rename=lambda old, new: 0 if old == new else ab if old == "a" else ba,
    )
    matcher = TreeEditDistance(costs=costs)
    old, new = tree(left), tree(right)
    assert matcher.distance(old, new) == pytest.approx(expected)
    assert matcher.distance_at_most(old, new, expected + 0.01) == pytest.approx(expected)
    assert expected == 0 or matcher.distance_at_most(old, new, expected * 0.99 - 0.001) is None
    pairs = [(old[i].tag, new[j].tag) for i, j in matcher.match(old, new).pairs if i]
    kept_old, kept_new = [a for a, _ in pairs], [b for _, b in pairs]
    cost = sum(0 if a == b else ab if a == "a" else ba for a, b in pairs)
    for tags, kept, price, special, other in (
        ([node.tag for node in old.elements], kept_old, delete, "b", delete_b),
        ([node.tag for node in new.elements], kept_new, insert, "a", insert_a),
    ):
        cost += sum(
            (tags.count(tag) - kept.count(tag)) * (other if tag == special else price)
            for tag in "ab"
        )
    assert cost == pytest.approx(expected)


def test_what_the_definition_says_on_trees_of_five_nodes() -> None:
    def d(left: str, right: str) -> float:
        return TreeEditDistance().distance(Tree.from_brackets(left), Tree.from_brackets(right))

    assert d("{a{b}{c}}", "{a{b}{d}}") == 1
    assert d("{a{b{c}{d}}}", "{a{c}{d}}") == 1
    assert d("{f{d{a}{c{b}}}{e}}", "{f{c{d{a}{b}}}{e}}") == 2
    assert d("{a}", "{b{a}}") == 1
    assert d("{html{head{title}}{body{p}{p}}}", "{html{body{p}{ul{li}{li}}}}") == 5
    assert d("{html{body{p}{ul{li}}}}", "{html{body{p}{p}{ul{li}{li}{li}}}}") == 3


def test_documents_without_one_root_are_forests() -> None:
    def d(left: str, right: str) -> float:
        return TreeEditDistance().distance(Tree.from_brackets(left), Tree.from_brackets(right))

    assert d("", "") == 0
    assert d("", "{a{b}}") == 2
    assert d("{a}{b}", "{b}") == 1
    assert d("{a}{b{c}}", "{a{b}{c}}") == 3


def test_attributes_and_text_are_looked_at_when_asked() -> None:
    old, new = (
        parse("<p class=a>one<b>two</b></p>", format="html"),
        parse("<p class=b>one<b>three</b></p>", format="html"),
    )
    assert TreeEditDistance().distance(old, new) == 0
    assert TreeEditDistance(attributes=True).distance(old, new) == 1
    assert TreeEditDistance(text=True).distance(old, new) == 1
    assert TreeEditDistance(text=True, attributes=True).distance(old, new) == 2
    assert TreeEditDistance(text=True, costs=Costs(graded=True)).distance(
        old, new
    ) == pytest.approx(0.5 + 0.5)
    assert len(match(old, new, matcher="tree-edit-distance", text=True)) == len(old)


def test_text_is_paired_below_its_parents_when_it_is_not_looked_at() -> None:
    old, new = (
        parse("<p>one<b>x</b>two<!-- c --></p>", format="html"),
        parse("<p><b>x</b>two and more<!-- c --></p>", format="html"),
    )
    matching = match(old, new, matcher="tree-edit-distance")
    said = {(old[i].text, new[j].text, sure) for i, j, sure in matching if not old[i].is_element}
    assert ("two", "two and more", 0.5) in said
    assert (" c ", " c ", 1.0) in said
    assert not any(text == "one" for text, _, _ in said)


def test_a_size_beyond_the_limit_is_refused_before_anything_is_allocated() -> None:
    rng = random.Random(3)
    star = Tree.from_brackets(
        "{a" + "".join(f"{{{rng.choice('bc')}}}" for _ in range(60_000)) + "}"
    )
    other = Tree.from_brackets(
        "{a" + "".join(f"{{{rng.choice('cd')}}}" for _ in range(60_000)) + "}"
    )
    began = time.process_time()
    with pytest.raises(LimitError, match="working memory") as refused:
        TreeEditDistance().match(star, other)
    assert refused.value.limit == "memory"
    assert refused.value.needed is not None
    assert refused.value.needed > 60_000**2
    assert time.process_time() - began < 5
    with pytest.raises(LimitError):
        TreeEditDistance(limits=Limits(memory=1000)).distance(
            Tree.from_brackets("{a{b}{c}}" * 9), Tree.from_brackets("{a{c}{b}}" * 9)
        )


def test_costs_that_are_no_costs_are_refused() -> None:
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="finite and not negative"):
            Costs(insert=wrong)
        with pytest.raises(UsageError, match="finite and not negative"):
            Costs(rename_tag={("a", "b"): wrong})


DEEP, WIDE = 100_000, 100_000


def test_a_chain_and_a_star_of_a_hundred_thousand() -> None:
    chain = Tree.from_brackets("{a" * DEEP + "}" * DEEP)
    bent = Tree.from_brackets("{a" * (DEEP // 2) + "{b" + "{a" * (DEEP // 2 - 1) + "}" * DEEP)
    star = Tree.from_brackets("{a" + "{b}" * WIDE + "}")
    gapped = Tree.from_brackets("{a" + "{b}" * (WIDE // 2) + "{c}" + "{b}" * (WIDE // 2 - 2) + "}")
    ted = TreeEditDistance()
    assert ted.distance(chain, chain) == 0
    assert ted.distance(chain, bent) == 1
    assert ted.distance(star, gapped) == 2
    assert len(ted.match(star, gapped)) == WIDE + 1
    assert ted.distance(chain, Tree.from_brackets("{a{b}}")) == DEEP - 1
    assert ted.distance(star, Tree.from_brackets("{a{c{b}}}")) == WIDE
    with pytest.raises(LimitError):
        ted.distance(chain, star)


def test_five_thousand_identical_siblings() -> None:
    old, new = (
        Tree.from_brackets("{a" + "{b{c}}" * 5000 + "}"),
        Tree.from_brackets("{a" + "{b{c}}" * 4990 + "{b{d}}{b{c}}" + "}"),
    )
    ted = TreeEditDistance()
    assert ted.distance(old, new) == 17
    assert len(ted.match(old, new)) == len(new)
