"""XML: what is written reads back equal wherever that is promised, is well-formed always, and is
refused by name otherwise.
"""

from __future__ import annotations

import csv
from pathlib import Path
from xml.parsers import expat

import pytest
from hypothesis import given, settings
from lxml import etree

from tests.strategies import any_trees, page_trees, xml_documents, xml_trees
from treelace import Kind, LimitError, Limits, ParseError, Tree, UsageError, _kernel, parse
from treelace.limits import DEFAULT_LIMITS
from treelace.tree.write import is_expressible_xml, to_xml

XMLNS = "http://www.w3.org/2000/xmlns/"


def read(text: str, tree: Tree) -> Tree:
    return parse(text, format="xml", fragment=tree.is_fragment)


@given(xml_trees())
def test_xml_trees_read_back_equal(tree: Tree) -> None:
    assert is_expressible_xml(tree)
    for declaration in (False, True):
        assert read(to_xml(tree, declaration=declaration), tree) == tree


@given(xml_documents())
def test_documents_read_back_equal(text: str) -> None:
    tree = parse(text, format="xml")
    assert is_expressible_xml(tree)
    assert read(to_xml(tree), tree) == tree
    assert read(to_xml(tree).encode().decode(), tree).digest == tree.digest


@given(any_trees())
@settings(max_examples=400)
def test_expressible_is_what_reads_back_equal(tree: Tree) -> None:
    """The predicate is exact: true and only true where the law holds."""
    try:
        back = read(to_xml(tree, declare_namespaces=False), tree)
    except (UsageError, ParseError):
        assert not is_expressible_xml(tree)
    else:
        assert is_expressible_xml(tree) == (back == tree)


@given(any_trees())
@settings(max_examples=400)
def test_what_is_written_is_well_formed(tree: Tree) -> None:
    """Refused, or an XML parser of others takes it, whatever the tree; a fragment inside an
    element.
    """
    for on_invalid in ("error", "replace"):
        try:
            text = to_xml(tree, on_invalid=on_invalid, declare_namespaces=True)
        except UsageError:
            continue
        if any(node.kind is Kind.DOCTYPE and node.text for node in tree):
            continue  # an internal subset is written as it is
        # expat refuses namespaces that hold its separator: one that cannot stand in XML
        expat.ParserCreate(namespace_separator="\f").Parse(
            (f"<_>{text}</_>" if tree.is_fragment else text).encode(), True
        )


@given(page_trees())
def test_pages_become_xhtml(tree: Tree) -> None:
    text = to_xml(tree, on_invalid="replace")
    root = etree.fromstring(text.encode())
    wanted = [node.name.local for node in tree.elements]
    assert [
        etree.QName(node).localname for node in root.iter() if isinstance(node.tag, str)
    ] == wanted
    assert root.nsmap == {None: "http://www.w3.org/1999/xhtml"}


@given(xml_documents())
def test_a_part_reads_back_with_the_names_it_had(text: str) -> None:
    tree = parse(text, format="xml")
    for element in tree.elements:
        back = parse(element.to_xml(), format="xml")
        assert [node.name for node in back.elements] == [
            node.name for node in (element, *element.descendants) if node.is_element
        ]


def rows(
    *rows: tuple[int, int, tuple[str, str, str], str, list[tuple[tuple[str, str, str], str]]],
    fragment: bool = False,
) -> Tree:
    return Tree(
        _kernel.tree_from_rows([(*row, 0) for row in rows], False, fragment, DEFAULT_LIMITS)
    )


A = ("", "", "a")
NO = ("", "", "")
ROOT = (1, 1, A, "", [])

NOT_EXPRESSIBLE = {
    "no root": rows(),
    "two roots": rows(ROOT, ROOT),
    "text beside the root": rows(ROOT, (2, 1, NO, "x", [])),
    "doctype behind the root": rows(ROOT, (5, 1, A, "", [])),
    "adjacent texts": rows(ROOT, (2, 2, NO, "x", []), (2, 2, NO, "y", [])),
    "empty text": rows(ROOT, (2, 2, NO, "", [])),
    "control character": rows(ROOT, (2, 2, NO, "\x01", [])),
    "U+FFFE": rows(ROOT, (2, 2, NO, "\ufffe", [])),
    "double hyphen": rows(ROOT, (3, 2, NO, "a--b", [])),
    "hyphen at the end": rows(ROOT, (3, 2, NO, "a-", [])),
    "carriage return in a comment": rows(ROOT, (3, 2, NO, "a\rb", [])),
    "end of an instruction inside": rows(ROOT, (4, 2, A, "a?>b", [])),
    "blank before the data": rows(ROOT, (4, 2, A, " a", [])),
    "instruction xml": rows((4, 1, ("", "", "xMl"), "", []), ROOT),
    "instruction with a colon": rows((4, 1, ("", "", "a:b"), "", []), ROOT),
    "odd name": rows((1, 1, ("", "", "@a"), "", [])),
    "colon in a name": rows((1, 1, ("", "", "a:b"), "", [])),
    "undeclared prefix": rows((1, 1, ("p", "urn:p", "a"), "", [])),
    "undeclared namespace": rows((1, 1, ("", "urn:p", "a"), "", [])),
    "prefix of another namespace": rows(
        (1, 1, ("p", "urn:p", "a"), "", [(("xmlns", XMLNS, "p"), "urn:q")])
    ),
    "default namespace not undone": rows(
        (1, 1, ("", "urn:p", "a"), "", [(("", XMLNS, "xmlns"), "urn:p")]), (1, 2, A, "", [])
    ),
    "prefix for no namespace": rows((1, 1, A, "", [(("xmlns", XMLNS, "p"), "")])),
    "declared as an ordinary attribute": rows((1, 1, A, "", [(("", "", "xmlns"), "urn:p")])),
    "two attributes of one name": rows((1, 1, A, "", [(A, "1"), (A, "2")])),
    "attribute with a namespace and no prefix": rows((1, 1, A, "", [(("", "urn:p", "b"), "1")])),
    "public identifier alone": rows((5, 1, A, "", [(("", "", "public"), "x")]), ROOT),
    "quotes of both kinds": rows((5, 1, A, "", [(("", "", "system"), "'\"")]), ROOT),
    "xml:id with blanks": rows(
        (1, 1, A, "", [(("xml", "http://www.w3.org/XML/1998/namespace", "id"), " x")])
    ),
    "subset that is none": rows((5, 1, A, "<!ELEMENT", []), ROOT),
    "default that is not there": rows((5, 1, A, "<!ATTLIST a b CDATA '1'>", []), ROOT),
    "tokens with blanks": rows(
        (5, 1, A, "<!ATTLIST a b NMTOKENS #IMPLIED>", []), (1, 1, A, "", [(("", "", "b"), " x")])
    ),
    "fragment that begins with a mark": rows((2, 1, NO, "\ufeffx", []), fragment=True),
    "doctype in a fragment": rows((5, 1, A, "", []), ROOT, fragment=True),
}


@pytest.mark.parametrize("tree", NOT_EXPRESSIBLE.values(), ids=NOT_EXPRESSIBLE.keys())
def test_what_xml_cannot_express(tree: Tree) -> None:
    assert not is_expressible_xml(tree)
    with pytest.raises((AssertionError, UsageError, ParseError)):
        assert read(to_xml(tree), tree) == tree


EXPRESSIBLE = {
    "characters": (
        "<a b='&#9;&#10;&#13; &lt;&amp;&quot;'>x&#13;\ty]]&gt;&#x10FFFF;<![CDATA[<&]]></a>"
    ),
    "namespaces": "<p:a xmlns:p='urn:p' xmlns='urn:d' p:b='' b=''><c xmlns=''/></p:a>",
    "prolog": (
        "<?xml version='1.0' standalone='yes'?><!--x--><?y z?><!DOCTYPE a PUBLIC '-//X//Y'"
        ' "it\'s"><a/><!--z-->'
    ),
    "defaults": (
        "<!DOCTYPE a [<!ATTLIST a b CDATA '1' c NMTOKENS ' x  y ' xmlns CDATA 'urn:d'>]><a><a"
        " b='2'/></a>"
    ),
    "types": (
        "<!DOCTYPE a [<!ATTLIST a b ID #IMPLIED c NMTOKENS #IMPLIED>]><a b=' x ' c=' y "
        " z&#9;&#9;w '/>"
    ),
    "entities": "<!DOCTYPE a [<!ENTITY e '<b>x</b>&#38;amp;'>]><a>&e;&e;</a>",
    "unknown entity": "<!DOCTYPE a SYSTEM 'a.dtd'><a b='&no;'>x&no;y</a>",
}


@pytest.mark.parametrize("text", EXPRESSIBLE.values(), ids=EXPRESSIBLE.keys())
@pytest.mark.parametrize("defaults", [True, False])
def test_what_xml_can_express(text: str, defaults: bool) -> None:
    tree = parse(text, format="xml")
    assert is_expressible_xml(tree)
    assert read(to_xml(tree, defaults=defaults), tree) == tree


def test_defaults_and_doctype_may_be_left_out() -> None:
    tree = parse("<!DOCTYPE a [<!ATTLIST a b CDATA '1'>]><a c='2'/>", format="xml")
    assert to_xml(tree, defaults=False) == "<!DOCTYPE a [<!ATTLIST a b CDATA '1'>]>\n<a c=\"2\"/>"
    assert to_xml(tree, doctype=False) == '<a c="2" b="1"/>'


def test_the_declaration_says_what_is_known() -> None:
    tree = parse("<?xml version='1.0' standalone='yes'?><a/>", format="xml")
    assert (
        to_xml(tree, declaration=True)
        == '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a/>'
    )


def test_what_html_has_and_xml_has_not_is_refused_or_replaced() -> None:
    page = parse(
        "<!doctype html><html lang=de xml:lang=de xmlns:og=x><p"
        " @click='go\f\x01()'>a<o:p></o:p><br><!-- a--b- --><svg xmlns='x' xlink:href=y />"
    )
    with pytest.raises(UsageError, match=r'node \d+ \(<html>, line 1\) .*on_invalid="replace"'):
        to_xml(page)
    text = to_xml(page, on_invalid="replace")
    assert (
        text == '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="de"'
        ' xml:lang="de"><head></head><body><p U000040click="go'
        ' \ufffd()">a<oU00003Ap></oU00003Ap><br/><!-- a- -b- --><svg'
        ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' xlink:href="y"/></p></body></html>'
    )
    etree.fromstring(text.encode())


def test_a_hundred_thousand_levels_are_no_trouble() -> None:
    text = "<a>" * 100_000 + "</a>" * 100_000
    tree = parse(text, format="xml")
    assert to_xml(tree) == text.replace("<a></a>", "<a/>")
    assert len(tree.to_c14n()) == len(text)


def test_output_is_bounded() -> None:
    name = "a" * 10_000
    tree = parse(f"<{name}>" + f"<{name}/>" * 100 + f"</{name}>", format="xml")
    with pytest.raises(LimitError, match="memory"):
        to_xml(tree, limits=Limits(memory=100_000))


def test_every_document_of_the_w3c_suite_reads_back_equal(corpus: Path) -> None:
    with (corpus / "conformance/xml/index.csv").open(encoding="utf-8", newline="") as lines:
        files = [
            corpus / "conformance/xml/xmlconf" / case["file"] for case in csv.DictReader(lines)
        ]
    count = 0
    for file in files:
        try:
            tree = parse(file.read_bytes(), format="xml")
        except ParseError:
            continue
        count += 1
        assert is_expressible_xml(tree), file
        for defaults in (True, False):
            assert read(to_xml(tree, defaults=defaults), tree) == tree, file
    assert count > 900


@pytest.mark.slow
def test_real_pages_become_well_formed(corpus: Path) -> None:
    pages = sorted((corpus / "data/pages").rglob("*.html*"))
    assert pages
    for file in pages:
        text = to_xml(parse(file, format="html"), on_invalid="replace")
        etree.fromstring(text.encode(), etree.XMLParser(huge_tree=True))
