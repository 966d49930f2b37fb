"""Trees cross process borders: everything survives, compactly, and damage is named."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import any_trees, page_trees, xml_trees
from treelace import DamagedError, Tree, _kernel, parse

PAGE = "<!doctype html><title>x</title>" + "".join(
    f'<div class="card wide"><p class=name>Thing {i}</p><b>$9</b></div>\n' for i in range(200)
)


def facts(tree: Tree) -> list[object]:
    """Everything a tree knows."""
    nodes = [
        (
            node.kind,
            node.name,
            tree._core.text(node.index),
            tree._core.attributes(node.index),
            node.depth,
            node.line,
            node.in_template,
        )
        for node in tree
    ]
    ids = [tree._core.id_attributes(node.index) for node in tree]
    return [
        nodes,
        ids,
        tree.format,
        tree.encoding,
        tree.quirks,
        tree.is_fragment,
        tree.problems,
        tree.problem_count,
    ]


@given(st.one_of(any_trees(), page_trees(), xml_trees()))
def test_everything_survives(tree: Tree) -> None:
    back = pickle.loads(pickle.dumps(tree))
    assert back == tree
    assert facts(back) == facts(tree)


def test_what_the_parsers_know_survives() -> None:
    for source in (
        b"<p>not closed<template><i>x</i></template>" + b"</b>" * 3,
        "<!DOCTYPE a [<!ATTLIST a i ID #IMPLIED d CDATA '1'>]><a i='x'><b xml:id='y'/></a>",
    ):
        tree = parse(source)
        back = pickle.loads(pickle.dumps(tree))
        assert facts(back) == facts(tree)
        assert back.to_xml(on_invalid="replace", defaults=False) == tree.to_xml(
            on_invalid="replace", defaults=False
        )


def test_nodes_travel_with_their_tree_once() -> None:
    tree = parse(PAGE)
    nodes = pickle.loads(pickle.dumps([tree[5], tree[9], tree]))
    assert nodes[0].tree is nodes[1].tree is nodes[2]
    assert len(pickle.dumps([tree[i] for i in range(50)])) < len(pickle.dumps(tree)) + 5000


def test_a_copy_of_what_cannot_change_is_itself() -> None:
    tree = parse(PAGE)
    assert copy.copy(tree) is tree
    assert copy.deepcopy([tree])[0] is tree


def test_trees_cross_process_borders() -> None:
    tree = parse(PAGE)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(_roundabout, tree).result() == (tree, tree.digest)


def _roundabout(tree: Tree) -> tuple[Tree, str]:
    return tree, tree.digest


def test_the_form_is_compact() -> None:
    tree = parse(PAGE)
    assert len(_kernel.store_tree(tree._core)) * 4 < tree._core.memory


@given(any_trees(), st.data())
def test_damage_is_named(tree: Tree, data: st.DataObject) -> None:
    stored = _kernel.store_tree(tree._core)
    at = data.draw(st.integers(0, len(stored) - 1))
    flipped = bytearray(stored)
    flipped[at] ^= data.draw(st.integers(1, 255))
    for damaged in (bytes(flipped), stored[:at], stored + b"\0", b""):
        with pytest.raises(DamagedError, match="stored tree"):
            _kernel.load_tree(damaged)


def test_the_form_is_read_for_ever() -> None:
    """Bytes of version 1, as they were written: they must stay readable."""
    stored = bytes.fromhex(
        "746c540100000000000000030024687474703a2f2f7777772e77332e6f72672f584d4c2f313939382f6e616d6573706163651d687474703a2f2f"
        "7777772e77332e6f72672f323030302f786d6c6e732f03000001610000017800000162040200010301010202020102030102010103010201000500"
        "020331746374bc6e2bc241488ede7aeb4ae236e480"
    )
    assert Tree(_kernel.load_tree(stored)) == parse(
        '<a x="1">t<!--c--><b x="1"/></a>', format="xml"
    )
