"""Canonical XML: agreement with lxml's on documents full of namespaces, and what reaches a part from above."""

from __future__ import annotations

import pytest
from lxml import etree

from treelace import parse
from treelace.tree.write import to_c14n

PARTS = parse(
    etree.fromstring(
        b"""<r xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q" xml:lang="de" xml:id="r" xml:base="http://a.org/a/b">"""
        b"""<m xml:base="../c/" xml:space="preserve" xmlns:q="urn:q2"><e p:x="1" y="2" xml:base="d"/></m></r>"""
    ).getroottree()
)
ELEMENT = next(node for node in PARTS.elements if node.name.local == "e")


@pytest.mark.parametrize(
    ("method", "prefixes", "wanted"),
    [
        (
            "1.0",
            [],
            b'<e xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q2" y="2" xml:base="d" xml:id="r" xml:lang="de" xml:space="preserve" p:x="1"></e>',
        ),
        (
            "1.1",
            [],
            b'<e xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q2" y="2" xml:base="http://a.org/c/d" xml:lang="de" xml:space="preserve" p:x="1"></e>',
        ),
        ("exclusive", [], b'<e xmlns="urn:d" xmlns:p="urn:p" y="2" xml:base="d" p:x="1"></e>'),
        ("exclusive", ["q"], b'<e xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q2" y="2" xml:base="d" p:x="1"></e>'),
    ],
)
def test_what_reaches_a_part_from_above(method: str, prefixes: list[str], wanted: bytes) -> None:
    assert to_c14n(ELEMENT, method=method, prefixes=prefixes) == wanted
