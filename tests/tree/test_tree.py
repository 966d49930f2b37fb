"""The tree from Python: nodes, columns, limits."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treelace as tl

PAGE = (
    "<!doctype html><title>x</title><ul id=menu><li"
    " class=first>one<li>two<!--c--></ul><template><i>t</i></template>"
)


def test_a_node_knows_its_place():
    tree = tl.parse(PAGE)
    menu = next(node for node in tree.elements if node.attribute("id") == "menu")
    first, second = (child for child in menu.children if child.is_element)
    assert (first.tag, first.text, first.attributes) == ("li", "one", {"class": "first"})
    assert second.parent == menu
    assert [node.tag for node in second.ancestors] == ["ul", "body", "html", "#document"]
    assert [node.tag for node in menu.descendants] == ["li", "#text", "li", "#text", "#comment"]


def test_template_contents_are_children_without_an_element_index():
    tree = tl.parse(PAGE)
    italic = next(node for node in tree.elements if node.tag == "i")
    assert italic.in_template
    assert italic.element_index is None
    numbered = [node for node in tree.elements if node.element_index is not None]
    assert [node.element_index for node in numbered] == list(range(len(numbered)))
    assert [tree.element(number) for number in range(len(numbered))] == numbered
    with pytest.raises(IndexError):
        tree.element(len(numbered))


def test_columns_look_at_the_tree_in_place_and_cannot_be_written():
    tree = tl.parse(PAGE)
    for column in (
        tree.kinds,
        tree.name_ids,
        tree.parents,
        tree.ends,
        tree.depths,
        tree.lines,
        tree.element_indexes,
    ):
        assert len(column) == len(tree)
        assert not column.flags.writeable
        assert not column.flags.owndata
    first, second = tree.parents, tree.parents
    assert np.shares_memory(first, second)
    del tree
    assert first[1] == 0


def test_columns_agree_with_nodes():
    tree = tl.parse(PAGE)
    for node in tree:
        assert node.kind == tree.kinds[node.index]
        assert node.name == tree.names[tree.name_ids[node.index]]
        assert node.depth == tree.depths[node.index]
        assert (2**32 - 1 if node.parent is None else node.parent.index) == tree.parents[node.index]


def test_a_missing_node_is_an_index_error():
    tree = tl.parse("<p>")
    with pytest.raises(IndexError):
        tree[len(tree)]
    with pytest.raises(IndexError):
        tree[-1]
    with pytest.raises(IndexError):
        assert tl.Node(tree, 99).text


@pytest.mark.parametrize("text", ["{a}", "{a{b}{c{d}}}", "{}", "{a}{b}", ""])
def test_brackets_round_trip(text):
    assert tl.Tree.from_brackets(text).to_brackets() == text


def test_one_tree_many_threads():
    tree = tl.parse("<ul>" + "<li>x</li>" * 2000 + "</ul>")
    wanted = tree.root.text
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.extend(tree.root.text for _ in range(50)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [wanted] * 200


def test_a_limit_has_its_name_and_its_way_out():
    with pytest.raises(tl.LimitError, match=r"Limits\(nodes=") as caught:
        tl.parse("<p>x</p>" * 100, limits=tl.Limits(nodes=50))
    assert (caught.value.limit, caught.value.bound) == ("nodes", 50)


def test_unknown_format_is_refused():
    with pytest.raises(tl.UsageError, match="'auto', 'html'"):
        tl.parse("<p>", format="yaml")


def test_a_piece_of_a_page_with_a_doctype_of_html_is_html():
    dtd = '"-//W3C//DTD XHTML 1.0 Transitional//EN" "xhtml1-transitional.dtd"'
    assert tl.parse(f"<!DOCTYPE aside PUBLIC {dtd}><aside><a><img></a></aside>").select("img")
    book = '<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd">'
    assert tl.parse(f"{book}<article><a/></article>").root.tag == "article"
