"""The strategies make what they say: otherwise every property test that uses them proves
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests import strategies as ours
from treelace import Kind, Tree, parse


@given(ours.xml_documents())
def test_xml_documents_are_well_formed(text: str) -> None:
    etree.fromstring(text.encode())


@given(ours.pages())
def test_pages_have_a_body(text: str) -> None:
    assert any(node.tag == "footer" for node in parse(text, format="html").elements)


def turns_up(strategy: st.SearchStrategy[Any], condition: Callable[[Any], bool]) -> None:
    """Some example meets the condition; `find` fails otherwise."""
    find(
        strategy,
        condition,
        settings=settings(phases=[Phase.generate], max_examples=300, derandomize=True),
    )


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.DOCUMENT])
def test_every_kind_turns_up(kind: Kind) -> None:
    turns_up(ours.any_trees(), lambda tree: any(node.kind is kind for node in tree))
    turns_up(ours.xml_trees(), lambda tree: any(node.kind is kind for node in tree))


def test_prefixes_and_changes_turn_up() -> None:
    turns_up(ours.xml_trees(), lambda tree: any(node.name.prefix for node in tree.elements))
    turns_up(ours.page_pairs(), lambda pair: pair[0] == pair[1])
    turns_up(ours.page_pairs(), lambda pair: pair[0] != pair[1] and len(pair[0]) == len(pair[1]))


@given(st.data())
def test_trees_have_at_most_so_many_nodes(data: st.DataObject) -> None:
    tree: Tree = data.draw(ours.trees(max_nodes=7))
    assert 2 <= len(tree) <= 8
