"""Pages made to hurt: each gives a tree or a named error, in a time and a memory that its size
accounts for.
"""

from __future__ import annotations

import time

import pytest

from treelace import Limits, _kernel, parse
from treelace.errors import LimitError

MILLION = 10**6
DEPTH = 4096

DEEP = {
    "div": "<div>" * MILLION,
    "b": "<b>" * MILLION,
    "table": "<table><tr><td>" * (MILLION // 3),
    "svg": "<svg>" + "<g>" * MILLION,
    "template": "<template>" * MILLION,
    "font": "".join(f"<font size={i}>" for i in range(MILLION // 10)),
    "div with text": "<div>x" * (MILLION // 2) + "y</div>" * (MILLION // 2),
    "stray end tags": "<div>" * DEPTH + "<b></x>" * (MILLION // 20),
    "in and out": "<div>" * DEPTH + "</div><div>" * (MILLION // 40),
    "math": "<math>" + "<mi>" * MILLION,
    "list": "<ul><li>" * (MILLION // 2),
    "script at the bottom": "<div>" * (DEPTH + 10) + "<script>a<b</script>" * 1000,
}


@pytest.mark.parametrize("source", DEEP.values(), ids=DEEP.keys())
def test_depth_is_cut_off_and_said_once(source: str) -> None:
    start = time.process_time()
    tree = parse(source, format="html")
    assert time.process_time() - start < 10
    assert tree.depths.max() == DEPTH
    said = [problem for problem in tree.problems if "deeper than 4096 levels" in problem.message]
    assert len(said) == 1
    _kernel.check_tree(tree._core)


WIDE = {
    "a": "<a>" * (MILLION // 4),
    "unclosed p": "<p>" * MILLION,
    "select": "<select>" * (MILLION // 10),
    "options": "<select>" + "<option>x" * (MILLION // 4),
    "misnested": "<b><i><u></b></i></u>" * (MILLION // 20),
    "fostered text": "<table>" + "x<tr><td>y</td></tr>" * (MILLION // 20),
    "nulls": "\0" * MILLION,
    "returns": "\r" * MILLION,
    "ampersands": "&" * MILLION + "&a" * MILLION + "&#" * MILLION,
    "dashes": "<!--" + "-" * MILLION,
    "nested comments": "<!--" + "<!--" * MILLION,
    "scripts in comments": "<script>" + "<!--<script>" * (MILLION // 10),
    "one attribute again and again": "<p " + "a " * MILLION + ">",
    "empty": "",
    "cut off in a tag": "<p class='a",
    "cut off in a comment": "<!-- a",
    "cut off in a doctype": "<!doctype html public 'a",
    "cut off in a reference": "&am",
    "greater than": ">" * MILLION,
    "less than": "<" * MILLION,
}


@pytest.mark.parametrize("source", WIDE.values(), ids=WIDE.keys())
def test_much_of_something_is_still_a_tree(source: str) -> None:
    start = time.process_time()
    tree = parse(source, format="html")
    assert time.process_time() - start < 10
    _kernel.check_tree(tree._core)


def test_binary_data_is_a_tree() -> None:
    noise = bytes(i * i % 251 for i in range(100_000))
    _kernel.check_tree(parse(noise, format="html")._core)
    _kernel.check_tree(parse(bytes(range(256)) * 100, format="html")._core)


OVER = {
    "attributes": ("<p " + " ".join(f"a{i}" for i in range(10**5)) + ">", "attributes", Limits()),
    "attributes of html": ("".join(f"<html a{i}>" for i in range(20_000)), "attributes", Limits()),
    "value": ("<p a='" + "x" * 10_000 + "'>", "text", Limits(text=9_999)),
    "name of an attribute": ("<p " + "x" * 10_000 + ">", "text", Limits(text=9_999)),
    "name of an element": ("<" + "x" * 10_000 + ">", "text", Limits(text=9_999)),
    "comment": ("<!--" + "x" * 10_000 + "-->", "text", Limits(text=9_999)),
    "text": ("<p>" + "x" * 10_000, "text", Limits(text=9_999)),
    "text in pieces": ("<table>" + "xxxx<tr>" * 2_500, "text", Limits(text=9_999)),
    "nodes": ("<br>" * 1000, "nodes", Limits(nodes=1000)),
    "reopened formatting": (
        "".join(f"<p><b id={i}>x</p>" for i in range(4_000)),
        "nodes",
        Limits(nodes=500_000),
    ),
    "reopened attributes": (
        "<p><b " + " ".join(f"a{i}=y" for i in range(10_000)) + ">" + "</p><p>x" * 10_000,
        "memory",
        Limits(memory=10**8),
    ),
    "reopened value": (
        "<p><b title='" + "z" * MILLION + "'>" + "</p><p>x" * 1000,
        "memory",
        Limits(memory=10**8),
    ),
    "bytes": ("x" * 1000, "bytes", Limits(bytes=999)),
    "seconds": ("<div>" * 4000 + "<div></div>" * MILLION, "seconds", Limits(seconds=0.2)),
}


@pytest.mark.parametrize(("source", "limit", "limits"), OVER.values(), ids=OVER.keys())
def test_each_limit_has_its_error(source: str, limit: str, limits: Limits) -> None:
    start = time.process_time()
    with pytest.raises(LimitError) as caught:
        parse(source, format="html", limits=limits)
    assert caught.value.limit == limit
    assert time.process_time() - start < 10


def test_a_value_of_100_mb_is_read_where_limits_allow() -> None:
    value = "x" * 100_000_000
    source = f"<p title='{value}'>"
    with pytest.raises(LimitError, match="bytes of input"):
        parse(source, format="html")
    with pytest.raises(LimitError, match="one text or value"):
        parse(source, format="html", limits=Limits(bytes=2**30))
    tree = parse(source, format="html", limits=Limits(bytes=2**30, text=2**30))
    assert next(node for node in tree.elements if node.tag == "p").attributes["title"] == value


@pytest.mark.slow
def test_attributes_without_limit_take_no_squared_time() -> None:
    start = time.process_time()
    tree = parse(
        "<p " + " ".join(f"a{i}" for i in range(MILLION)) + ">",
        format="html",
        limits=Limits(attributes=2 * MILLION),
    )
    assert time.process_time() - start < 10
    assert len(next(node for node in tree.elements if node.tag == "p").attributes) == MILLION
