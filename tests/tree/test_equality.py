"""What equality sees and what it does not (DESIGN §4), line by line, and that digests say the
same.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import any_trees, page_trees, xml_documents, xml_trees
from treelace import Kind, Tree, _kernel, parse
from treelace.limits import DEFAULT_LIMITS


def html(text: str) -> Tree:
    return parse(text, format="html")


def xml(text: str) -> Tree:
    return parse(text, format="xml")


def rows(*rows: tuple[int, int, str]) -> Tree:
    """A fragment of texts and elements."""
    made = [
        (
            kind,
            depth,
            ("", "", text if kind == Kind.ELEMENT else ""),
            "" if kind == Kind.ELEMENT else text,
            [],
            0,
        )
        for kind, depth, text in rows
    ]
    return Tree(_kernel.tree_from_rows(made, False, True, DEFAULT_LIMITS))


def are_equal(left: Tree, right: Tree) -> bool:
    """Equality by comparison, which must be what the digests say, and what equality of both
    afterwards says.
    """
    compared = left == right
    assert compared == (right == left) == left.document.equals(right.document)
    assert compared == (left.digest == right.digest)
    assert compared == (left == right)
    assert not compared or hash(left) == hash(right)
    return compared


SEEN = {
    "element name": (html("<p>x</p>"), html("<b>x</b>")),
    "namespace": (xml("<a xmlns='urn:1'/>"), xml("<a xmlns='urn:2'/>")),
    "HTML against SVG": (html("<svg><a></a></svg>"), html("<svg></svg><a></a>")),
    "prefix": (
        xml("<p:a xmlns:p='urn:1' xmlns:q='urn:1'/>"),
        xml("<q:a xmlns:p='urn:1' xmlns:q='urn:1'/>"),
    ),
    "prefix of an attribute": (
        xml("<a xmlns:p='urn:1' xmlns:q='urn:1' p:b=''/>"),
        xml("<a xmlns:p='urn:1' xmlns:q='urn:1' q:b=''/>"),
    ),
    "namespace declaration": (xml("<a xmlns:p='urn:1'/>"), xml("<a/>")),
    "attribute value": (html("<p title=a>"), html("<p title=b>")),
    "white space in an attribute value": (html("<p title='a b'>"), html("<p title='a  b'>")),
    "attribute name": (html("<p title=a>"), html("<p class=a>")),
    "attribute at all": (html("<p title=a>"), html("<p>")),
    "empty attribute": (html("<p title>"), html("<p>")),
    "text": (html("<p>x"), html("<p>y")),
    "white space in text": (html("<p>x y"), html("<p>x  y")),
    "blank text": (xml("<a> </a>"), xml("<a/>")),
    "comment": (html("<p><!--x-->"), html("<p><!--y-->")),
    "comment at all": (html("<p><!--x-->"), html("<p>")),
    "comment against text": (html("<p><!--x-->"), html("<p>x")),
    "comment outside the root": (xml("<!--x--><a/>"), xml("<a/>")),
    "instruction target": (xml("<?x z?><a/>"), xml("<?y z?><a/>")),
    "instruction data": (xml("<?x y?><a/>"), xml("<?x z?><a/>")),
    "order of nodes": (html("<p><i></i><b></b>"), html("<p><b></b><i></i>")),
    "nesting": (html("<p><i><b></b></i>"), html("<p><i></i><b></b>")),
    "doctype": (html("<!doctype html><p>"), html("<p>")),
    "doctype name": (html("<!doctype html><p>"), html("<!doctype htm><p>")),
    "public identifier": (
        html('<!doctype html PUBLIC "x"><p>'),
        html('<!doctype html PUBLIC "y"><p>'),
    ),
    "system identifier": (
        html('<!doctype html SYSTEM "x"><p>'),
        html('<!doctype html SYSTEM "y"><p>'),
    ),
    "internal subset": (
        xml("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>"),
        xml("<!DOCTYPE a [<!ENTITY x 'z'>]><a/>"),
    ),
    # beyond Canonical XML, since a subtree is equal by itself and a delta gives back every node
    "borders of texts": (rows((2, 1, "ab")), rows((2, 1, "a"), (2, 1, "b"))),
    "empty text": (rows((2, 1, "")), rows()),
    "namespace declared again": (
        xml("<a xmlns='urn:1'><b xmlns='urn:1'/></a>"),
        xml("<a xmlns='urn:1'><b/></a>"),
    ),
    "reference that nobody could read": (
        xml("<!DOCTYPE a SYSTEM 'x'><a>&b;</a>"),
        xml("<!DOCTYPE a SYSTEM 'x'><a>&amp;b;</a>"),
    ),
}

# quirks mode follows from the doctype here; the kernel's own tests have trees that differ in it
# alone
NOT_SEEN = {
    "order of attributes": (html("<p class=a title=b>"), html("<p title=b class=a>")),
    "order of declarations": (
        xml("<a xmlns:p='urn:1' xmlns='urn:2' b=''/>"),
        xml("<a b='' xmlns='urn:2' xmlns:p='urn:1'/>"),
    ),
    "CDATA": (xml("<a><![CDATA[<]]></a>"), xml("<a>&lt;</a>")),
    "quotes": (xml("<a b='c'/>"), xml('<a b="c"/>')),
    "blanks inside tags": (xml("<a b='c' />"), xml("<a\n b = 'c'></a >")),
    "blanks outside the root": (xml("<!--x--><a/>"), xml("\n<!--x-->\n<a/>\n")),
    "character references": (html("<p>&lt;"), html("<p>&#60;")),
    "entities": (
        xml("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>"),
        xml("<!DOCTYPE a [<!ENTITY x 'y'>]><a>y</a>"),
    ),
    "line ends": (xml("<a>\r\n</a>"), xml("<a>\n</a>")),
    "XML declaration": (xml("<?xml version='1.0' standalone='yes'?><a/>"), xml("<a/>")),
    "encoding": (parse("<a>ü</a>".encode("utf-16"), format="xml"), xml("<a>ü</a>")),
    "source lines": (html("<p>x"), html("<p\n\n>x")),
    "problems": (html("<p>x</p>"), html("<p>x</p></i>")),
    "default against written": (
        xml("<!DOCTYPE a [<!ATTLIST a b CDATA '1'>]><a/>"),
        xml("<!DOCTYPE a [<!ATTLIST a b CDATA '1'>]><a b='1'/>"),
    ),
    "case of HTML names": (html("<P CLASS=a>"), html("<p class=a>")),
    "format": (
        Tree(
            _kernel.tree_from_rows([(1, 1, ("", "", "a"), "", [], 0)], True, False, DEFAULT_LIMITS)
        ),
        Tree(
            _kernel.tree_from_rows([(1, 1, ("", "", "a"), "", [], 0)], False, True, DEFAULT_LIMITS)
        ),
    ),
}


@pytest.mark.parametrize(("left", "right"), SEEN.values(), ids=SEEN.keys())
def test_seen(left: Tree, right: Tree) -> None:
    assert not are_equal(left, right)


@pytest.mark.parametrize(("left", "right"), NOT_SEEN.values(), ids=NOT_SEEN.keys())
def test_not_seen(left: Tree, right: Tree) -> None:
    assert are_equal(left, right)


def test_a_tree_differs_from_everything_else() -> None:
    assert html("<p>") != "<p>"
    assert html("<p>") is not None


@given(st.one_of(any_trees(), page_trees(), xml_trees()), st.one_of(any_trees(), xml_trees()))
def test_equal_subtrees_and_only_those_have_equal_digests(left: Tree, right: Tree) -> None:
    for one in list(left)[:20]:
        for other in list(right)[:20]:
            assert one.equals(other) == (one.digest == other.digest)


@given(xml_documents(), xml_documents())
def test_equal_trees_have_one_canonical_form(left: str, right: str) -> None:
    """Equality is never coarser than Canonical XML; and not finer but for the doctype and for what
    the cases above name.
    """
    one, other = xml(left), xml(right)
    if one == other:
        assert one.to_c14n() == other.to_c14n()
    again = xml(one.to_c14n().decode())
    same_again = xml(one.to_c14n(version="1.0").decode())
    assert again == same_again


@given(any_trees())
def test_digests_are_what_the_page_says(tree: Tree) -> None:
    """The encoding of docs/explanation/equality-and-digests.md, in plain Python, with another hash:
    the same subtrees are equal.
    """
    ours = [bytes(row) for row in tree.digests]
    theirs = plain_digests(tree)
    assert len({*zip(ours, theirs, strict=True)}) == len({*ours}) == len({*theirs})


def plain_digests(tree: Tree) -> list[bytes]:
    def cut(*parts: bytes) -> bytes:
        return hashlib.blake2b(b"".join(parts), digest_size=16).digest()

    def number(value: int) -> bytes:
        return value.to_bytes(4, "little")

    def name(prefix: str, namespace: str, local: str) -> bytes:
        return cut(
            b"\x01N",
            cut(b"\x01S", namespace.encode()),
            number(len(prefix.encode())),
            prefix.encode(),
            local.encode(),
        )

    digests = [b""] * len(tree)
    for node in reversed(list(tree)):
        head = bytes([1, node.kind])
        children = b"".join(digests[child.index] for child in node.children)
        text = tree._core.text(node.index).encode()
        if node.kind in (Kind.TEXT, Kind.COMMENT):
            digests[node.index] = cut(head, text)
        elif node.kind is Kind.INSTRUCTION:
            digests[node.index] = cut(head, name(*node.name), text)
        elif node.kind is Kind.DOCUMENT:
            digests[node.index] = cut(head, children)
        else:
            found = sorted(
                tree._core.attributes(node.index),
                key=lambda it: (it[1].encode(), it[2].encode(), it[0].encode()),
            )
            attributes = b"".join(
                name(*parts) + number(len(value.encode())) + value.encode()
                for *parts, value in found
            )
            digests[node.index] = cut(
                head, name(*node.name), number(len(found)), attributes, text or children
            )
    return digests


def test_digests_are_one_table() -> None:
    tree = html("<p>a<p>a")
    table = tree.digests
    assert table.shape == (len(tree), 16)
    assert table.dtype == np.uint8
    assert [bytes(row).hex() for row in table] == [node.digest for node in tree]


def test_digests_are_the_same_for_ever() -> None:
    assert (
        html("<!doctype html><p class=x id=y>Grüße<!--c-->").digest
        == "0ee9d3bb5227a05aef105fc384510ac5"
    )
    assert (
        xml("<?x y?><p:a xmlns:p='urn:1' p:b='1' c='2'>d</p:a>").digest
        == "b455574315442e99c5e80ec477ea61e2"
    )
