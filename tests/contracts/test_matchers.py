"""What every matcher promises, checked over every member of MATCHERS."""

from __future__ import annotations

import itertools
import re
import time

import pytest

from treelace import Tree, parse
from treelace.errors import LimitError, MatchError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching import MATCHERS, Matching, match, matcher_named

PAGES = (
    (
        "<!DOCTYPE html><title>a</title><p>one<p class=x>two <b>three</b><!-- four"
        " --><ul><li>5<li>6<li>6</ul>"
    ),
    (
        "<!DOCTYPE html><title>b</title><div><p class=x>two"
        " <i>three</i></div><ul><li>6<li>5<li>7<li>6</ul><template><p>8</p></template>"
    ),
    "<p>",
    "",
    "<table><tr><td>1<td>2<tr><td>3<td>4</table><svg><g/><g/></svg>",
)


TREES = [parse(text, format="html") for text in PAGES] + [
    Tree.from_brackets(text)
    for text in ("", "{a}", "{b{a}}", "{a{b}{c{d}}}{e}", "{a{a{a}{a}}{a{a}{a}}}")
]
pytestmark = pytest.mark.parametrize("name", MATCHERS)


def test_pairs_are_one_to_one_and_of_equal_kind(name: str) -> None:
    matcher = matcher_named(name)
    for old in TREES:
        for new in TREES:
            matching = matcher.match(old, new)  # Matching itself refuses what breaks the contract
            assert matching.old_tree is old
            assert matching.new_tree is new
            assert (0, 0) in matching.pairs


def test_equal_trees_are_paired_node_for_node(name: str) -> None:
    if not getattr(MATCHERS[name], "pairs_equal_trees", True):
        pytest.skip("a heuristic that does not promise it, and says so")
    for one in TREES:
        matching = matcher_named(name).match(one, one)
        assert matching.pairs == [(i, i) for i in range(len(one))]


def test_the_same_input_gives_the_same_pairs(name: str) -> None:
    for old, new in itertools.pairwise(TREES):
        assert match(old, new, matcher=name) == match(old, new, matcher=matcher_named(name))


def test_the_registry_name_is_the_class_name(name: str) -> None:
    assert MATCHERS[name].name == name
    assert MATCHERS[name].__doc__


def test_an_unknown_option_is_wrong_use(name: str) -> None:
    with pytest.raises(UsageError, match="no_such_option"):
        matcher_named(name, no_such_option=1)


def test_limits_are_an_option(name: str) -> None:
    assert matcher_named(name, limits=DEFAULT_LIMITS).match(TREES[0], TREES[1]) == matcher_named(
        name
    ).match(TREES[0], TREES[1])


def test_a_matching_with_a_node_twice_is_refused(name: str) -> None:
    old = TREES[0]
    pairs = matcher_named(name).match(old, old)
    with pytest.raises(MatchError, match="twice"):
        Matching(old, old, pairs.old, pairs.new * 0)


MANY = 100_000
ODD_SHAPES = {
    "nothing": "",
    "one node": "{a}",
    "a chain": "{a" * MANY + "}" * MANY,
    "a star": "{r" + "{a}" * MANY + "}",
    "identical siblings": "{r" + "{a{b}}" * 5000 + "}",
}


@pytest.mark.parametrize("shape", ODD_SHAPES)
def test_odd_shapes_get_the_right_answer_or_a_named_error(name: str, shape: str) -> None:
    old, new = Tree.from_brackets(ODD_SHAPES[shape]), Tree.from_brackets(ODD_SHAPES[shape] + "{z}")
    if name == "constrained" and shape == "identical siblings":
        pytest.skip(
            "a table of 10,000 × 10,000 takes a minute; the memory it needs is refused in the tests"
            " of the restricted distances"
        )
    # which subtrees of one chain are in the other is a question for every pair of nodes: it ends
    # with the seconds it was given
    limits = (
        Limits(seconds=3) if (name, shape) == ("nierman-jagadish", "a chain") else DEFAULT_LIMITS
    )
    began = time.process_time()
    refusal = ""
    try:
        matching = match(old, new, matcher=name, limits=limits)
    except (LimitError, MatchError) as refused:
        refusal = str(refused)
    if refusal:
        assert re.search(r"working memory|seconds|at most 128 nodes", refusal)
    else:
        lost = (
            1 if name == "sftm" and shape == "one node" else 0
        )  # its only node has tokens that every node has: worth nothing
        assert len(matching) == len(old) - lost
    assert time.process_time() - began < 30


def test_both_ways_with_nothing(name: str) -> None:
    empty, page = Tree.from_brackets(""), TREES[0]
    assert matcher_named(name).match(empty, page).elements.pairs == []
    assert matcher_named(name).match(page, empty).elements.pairs == []
