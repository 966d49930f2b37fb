"""Simple tree matching and partial tree alignment by the paper's examples, and by laws on random
trees.
"""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from treelace import extract, parse
from treelace.extract.extractors.depta_steps.partial_alignment import (
    Alignment,
    Twig,
    centre_tree_alignment,
    partial_tree_alignment,
    simple_tree_matching,
)


def twigs(*texts: str) -> list[Twig]:
    return [
        Twig.from_brackets("{p" + "".join(f"{{{label}}}" for label in text.split()) + "}")
        for text in texts
    ]


def labels(aligned: Alignment) -> str:
    return " ".join(twig.label for twig in aligned.seed.children)


def test_simple_tree_matching_takes_the_best_pairs():
    left = Twig.from_brackets("{a{b{c}{d}}{e}{b{c}}}")
    right = Twig.from_brackets("{a{b{d}{c}}{b{c}{f}}{e}}")
    size, pairs = simple_tree_matching(left, right)
    assert size == len(pairs) == 5
    assert size / (7 + 8) * 2 == 2 / 3
    tops = [
        (left.children.index(one), right.children.index(other))
        for one, other in pairs
        if one in left.children
    ]
    assert sorted(tops) == [(0, 0), (2, 1)]


LEFT, RIGHT = "{a{b{c}{d}}{e}{b{c}}}", "{a{b{d}{c}}{b{c}{f}}{e}}"


def test_the_matrices_of_simple_tree_matching():
    """In place of the paper's Figure 10, whose trees are lost: W holds the children's matchings, M
    the best so far (Figure 9, line 8).
    """
    left, right = Twig.from_brackets(LEFT), Twig.from_brackets(RIGHT)
    sizes = [
        [simple_tree_matching(one, other)[0] for other in right.children] for one in left.children
    ]
    assert sizes == [[2, 2, 0], [0, 0, 1], [2, 2, 0]]
    best = [
        [
            simple_tree_matching(Twig("a", left.children[:i]), Twig("a", right.children[:j]))[0] - 1
            for j in range(1, 4)
        ]
        for i in range(1, 4)
    ]
    assert best == [[2, 2, 2], [2, 2, 3], [2, 4, 4]]


def test_figure_11_of_two_possible_matches_the_earliest_is_taken():
    left, right = Twig.from_brackets("{p{c}}"), Twig.from_brackets("{p{c}{b}{c}}")
    for one, other in ((left, right), (right, left)):
        size, pairs = simple_tree_matching(one, other)
        assert size == 2
        assert [(mine.node, its.node) for mine, its in pairs] == [(0, 0), (1, 1)]


def test_figure_13_a_tree_that_fits_in_part_comes_back_and_the_loop_ends():
    """Lines 10 and 11: runs with a place go in, the tree goes to R for the others; lines 14 to 20:
    another round only after something new.
    """
    aligned = partial_tree_alignment(twigs("a b c d e", "a x c y", "y e"))
    assert labels(aligned) == "a b c d e"
    assert aligned.left == (1, 2)
    columns = aligned.columns()
    assert (
        sum(len(column) for column in columns) == 3 + 5 + 4 + 2
    )  # the three roots, and every item once
    grown = partial_tree_alignment(twigs("a b c d", "c d e f", "f g"))
    assert labels(grown) == "a b c d e f g"
    assert (grown.left, grown.rounds) == ((), 1)
    again = partial_tree_alignment(twigs("a b c d", "f g", "c d e f"))
    assert (labels(again), again.left) == ("a b c d e f g", ())


def test_figure_14_and_table_1():
    aligned = partial_tree_alignment(twigs("e f x b d", "b n c k g", "b c d h k"))
    assert labels(aligned) == "e f x b n c d h k g"
    assert aligned.rounds == 2
    assert aligned.left == ()
    columns = aligned.columns()[1:]  # the first is the root
    assert ["".join(str(int(number in column)) for column in columns) for number in range(3)] == [
        "1111001000",
        "0001110011",
        "0001011110",
    ]


def test_figure_12_unique_places():
    assert (
        labels(partial_tree_alignment(twigs("a b e f", "b c d e"))) == "a b c d e f"
    )  # (A) between consecutive siblings
    assert labels(partial_tree_alignment(twigs("a b e", "e f"))) == "a b e f"  # (B) after the last
    assert labels(partial_tree_alignment(twigs("a b e", "z a"))) == "z a b e"  # before the first


def test_figure_12_c_an_ambiguous_place_is_no_place():
    aligned = partial_tree_alignment(twigs("a b e", "a x e"))
    assert labels(aligned) == "a b e"
    assert aligned.rounds == 2
    assert aligned.left == (1,)
    assert len(aligned.columns()) == 5  # p a b e, and x alone


def test_the_centre_tree_is_the_one_most_like_all():
    aligned = centre_tree_alignment(twigs("a b c", "a b c d", "z y"))
    assert labels(aligned) == "a b c"
    assert len(aligned.columns()) == 1 + 3 + 3
    assert labels(centre_tree_alignment(twigs("z y", "a b c d", "a b c", "a b"))) == "a b c d"
    assert labels(centre_tree_alignment(twigs("a b", "z y", "a b c", "b c d"))) == "a b c"


def test_depta_keeps_every_text_where_the_alignment_is_ambiguous():
    page = parse(
        "<ul><li><i>a</i><b>b</b><u>e</u><li><i>a</i><s>x</s><u>e</u>"
        "<li><i>a</i><b>b</b><u>e</u></ul>"
    )
    for alignment in ("partial", "centre"):
        table = extract(page, extractor="depta", alignment=alignment)[0]
        assert [sorted(filter(None, row)) for row in table.rows] == [
            ["a", "b", "e"],
            ["a", "e", "x"],
            ["a", "b", "e"],
        ]


TREES = st.recursive(
    st.sampled_from("abc").map(lambda label: f"{{{label}}}"),
    lambda inner: st.builds(
        lambda label, parts: f"{{{label}{''.join(parts)}}}",
        st.sampled_from("abc"),
        st.lists(inner, max_size=4),
    ),
    max_leaves=10,
).map(lambda text: Twig.from_brackets("{p" + text + "}"))


def plain_size(left: Twig, right: Twig) -> int:
    """Figure 9 as it stands, by recursion."""

    @cache
    def best(i: int, j: int) -> int:
        if not i or not j:
            return 0
        return max(
            best(i, j - 1),
            best(i - 1, j),
            best(i - 1, j - 1) + plain_size(left.children[i - 1], right.children[j - 1]),
        )

    return 0 if left.label != right.label else 1 + best(len(left.children), len(right.children))


@given(TREES, TREES)
def test_the_matching_is_as_large_as_the_definition_says_and_keeps_order(left: Twig, right: Twig):
    size, pairs = simple_tree_matching(left, right)
    assert size == len(pairs) == plain_size(left, right)
    places = [
        {id(twig): number for number, twig in enumerate(tree.walk())} for tree in (left, right)
    ]
    numbers = sorted((places[0][id(one)], places[1][id(other)]) for one, other in pairs)
    assert [other for _, other in numbers] == sorted({other for _, other in numbers})
    assert all(one.label == other.label for one, other in pairs)


@given(st.lists(TREES, min_size=1, max_size=5))
def test_every_item_is_in_exactly_one_column(trees: list[Twig]):
    for align in (partial_tree_alignment, centre_tree_alignment):
        placed = sorted(
            (number, node) for column in align(trees).columns() for number, node in column.items()
        )
        assert placed == sorted(
            (number, twig.node) for number, tree in enumerate(trees) for twig in tree.walk()
        )
