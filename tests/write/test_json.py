"""The JSON form: lossless, bounded, as its schema says, and easily patched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import any_trees, page_trees, xml_trees
from treelace import LimitError, Limits, ParseError, Tree, parse

SCHEMA = json.loads(
    files("treelace").joinpath("schemas/tree.schema.json").read_text(encoding="utf-8")
)

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}


@given(st.one_of(any_trees(), page_trees(), xml_trees()), st.one_of(st.none(), st.integers(0, 3)))
def test_what_is_written_reads_back_equal(tree: Tree, indent: int | None) -> None:
    text = tree.to_json(indent=indent)
    back = Tree.from_json(text)
    assert back == tree
    assert (back.format, back.is_fragment) == (tree.format, tree.is_fragment)
    # another program may write the same value in its own way: keys in another order, other escapes
    assert Tree.from_json(json.dumps(json.loads(text), sort_keys=True)) == tree
    assert Tree.from_json(json.dumps(json.loads(text), ensure_ascii=False, indent=2)) == tree


@given(any_trees(), st.data())
def test_a_part_reads_back_as_a_fragment(tree: Tree, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(list(tree)))
    back = Tree.from_json(node.to_json())
    top = back.document if node.index == 0 else back.document.children[0]
    assert top.equals(node)


@given(st.one_of(any_trees(), page_trees()))
def test_what_is_written_is_what_the_schema_says(tree: Tree) -> None:
    check(json.loads(tree.to_json()), SCHEMA)
    for node in tree:
        alone = json.loads(node.to_json())
        if isinstance(alone, dict) and "children" in alone:
            alone["children"] = []  # looked at above and below
        check(alone, SCHEMA)


def test_the_schema_refuses() -> None:
    for wrong in (
        {},
        [],
        {"kind": "element"},
        {"kind": "element", "name": "a", "attributes": {"b": 1}, "children": []},
        {"kind": "comment", "txt": ""},
    ):
        with pytest.raises(AssertionError):
            check(wrong, SCHEMA)


def test_template_contents_stay_marked() -> None:
    tree = parse("<template><i>x</i></template><p>")
    back = Tree.from_json(tree.to_json())
    assert [node.in_template for node in back] == [node.in_template for node in tree]
    assert [node.element_index for node in back] == [node.element_index for node in tree]


def test_a_patch_is_short() -> None:
    """RFC 6902 paths name children by number and attributes by name."""
    tree = parse('<ul><li class="a">1</li><li>2</li></ul>', format="xml")
    value = json.loads(tree.to_json())
    value["children"][0]["children"][0]["attributes"]["class"] = "b"
    value["children"][0]["children"][1]["children"][0] = "3"
    assert Tree.from_json(json.dumps(value)).to_xml() == '<ul><li class="b">1</li><li>3</li></ul>'


def test_a_hundred_thousand_levels_are_no_trouble() -> None:
    tree = parse("<a>" * 100_000 + "</a>" * 100_000, format="xml")
    text = tree.to_json()
    assert Tree.from_json(text) == tree
    with pytest.raises(LimitError, match="levels"):
        Tree.from_json(text, limits=Limits(depth=1000))
    with pytest.raises(LimitError, match="memory"):
        tree.to_json(indent=2)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"kind":"element","name":"a","children":[1]}', '"\\ud800"', '{"kind":"no"}'],
)
def test_what_is_not_the_form_is_a_parse_error_with_its_place(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        Tree.from_json(text)
    assert caught.value.line == 1


def check(value: Any, schema: dict[str, Any]) -> None:
    """The value is what the schema says."""
    wrong = next(refusals(value, schema), None)
    assert wrong is None, wrong


def refusals(value: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """What of a value is not as the schema says: the part of JSON Schema that ours uses.

    Without `assert`: of several options all but one refuse, and pytest would describe each.
    """
    if "$ref" in schema:
        yield from refusals(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    if "oneOf" in schema:
        fit = sum(next(refusals(value, option), None) is None for option in schema["oneOf"])
        if fit != 1:
            yield value, schema
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        yield value, schema
    if "type" in schema and not isinstance(value, KINDS[schema["type"]]):
        yield value, schema
    if isinstance(value, dict):
        if not set(schema.get("required", ())) <= set(value):
            yield value, schema
        more = schema.get("additionalProperties", True)
        for key, inside in value.items():
            if key in schema.get("properties", {}):
                yield from refusals(inside, schema["properties"][key])
            elif more is False:
                yield key, schema
            elif more is not True:
                yield from refusals(inside, more)
    if isinstance(value, list) and "items" in schema:
        for inside in value:
            yield from refusals(inside, schema["items"])
