"""A wrapper's file edited badly: the line, and what was expected there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import treelace as tl
from treelace.wrappers import Wrapper

ROWS = "".join(
    f"<li class=item><h3>thing {i} of six</h3><b class=price>{i}.50 €</b><p>about {i} and"
    " more</p></li>"
    for i in range(6)
)
PAGE = tl.parse(f"<body><ul class=t>{ROWS}</ul></body>")
GOOD = Wrapper.learn([PAGE]).to_json()

BY_TEXT = [
    (lambda text: text[: len(text) // 2], "expected JSON: the file ends too early"),
    (lambda text: "", "line 1: expected JSON: the file ends too early"),
    (lambda text: "hello", "line 1: expected JSON"),
    (lambda text: "[]", "line 1, $: expected an object in braces, got a list in brackets"),
    (
        lambda text: text.replace('"wrapper",', '"wrapper"', 1),
        "line 3: expected JSON: expected ',' or '}'",
    ),
    (lambda text: text.replace('"wrapper"', "'wrapper'", 1), "line 2: expected JSON"),
    (
        lambda text: text.replace('"version": 1,', '"version": 1,\n "colour": 3,', 1),
        "line 4, $: expected no field 'colour'",
    ),
    (
        lambda text: text.replace('"version": 1', '"version": 9', 1),
        "line 3, $.version: expected 1, got 9",
    ),
]


@pytest.mark.parametrize(("edit", "message"), BY_TEXT)
def test_a_broken_text_is_named_with_its_line(edit: Callable[[str], str], message: str):
    with pytest.raises(tl.WrapperError) as caught:
        Wrapper.from_json(edit(GOOD))
    assert message in str(caught.value)


def put(*path: Any) -> Callable[[Any], None]:
    """Puts the last thing at the place the others lead to, from the first region on."""

    def edit(region: Any) -> None:
        *way, name, value = path
        for step in way:
            region = region[step]
        region[name] = value

    return edit


BY_FIELD = [
    (put("kind", "table"), ".kind: expected 'page', 'list' or 'inner', got 'table'"),
    (put("pattern", 2, "depth", 7), ".pattern[2].depth: expected 1 to 2, got 7"),
    (put("pattern", 2, "depth", "two"), ".pattern[2].depth: expected a whole number, got a text"),
    (put("pattern", 1, "seen", -3), ".pattern[1].seen: expected a whole number >= 0"),
    (put("pattern", 1, "tag", ""), ".pattern[1].tag: expected a text that is not empty"),
    (
        lambda region: region["columns"].pop(0),
        ".pattern[3].column: expected the name of a column, got",
    ),
    (
        lambda region: region["columns"].append(region["columns"][0]),
        ".columns[3].name: expected a name that no other column has",
    ),
    (put("columns", 0, "type", "colour"), ".columns[0].type: expected text, price"),
    (put("columns", 0, "fill", 12), ".columns[0].fill: expected a number <= 1"),
    (put("columns", 0, "select", "xpath://b["), ".columns[0].select: expected a selector"),
    (put("columns", 0, "anchors", ["css:b["]), ".columns[0].anchors[0]: expected a selector"),
    (put("anchors", 0, "css:li["), ".anchors[0]: expected a selector"),
    (put("anchors", []), ".anchors: expected at least one selector"),
    (put("pages", 0), ".pages: expected a whole number >= 1"),
    (put("fit", "high"), ".fit: expected a number, got a text"),
    (put("runs", [[999]]), ".runs[0]: expected rows of the pattern"),
    (put("records", [9, 2]), ".records: expected the fewest and the most records"),
    (
        put("paths", {"li > b": "nothing"}),
        ".paths.li > b: expected the name of a column or nothing, got 'nothing'",
    ),
]


@pytest.mark.parametrize(("edit", "message"), BY_FIELD)
def test_a_bad_value_is_named_with_its_line_and_what_was_expected(
    edit: Callable[[Any], None], message: str
):
    data = json.loads(GOOD)
    edit(data["regions"][0])
    text = json.dumps(data, indent=1)
    with pytest.raises(tl.WrapperError) as caught:
        Wrapper.from_json(text)
    assert f"$.regions[0]{message}" in str(caught.value)
    line = int(str(caught.value).split("line ")[1].split(",")[0])
    assert 8 <= line <= text.count("\n") + 1


def test_the_line_is_that_of_the_edit():
    text = GOOD.replace('"kind": "list"', '"kind": "table"')
    with pytest.raises(tl.WrapperError) as caught:
        Wrapper.from_json(text)
    assert f"line {text[: text.index('table')].count(chr(10)) + 1}," in str(caught.value)


def test_a_byte_order_mark_is_nothing():
    assert Wrapper.from_json("\ufeff" + GOOD) == Wrapper.from_json(GOOD)


@pytest.mark.parametrize("name", ["na\nme", "\r\n", "a\u2028b"], ids=repr)
def test_the_name_of_a_field_breaks_no_line(name):
    """Fuzzing found one that did."""
    written = json.loads(GOOD)
    with pytest.raises(tl.WrapperError, match="expected no field") as refused:
        Wrapper.from_json(json.dumps({**written, name: 1}))
    assert len(str(refused.value).splitlines()) == 1
