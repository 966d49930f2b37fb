"""`Matching`: what it refuses, what it counts, how it reads."""

from __future__ import annotations

import pytest

from treelace import Tree
from treelace.errors import LimitError, MatchError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching import Matching, match, matcher_named

OLD, NEW = Tree.from_brackets("{a{b}{c}}"), Tree.from_brackets("{a{c}{d}}")


def test_pairs_are_sorted_by_old_index() -> None:
    matching = Matching(OLD, NEW, [3, 0, 1], [2, 0, 1], [0.5, 1.0, 0.25])
    assert list(matching) == [(0, 0, 1.0), (1, 1, 0.25), (3, 2, 0.5)]
    assert repr(matching) == "<Matching: 3 pairs of 4 old and 4 new nodes>"
    assert not matching.old.flags.writeable


@pytest.mark.parametrize(
    ("old", "new", "confidence", "words"),
    [
        ([1, 1], [1, 2], None, "old node 1 is paired twice"),
        ([1, 2], [3, 3], None, "new node 3 is paired twice"),
        ([0], [1], None, "two kinds"),
        ([7], [1], None, "not there"),
        ([1], [1, 2], None, "one length"),
        ([1], [1], [1.5], "not in"),
        ([1], [1], [float("nan")], "not in"),
    ],
)
def test_what_is_no_matching_is_refused(
    old: list[int], new: list[int], confidence: list[float] | None, words: str
) -> None:
    with pytest.raises(MatchError, match=words):
        Matching(OLD, NEW, old, new, confidence)


def test_quality_counts_pairs() -> None:
    ours = Matching(OLD, NEW, [0, 1, 3], [0, 1, 2])
    truth = [(0, 0), (1, 1)]
    assert ours.precision(truth) == pytest.approx(2 / 3)
    assert ours.recall(truth) == 1.0
    assert ours.f1(truth) == pytest.approx(0.8)
    assert ours.f1(Matching(OLD, NEW, [0, 1], [0, 1])) == ours.f1(truth)
    empty = Matching(OLD, NEW, [], [])
    assert (empty.precision(truth), empty.recall(truth), empty.f1(truth), empty.f1([])) == (
        1.0,
        0.0,
        0.0,
        1.0,
    )


def test_lookups_go_both_ways() -> None:
    matching = Matching(OLD, NEW, [0, 1, 3], [0, 1, 2])
    assert [matching.to_new(i) for i in range(5)] == [0, 1, None, 2, None]
    assert [matching.to_old(i) for i in range(5)] == [0, 1, 3, None, None]
    assert matching.new_of_old().tolist() == [0, 1, -1, 2]
    assert matching.old_of_new().tolist() == [0, 1, 3, -1]


def test_outsiders_see_element_indexes() -> None:
    matching = Matching(OLD, NEW, [0, 1, 3], [0, 1, 2], [1.0, 0.5, 0.25])
    assert matching.element_pairs() == [(0, 0, 0.5), (2, 1, 0.25)]
    assert matching.elements.pairs == [(1, 1), (3, 2)]
    assert Matching.from_element_pairs(OLD, NEW, matching.element_pairs()) == matching.elements
    with pytest.raises(MatchError, match="not there"):
        Matching.from_element_pairs(OLD, NEW, [(0, 3)])


@pytest.mark.parametrize("pair", [(3, 0), (0, 3), (-1, 0), (0, -1)])
def test_an_element_beside_the_ends_is_refused(pair: tuple[int, int]) -> None:
    with pytest.raises(MatchError, match=r"the trees have 3 and 3"):
        Matching.from_element_pairs(OLD, NEW, [pair])


def test_the_first_and_the_last_element_can_be_named_without_a_confidence() -> None:
    assert list(Matching.from_element_pairs(OLD, NEW, [(2, 2), (0, 0)])) == [
        (1, 1, 1.0),
        (3, 3, 1.0),
    ]


def test_out_of_memory_names_the_matcher_the_sizes_and_a_way_out() -> None:
    wide = Tree.from_brackets("{a" + "{b}" * 3000 + "}")
    with pytest.raises(LimitError, match=r"^sftm, for 3,002 and 3,002 nodes: .*, such as lace$"):
        match(wide, wide, matcher="sftm", limits=Limits(memory=1000))


def test_equal_means_the_same_pairs_and_confidences() -> None:
    one, same, other = (
        Matching(OLD, NEW, [0], [0]),
        Matching(OLD, NEW, [0], [0]),
        Matching(OLD, NEW, [0], [0], [0.5]),
    )
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "x"


def test_a_near_miss_is_named() -> None:
    with pytest.raises(UsageError, match="did you mean 'same-path'"):
        matcher_named("samepath")
    with pytest.raises(UsageError, match="give them to the matcher itself"):
        match(OLD, NEW, matcher=matcher_named("same-path"), limits=DEFAULT_LIMITS)


def test_same_path_takes_ranks_among_equals() -> None:
    assert match(
        Tree.from_brackets("{a{b}{c}{b{d}}}"),
        Tree.from_brackets("{a{c}{b}{b{d}{d}}{e}}"),
        matcher="same-path",
    ).pairs == [
        (0, 0),
        (1, 1),
        (2, 3),
        (3, 2),
        (4, 4),
        (5, 5),
    ]
