"""JSON documents as trees: there and back, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treelace as tl
from treelace.tree.json_documents import json_of_tree, tree_of_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_a_document_comes_back_as_it_was(value: object):
    assert json.loads(json_of_tree(tree_of_json(json.dumps(value)))) == value


@given(VALUES, VALUES)
def test_a_delta_of_two_documents_gives_the_new_one(old: object, new: object):
    before, after = tree_of_json(json.dumps(old)), tree_of_json(json.dumps(new))
    assert json_of_tree(tl.diff(before, after).apply(before)) == json_of_tree(after)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        "[1.50, -0, 1e400, 12345678901234567890]",
        '"\\u0000 \\ud800 back\\\\slash"',
        '{"": {"\\t\\n\\r": " x "}}',
        "[[], {}, null, true, false]",
    ],
)
def test_figures_repeated_names_and_odd_characters_stay(text: str):
    made = json_of_tree(tree_of_json(text))
    pairs = {"object_pairs_hook": list, "parse_int": str, "parse_float": str}
    assert json.loads(made, **pairs) == json.loads(text, **pairs)
    assert json_of_tree(tree_of_json(made)) == made


def test_the_mapping_is_that_of_xpath():
    tree = tree_of_json('{"tea": [3, true, null, "x"]}')
    assert tree.to_xml() == (
        '<map xmlns="http://www.w3.org/2005/xpath-functions"><array key="tea"><number>3</number>'
        "<boolean>true</boolean><null/><string>x</string></array></map>"
    )


def test_what_is_no_json_is_refused_by_name():
    with pytest.raises(tl.ParseError, match="line 2"):
        tree_of_json('{\n"a": }')
    with pytest.raises(tl.ParseError, match="NaN"):
        tree_of_json("[NaN]")
    with pytest.raises(tl.LimitError, match="900"):
        tree_of_json("[" * 100_000)
    with pytest.raises(tl.UsageError):
        json_of_tree(tl.parse("<p>x"))


def test_a_file_called_json_is_json(tmp_path: Path):
    file = tmp_path / "teas.json"
    file.write_text('[{"name": "Assam", "price": 3}, {"name": "Sencha", "price": 6}]')
    table = tl.extract(tl.parse(file))[0]
    assert table.rows == [["Assam", "3"], ["Sencha", "6"]]
    assert tl.parse('[{"a": 1}]').root.tag == "html", "a str is markup unless it is said to be JSON"
