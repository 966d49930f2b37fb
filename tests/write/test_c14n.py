"""Canonical XML: agreement with lxml's on documents full of namespaces, and what reaches a part
from above.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.strategies import PREFIXES, xml_documents
from treelace import UsageError, parse


@given(
    xml_documents(),
    st.booleans(),
    st.lists(st.sampled_from([prefix for prefix in PREFIXES if prefix]), unique=True),
)
def test_whole_documents_agree_with_lxml(text: str, comments: bool, prefixes: list[str]) -> None:
    # lxml (libxml2 2.14) writes an & in a namespace name as it is, which is not even well-formed,
    # and forgets "#default" among the prefixes
    text = text.replace("?a=1&amp;b=2", "?a=1")
    document = etree.fromstring(text.encode()).getroottree()
    tree = parse(text, format="xml")
    inclusive = etree.tostring(document, method="c14n", with_comments=comments)
    assert tree.to_c14n(version="1.0", comments=comments) == inclusive
    assert tree.to_c14n(version="1.1", comments=comments) == inclusive
    assert tree.to_c14n(exclusive=True, comments=comments) == etree.tostring(
        document, method="c14n", exclusive=True, with_comments=comments
    )
    wanted = etree.tostring(
        document,
        method="c14n",
        exclusive=True,
        with_comments=comments,
        inclusive_ns_prefixes=prefixes or None,
    )
    assert tree.to_c14n(exclusive=True, comments=comments, prefixes=prefixes) == wanted


@given(xml_documents())
def test_canonical_xml_is_canonical(text: str) -> None:
    """What is canonical reads back as a document with the same canonical form."""
    once = parse(text, format="xml").to_c14n()
    assert parse(once, format="xml").to_c14n() == once
    exclusive = parse(text, format="xml").to_c14n(exclusive=True)
    assert parse(exclusive, format="xml").to_c14n(exclusive=True) == exclusive


@given(xml_documents(), st.data())
def test_a_part_is_the_part_of_a_document_by_itself(text: str, data: st.DataObject) -> None:
    """Exclusive Canonical XML of an element does not depend on what stands around it: that is what
    it is for.
    """
    tree = parse(text, format="xml")
    element = data.draw(st.sampled_from(list(tree.elements)))
    alone = parse(element.to_xml(), format="xml")
    assert element.to_c14n(exclusive=True) == alone.to_c14n(exclusive=True)


PARTS = parse(
    """<r xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q" xml:lang="de" xml:id="r" xml:base="http://a.org/a/b">"""
    """<m xml:base="../c/" xml:space="preserve" xmlns:q="urn:q2"><e p:x="1" y="2" xml:base="d"/>\
</m></r>""",
    format="xml",
)
ELEMENT = next(node for node in PARTS.elements if node.name.local == "e")
NAMESPACES = 'xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q2"'


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (
            {"version": "1.0"},
            (
                f'<e {NAMESPACES} y="2" xml:base="d" xml:id="r" xml:lang="de" xml:space="preserve"'
                ' p:x="1"></e>'
            ),
        ),
        (
            {"version": "1.1"},
            (
                f'<e {NAMESPACES} y="2" xml:base="http://a.org/c/d" xml:lang="de"'
                ' xml:space="preserve" p:x="1"></e>'
            ),
        ),
        ({"exclusive": True}, '<e xmlns="urn:d" xmlns:p="urn:p" y="2" xml:base="d" p:x="1"></e>'),
        (
            {"exclusive": True, "prefixes": ["q"]},
            f'<e {NAMESPACES} y="2" xml:base="d" p:x="1"></e>',
        ),
    ],
)
def test_what_reaches_a_part_from_above(options: dict[str, object], wanted: str) -> None:
    assert ELEMENT.to_c14n(**options).decode() == wanted


def test_the_default_namespace_may_be_listed() -> None:
    tree = parse('<p:a xmlns="urn:d" xmlns:p="urn:p"><p:b xmlns=""/></p:a>', format="xml")
    assert tree.to_c14n(exclusive=True) == b'<p:a xmlns:p="urn:p"><p:b></p:b></p:a>'
    assert (
        tree.to_c14n(exclusive=True, prefixes=["#default"])
        == b'<p:a xmlns="urn:d" xmlns:p="urn:p"><p:b xmlns=""></p:b></p:a>'
    )


def test_html_gets_its_namespaces() -> None:
    tree = parse("<p>a<svg><a xlink:href='#x'/></svg>", fragment=True)
    assert tree.root is not None
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg"><a xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' xlink:href="#x"></a></svg>'
    )
    assert tree.root.to_c14n().decode() == f'<p xmlns="http://www.w3.org/1999/xhtml">a{svg}</p>'


def test_what_cannot_be_canonical_is_refused_by_name() -> None:
    tree = parse('<!DOCTYPE a SYSTEM "a.dtd"><a>x&unknown;</a>', format="xml")
    with pytest.raises(UsageError, match="reference to an entity"):
        tree.to_c14n()
    with pytest.raises(UsageError, match=r"version is '1\.0' or '1\.1'"):
        tree.to_c14n(version="2.0")
