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


LINES = "<!--c-->\n<p>a<br/>b</p>\n<?x y?>"


def test_lines_come_along_where_the_library_knows_them():
    from lxml import etree

    bs4 = pytest.importorskip("bs4")
    soup = tl.parse(bs4.BeautifulSoup(LINES, "html.parser"))
    assert [(node.tag, node.line) for node in soup if node.line] == [("p", 2), ("br", 2)]
    tree = tl.parse(etree.fromstring(f"<r>{LINES}</r>"))
    assert [(node.tag, node.line) for node in tree if node.line] == [
        ("r", 1),
        ("#comment", 1),
        ("p", 2),
        ("br", 2),
        ("#instruction", 3),
    ]


def test_lxml_trees_are_html_by_their_parser():
    import io

    from lxml import etree

    tree = tl.parse(etree.parse(io.BytesIO(b"<p>a<br>b"), etree.HTMLParser()))
    assert (tree.format, tree.root.tag) == ("html", "html")
    assert tl.parse(etree.fromstring("<p/>")).format == "xml"


@pytest.mark.parametrize(
    ("doctype", "ids"),
    [
        ("html", {}),
        ('html SYSTEM "about:legacy-compat"', {"system": "about:legacy-compat"}),
        ('html PUBLIC "-//W3C//DTD" "x.dtd"', {"public": "-//W3C//DTD", "system": "x.dtd"}),
        ("html PUBLIC '-//W3C//DTD'", {"public": "-//W3C//DTD"}),
    ],
)
def test_the_doctype_of_a_soup_keeps_its_names(doctype, ids):
    bs4 = pytest.importorskip("bs4")
    tree = tl.parse(bs4.BeautifulSoup(f"<!DOCTYPE {doctype}><p>a", "html.parser"))
    found = tree.document.children[0]
    assert (found.kind, found.name.local, found.attributes) == (tl.Kind.DOCTYPE, "html", ids)


def test_an_element_of_a_soup_is_a_fragment_and_declarations_are_left_out():
    bs4 = pytest.importorskip("bs4")
    soup = bs4.BeautifulSoup("<?go on?><?xml version='1.0'?><p>a</p>", "html.parser")
    assert [node.tag for node in tl.parse(soup)] == ["#document", "#instruction", "p", "#text"]
    assert not tl.parse(soup).is_fragment
    assert tl.parse(soup.p).is_fragment


@pytest.mark.parametrize(
    ("text", "words"),
    [("<!--c-->", "this tree has no element"), ("<a/><b/>", "several top elements")],
)
def test_what_lxml_cannot_hold_is_refused_by_name(text, words):
    tree = tl.parse(text, format="xml", fragment=True)
    with pytest.raises(tl.UsageError, match=words):
        tree.to_lxml()
