"""Trees of other libraries come in with their shape, and go out to lxml."""

from __future__ import annotations

import pytest

import treelace as tl

PAGE = (
    "<!DOCTYPE html><html><head><title>T</title></head><body><!--c--><p class='a"
    " b'>one<b>two</b>three</p>tail</body></html>"
)


def shape(tree: tl.Tree) -> list[tuple[int, str, str]]:
    return [
        (node.depth, node.tag, node.text if node.kind is tl.Kind.TEXT else "")
        for node in tree
        if node.kind is not tl.Kind.DOCTYPE
    ]


def test_lxml_documents_keep_their_shape():
    import lxml.html

    tree = tl.parse(lxml.html.document_fromstring(PAGE).getroottree())
    assert shape(tree) == shape(tl.parse(PAGE))
    assert tree.format == "html"


def test_an_lxml_element_inside_a_document_is_a_fragment():
    import lxml.html

    paragraph = lxml.html.document_fromstring(PAGE).find(".//p")
    tree = tl.parse(paragraph)
    assert tree.is_fragment
    assert tree.root.text == "onetwothree"
    assert "tail" not in tree.document.text


def test_contents_of_a_template_are_marked_as_when_parsed():
    import lxml.html

    page = "<body><template><i>a</i><template><u>b</u></template></template><b>c</b>"
    tree = tl.parse(lxml.html.document_fromstring(page).getroottree())
    assert [node.tag for node in tree.select("*")] == [
        node.tag for node in tl.parse(page).select("*") if node.tag != "head"
    ]
    assert [node.element_index for node in tree if node.tag in ("i", "u", "b")] == [None, None, 3]


def test_lxml_namespaces_and_top_level_nodes_survive():
    from lxml import etree

    text = b'<?pi data?><!--x--><a xmlns="urn:a" xmlns:p="urn:p" p:k="v"><p:b>t</p:b>u</a><!--y-->'
    tree = tl.parse(etree.fromstring(text).getroottree())
    assert [node.tag for node in tree.document.children] == [
        "#instruction",
        "#comment",
        "{urn:a}a",
        "#comment",
    ]
    assert tree.root.attributes == {"xmlns": "urn:a", "xmlns:p": "urn:p", "{urn:p}k": "v"}
    assert etree.tostring(tree.to_lxml(), method="c14n") == etree.tostring(
        etree.fromstring(text).getroottree(), method="c14n"
    )


def test_parsel_and_beautiful_soup():
    bs4 = pytest.importorskip("bs4")
    parsel = pytest.importorskip("parsel")
    wanted = shape(tl.parse(PAGE))
    assert shape(tl.parse(bs4.BeautifulSoup(PAGE, "html.parser"))) == wanted
    assert shape(tl.parse(parsel.Selector(PAGE))) == wanted


def test_what_is_no_document_is_refused_by_name():
    with pytest.raises(tl.UsageError, match="cannot read a document from int"):
        tl.parse(3)


def test_a_tree_without_an_element_cannot_go_to_lxml():
    with pytest.raises(tl.UsageError, match="no element"):
        tl.Tree.from_brackets("").to_lxml()
