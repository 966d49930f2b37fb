"""Selection from Python: what is given back, what is refused, what hostile input gets."""

from __future__ import annotations

import pickle
import threading
import time

import pytest
from hypothesis import given, settings

import treelace as tl
from tests.strategies import any_trees, page_trees, xml_trees

PAGE = """<!doctype html><html lang=en><ul id=menu><li class="item first">one<li class=item>two \
<b>bold</b><!--c--></ul>
<template><li class=item>hidden</li></template><svg viewBox="0 0 1 1"><a href="#x">in svg</a>\
</svg>"""

FEED = """<f:feed xmlns:f="urn:f" xmlns="urn:d"><entry id="1"><f:name>a</f:name></entry><entry \
id="2"/><none xmlns="">x</none></f:feed>"""


def texts(nodes):
    return [node.text for node in nodes]


def test_a_tree_and_a_node_select():
    tree = tl.parse(PAGE)
    menu = tree.select("#menu")[0]
    assert texts(tree.select("li.item")) == ["one", "two bold"]
    assert texts(menu.select(":scope > .first")) == ["one"]
    assert texts(menu.select("html li", limit=1)) == ["one"]
    assert menu.matches("ul") and not menu.matches("li") and not tree.document.matches("*")
    assert menu.select_xpath("string(li[2]/b)") == "bold"
    assert menu.select_xpath("count(li) > 1") is True
    assert menu.select_xpath("count(//li)") == 2.0
    assert [node.tag for node in menu.select_xpath(".//node()")] == [
        "li",
        "#text",
        "li",
        "#text",
        "b",
        "#text",
        "#comment",
    ]


def test_an_attribute_is_a_string_that_knows_where_it_stands():
    tree = tl.parse(PAGE)
    for expression in ("//li/@class", "//li/@class | //b"):
        first = tree.select_xpath(expression)[0]
        assert first == "item first"
        assert isinstance(first, tl.Attribute)
        assert (first.name.local, first.element.text) == ("class", "one")
    many = tl.parse("<p>" + "".join(f"<a href=/{number}>" for number in range(50))).select_xpath(
        "//@href"
    )
    assert many == [f"/{number}" for number in range(50)]
    assert many[7].element.attributes == {"href": "/7"}


def test_template_contents_are_seen_only_from_inside():
    tree = tl.parse(PAGE)
    hidden = next(node for node in tree.elements if node.in_template)
    assert "hidden" not in texts(tree.select("li")) + texts(tree.select_xpath("//li"))
    assert "hidden" not in tree.select_xpath("string(/)")
    assert hidden.matches("li.item")
    assert texts(hidden.select_xpath("text()")) == ["hidden"]


def test_html_names_ignore_case_and_namespace():
    tree = tl.parse(PAGE)
    assert texts(tree.select_xpath("//SVG/A")) == texts(tree.select("svg a")) == ["in svg"]
    assert tree.select_xpath("string(//svg/@viewbox)") == "0 0 1 1"
    assert texts(tree.select_xpath("//s:a", namespaces={"s": "http://www.w3.org/2000/svg"})) == [
        "in svg"
    ]
    assert texts(tree.select("s|a", namespaces={"s": "http://www.w3.org/2000/svg"})) == ["in svg"]
    assert tree.select_xpath("//li[lang('en')]") == tree.select("li:lang(en)")
    assert tree.select_xpath("id('menu')") == tree.select("#menu")


def test_xml_names_have_their_namespace():
    tree = tl.parse(FEED, format="xml")
    names = {"f": "urn:f", "d": "urn:d"}
    assert tree.select_xpath("//entry") == []
    assert len(tree.select_xpath("//d:entry", namespaces=names)) == 2
    assert texts(tree.select_xpath("/f:feed/d:entry[1]/f:*", namespaces=names)) == ["a"]
    assert texts(tree.select_xpath("//none")) == ["x"]
    assert tree.select_xpath("count(//@*)") == 2.0
    assert sorted(tree.root.select_xpath("namespace::*"))[:2] == [("", "urn:d"), ("f", "urn:f")]
    assert len(tree.select("entry")) == len(tree.select("entry", namespaces={"": "urn:d"})) == 2
    assert tree.select("ENTRY") == tree.select("entry", namespaces={"": "urn:f"}) == []


def test_ids_are_what_the_dtd_says():
    tree = tl.parse(
        '<!DOCTYPE a [<!ATTLIST b key ID #IMPLIED kind CDATA "plain">]><a><b key="k"/><b id="k"'
        ' xml:id="z"/></a>',
        format="xml",
    )
    assert [node.index for node in tree.select_xpath("id('z k')")] == [
        node.index for node in tree.select("b")
    ]
    assert tree.select_xpath("//b/@kind") == ["plain", "plain"]


def test_variables_are_values_and_nodes():
    tree = tl.parse(PAGE)
    compiled = tl.compile_xpath("//li[position() = $n or . = $text][$keep]")
    assert texts(compiled.evaluate(tree, n=1, text="two bold", keep=True)) == ["one", "two bold"]
    assert compiled.evaluate(tree, n=1, text="", keep=False) == []
    items = tree.select("li")
    assert tree.select_xpath("$items/b", items=items) == tree.select("b")
    assert tree.select_xpath("$item", item=items[1]) == [items[1]]
    with pytest.raises(tl.UsageError, match=r"\$n has no value"):
        compiled.evaluate(tree, text="x", keep=1)
    with pytest.raises(tl.UsageError, match="same tree"):
        tree.select_xpath("$items", items=tl.parse(PAGE).select("li"))
    with pytest.raises(tl.UsageError, match="same tree"):
        tree.select_xpath("$items", items=object())
    with pytest.raises(tl.UsageError, match="node-set"):
        tree.select_xpath("$items/b", items="text")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda tree: tree.select("li:hoover"), "unknown pseudo-class :hoover"),
        (lambda tree: tree.select("li::before"), "pseudo-element ::before"),
        (lambda tree: tree.select("li >"), "combinator"),
        (lambda tree: tree.select(""), "empty"),
        (lambda tree: tree.select("li", limit=-1), "limit=-1"),
        (lambda tree: tree.select("a" * 2**20), "1048576 bytes"),
        (lambda tree: tree.select(":not(" * 100_00), "100 levels"),
        (
            lambda tree: tree.select_xpath("//li["),
            "expected an expression, found the end at character 6",
        ),
        (lambda tree: tree.select_xpath("//li[1"), 'expected "]"'),
        (lambda tree: tree.select_xpath("nothing(1)"), r"no function nothing\(\)"),
        (lambda tree: tree.select_xpath("x:a"), "prefix"),
        (lambda tree: tree.select_xpath("a/" * 2**19), "1048576 bytes"),
        (lambda tree: tree.select_xpath("(" * 30_000), "100 levels"),
        (lambda tree: tree.select_xpath("(" * 10**5 + ")" * 10**5), "200000 bytes"),
    ],
)
def test_what_cannot_be_read_is_a_usage_error_that_says_what(ask, words):
    with pytest.raises(tl.UsageError, match=words):
        ask(tl.parse(PAGE))


def test_compiled_expressions_serve_many_trees_threads_and_processes():
    css, xpath = tl.compile_css("li.item"), tl.compile_xpath("count(//li)")
    trees = [tl.parse("<ul>" + "<li class=item>" * count) for count in range(1, 9)]
    found: list[tuple[int, float]] = []
    threads = [
        threading.Thread(
            target=lambda tree=tree: found.extend(
                (len(css.select(tree)), xpath.evaluate(tree)) for _ in range(50)
            )
        )
        for tree in trees
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted([(count, float(count)) for count in range(1, 9)] * 50)
    assert len(pickle.loads(pickle.dumps(css)).select(trees[3])) == 4
    assert pickle.loads(pickle.dumps(xpath)).evaluate(trees[3]) == 4.0


def test_a_deadline_ends_what_takes_too_long():
    tree = tl.Tree.from_brackets("{a" * 20_000 + "}" * 20_000)
    start = time.monotonic()
    with pytest.raises(tl.LimitError, match="seconds"):
        tree.select_xpath("//a[count(.//a[count(.//a) > 1]) > 1]", limits=tl.Limits(seconds=0.2))
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    "expression",
    [
        "//*[//*[//*]]",
        "//*[.//*[.//*]]",
        "//a//a//a",
        "//a[ancestor::a]",
        "//a/ancestor::a[1]",
        "//a[preceding::a]",
        "count(//a/following::*)",
    ],
)
def test_nested_questions_are_not_multiplied(expression):
    tree = tl.parse("<div>" + "<p><a>x</a><a>y</a></p>" * 20_000)
    tree.select_xpath(expression, limits=tl.Limits(seconds=10))


CHAIN_AND_STAR = [
    "a",
    "a a a",
    "x > a a",
    "a:has(a)",
    "a:has(x)",
    "a:not(x a)",
    "x ~ a",
    "a ~ a",
    ":nth-child(2n+1)",
    ":nth-last-child(3n)",
    ":nth-last-child(2 of a)",
    "a:has(~ x)",
]
CHAIN_AND_STAR_XPATH = [
    "//a//a",
    "//a[.//x]",
    "//a/preceding-sibling::a[1]",
    "//a/ancestor::a[1]",
    "//a[last()]",
    "//a[preceding::x]",
    "//a/following-sibling::x",
    "count(//a/..)",
]


def ask_everything(tree, selectors):
    limits = tl.Limits(seconds=30)
    for selector in selectors:
        tree.select(selector, limit=5, limits=limits)
        tree.select(selector + ", nothing", limits=limits)
    for expression in CHAIN_AND_STAR_XPATH:
        tree.select_xpath(
            f"count({expression})" if "count" not in expression else expression, limits=limits
        )


def test_a_star_of_a_hundred_thousand_children():
    ask_everything(tl.Tree.from_brackets("{r" + "{a}" * 100_000 + "}"), CHAIN_AND_STAR)


@pytest.mark.parametrize("depth", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_chain_of_so_many_levels(depth):
    ask_everything(
        tl.Tree.from_brackets("{a" * depth + "}" * depth, limits=tl.Limits(depth=depth)),
        CHAIN_AND_STAR,
    )


def paths_mean_their_nodes(tree):
    """Each node's paths select that node and nothing else; adjacent texts are one."""
    first_text: dict[int, int] = {}
    for node in tree:
        if node.kind is tl.Kind.TEXT:
            before = tree[node.index - 1]
            first_text[node.index] = (
                first_text[before.index]
                if before.kind is tl.Kind.TEXT and before.parent == node.parent
                else node.index
            )
        if node.in_template:
            continue
        if node.xpath is not None:
            assert [it.index for it in tree.select_xpath(node.xpath)] == [
                first_text.get(node.index, node.index)
            ], node.xpath
        if node.css is not None:
            assert tree.select(node.css) == [node], node.css
        assert (node.css is None) == (not node.is_element)


@given(any_trees())
@settings(max_examples=60)
def test_paths_of_any_tree(tree):
    paths_mean_their_nodes(tree)


@given(xml_trees())
@settings(max_examples=40)
def test_paths_of_xml(tree):
    paths_mean_their_nodes(tree)


@given(page_trees())
@settings(max_examples=8)
def test_paths_of_pages(tree):
    paths_mean_their_nodes(tree)


def test_paths_read_well():
    tree = tl.parse(PAGE)
    second = tree.select("li")[1]
    assert second.xpath == "/html/body/ul/li[2]"
    assert second.css == ":root > body > ul > li:nth-child(2)"
    assert (
        tl.parse(FEED, format="xml").select("name")[0].xpath
        == "/*[local-name()='feed']/*[local-name()='entry'][1]/*[local-name()='name']"
    )
    assert tree.document.xpath == "/"
    assert tree.document.css is None


def test_a_limit_of_none_is_all_and_of_0_is_nothing():
    tree = tl.parse("<p>a<p>b<p>c")
    assert [len(tree.select("p", limit=limit)) for limit in (None, 0, 1, 9)] == [3, 0, 1, 3]
    with pytest.raises(tl.UsageError, match="limit=-1"):
        tree.select("p", limit=-1)
