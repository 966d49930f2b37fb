"""A matching told in lines."""

from __future__ import annotations

import time

from hypothesis import given

from tests.strategies import any_trees, page_pairs
from treelace import Tree, match
from treelace.matching.text_report import as_text


@given(any_trees(), any_trees())
def test_every_element_is_told_once_by_its_xpath(old: Tree, new: Tree) -> None:
    matching = match(old, new, matcher="same-path")
    lines = as_text(matching).splitlines()[:-1]
    told = [line.split("  ", 1)[1] for line in lines if not line.startswith("only in")]
    paths = [[node.xpath for node in tree if node.element_index is not None] for tree in (old, new)]
    pairs = [f"{old[i].xpath}  =  {new[j].xpath}" for i, j in matching.elements.pairs]
    removed = [
        path for path in paths[0] if path not in {old[i].xpath for i, _ in matching.elements.pairs}
    ]
    added = [
        path for path in paths[1] if path not in {new[j].xpath for _, j in matching.elements.pairs}
    ]
    assert told == [*pairs, *removed, *added]


@given(page_pairs())
def test_the_last_line_has_the_numbers(pair: tuple[Tree, Tree]) -> None:
    matching = match(*pair)
    *lines, last = as_text(matching).splitlines()
    assert (
        int(last.split(" ", 1)[0].replace(",", ""))
        == sum("  =  " in line for line in lines)
        == len(matching.elements)
    )
    assert f"{sum(line.startswith('  ') for line in lines)}" == str(
        sum(int(word) for word in last.split("; ")[1].split() if word.isdigit())
    )


def test_wide_and_deep_trees_are_told_in_time_and_space() -> None:
    many = 50_000
    began = time.process_time()
    for brackets in ("{r" + "{a}" * many + "}", "{a" * many + "}" * many):
        tree = Tree.from_brackets(brackets)
        told = as_text(match(tree, tree, matcher="same-path"))
        assert told.count("\n") == len(tree)
        assert len(told) < 200 * len(tree)
    assert "levels" in told
    assert time.process_time() - began < 20
