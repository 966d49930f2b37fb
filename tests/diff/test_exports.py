"""Exports, proved by appliers that have nothing of ours in them, which are proved by public cases
(tests/conformance/test_patch.py).
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import treelace as tl
from tests.oracles import json_patch, xml_patch
from tests.strategies import any_trees, page_pairs, trees, xml_trees
from treelace.diff import diff
from treelace.diff.outputs import Change
from treelace.diff.outputs.json_patch import json_patch as to_json_patch
from treelace.diff.outputs.unified import unified
from treelace.diff.outputs.xml_patch import xml_patch as to_xml_patch


def change(old: tl.Tree, new: tl.Tree) -> Change:
    return Change(delta=diff(old, new), old=old, new=new)


def shape(root: Any) -> list[Any]:
    """What there is but prefixes, which lxml chooses anew for what is put in."""
    beside = [*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()]
    return [
        (it.tag, sorted(it.attrib.items()), it.text or "", it.tail or "")
        for top in beside
        for it in top.iter()
    ]


@given(
    st.one_of(
        page_pairs(),
        st.tuples(trees(max_nodes=20), trees(max_nodes=20)),
        st.tuples(xml_trees(), xml_trees()),
    )
)
def test_json_patches(pair):
    old, new = pair
    patch = json.loads(to_json_patch(change(old, new)))
    assert json_patch.apply(json.loads(old.to_json()), patch) == json.loads(new.to_json())


@given(st.tuples(any_trees(), any_trees()))
def test_json_patches_of_odd_trees(pair):
    old, new = pair
    patch = json.loads(to_json_patch(change(old, new)))
    assert json_patch.apply(json.loads(old.to_json()), patch) == json.loads(new.to_json())


@given(st.tuples(xml_trees(), xml_trees()))
def test_xml_patches(pair):
    old, new = pair
    try:
        patch = to_xml_patch(change(old, new))
    except tl.UsageError:
        return
    try:
        made = xml_patch.apply(old.to_xml(doctype=False).encode(), patch.encode())
    except etree.XMLSyntaxError:  # libxml2 wants an xml:id to be a name
        return
    assert shape(made.getroot()) == shape(etree.fromstring(new.to_xml(doctype=False).encode()))


CASES = [
    ("<a/>", "<a>x</a>"),
    ("<a>x</a>", "<a/>"),
    ("<a>x<b/>y</a>", "<a>xy</a>"),
    ("<a>xy</a>", "<a>x<b/>y</a>"),
    ("<a><b/><c/></a>", "<a><c/><b/></a>"),
    ("<a><b>1</b></a>", "<b><a>1</a></b>"),
    ("<a><!--x--><?p d?></a>", "<a><?p e?><!--y--></a>"),
    ("<!--x--><a/>", "<a/><!--y-->"),
    ("<!--x--><a/>", "<a/><!--x-->"),
    ("<!--x--><?p?><a><b/></a><!--y-->", "<!--y--><a><b/><c/></a><?p?><!--x-->"),
    ("<!--x--><a/>", "<b/><!--x-->"),
    ("<a><b/>t</a>", "<a>\n <b/>\n t<c/>\n</a>"),
    (
        "<a xmlns='urn:u'><b k='1'/></a>",
        "<a xmlns='urn:u'><b k='2' xmlns:p='urn:v' p:k='3'/><c/></a>",
    ),
    ("<a xmlns:p='urn:u' p:k='1' k='2'/>", "<a xmlns:p='urn:u' p:k='3'/>"),
]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_xml_patches_by_hand(before, after):
    for first, second in ((before, after), (after, before)):
        old, new = tl.parse(first, format="xml"), tl.parse(second, format="xml")
        made = xml_patch.apply(first.encode(), to_xml_patch(change(old, new)).encode())
        assert (
            tl.parse(etree.tostring(made, method="c14n"), format="xml").to_c14n() == new.to_c14n()
        )


def test_what_an_xml_patch_cannot_say():
    with pytest.raises(tl.UsageError, match="XML patches are for XML"):
        to_xml_patch(change(tl.parse("<p>"), tl.parse("<b>")))
    old, new = (tl.parse(f"<!DOCTYPE {name}><a/>", format="xml") for name in "ab")
    with pytest.raises(tl.UsageError, match="doctype"):
        to_xml_patch(change(old, new))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<a>\n<b/>\n</a>", "<a>\n<c/>\n</a>"),
        ("<a/>", "<a>\n</a>"),
        ("<a>\n1\n2\n</a>", "<a>\n2\n3</a>"),
    ],
)
def test_unified_text_is_what_patch_takes(before, after, tmp_path):
    old, new = tl.parse(before, format="xml"), tl.parse(after, format="xml")
    file = tmp_path / "file"
    file.write_text(old.to_xml())
    subprocess.run(
        ["patch", "-s", str(file)],
        input=unified(change(old, new)),
        text=True,
        check=True,
        capture_output=True,
    )
    assert file.read_text() == new.to_xml()
