"""HTML as browsers read it: what stands beside the tree, fragments, encodings, characters."""

from __future__ import annotations

import pytest

from treelace import Limits, parse
from treelace.errors import LimitError, UsageError
from treelace.tree import Tree


def html(source: str | bytes, **options: object) -> Tree:
    return parse(source, format="html", **options)


def brackets(source: str | bytes, **options: object) -> str:
    return html(source, **options).to_brackets()


def test_lines_are_those_where_tags_start() -> None:
    tree = html('<!doctype html>\n<p\n class="a\nb"\n>one\r\ntwo\r<b>three</b>\n\n<i>four')
    assert {node.tag: node.line for node in tree.elements if node.tag in "pbi"} == {
        "p": 2,
        "b": 7,
        "i": 9,
    }


def test_problems_have_lines_and_words() -> None:
    tree = html("<!doctype html>\n<p a a>\n</div>\n&nosuch;\0")
    assert [(problem.line, problem.message) for problem in tree.problems] == [
        (2, "duplicate-attribute"),
        (3, "Unexpected token: </div>"),
        (4, "unknown-named-character-reference"),
        (4, "unexpected-null-character"),
        (4, "Unexpected token"),
    ]


def test_a_thousand_problems_are_kept_and_all_are_counted() -> None:
    tree = html("<!doctype html>" + "</b>" * 1500)
    assert len(tree.problems) == 1000
    assert tree.problem_count == 1500


@pytest.mark.parametrize(
    ("doctype", "quirks"),
    [
        ("<!doctype html>", "no-quirks"),
        ("", "quirks"),
        (
            (
                '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"'
                ' "http://www.w3.org/TR/html4/loose.dtd">'
            ),
            "limited-quirks",
        ),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//EN">', "quirks"),
    ],
)
def test_quirks(doctype: str, quirks: str) -> None:
    assert html(doctype + "<p>").quirks == quirks


def test_scripting_is_off() -> None:
    assert brackets("<body><noscript><p>x</noscript>") == "{html{head}{body{noscript{p}}}}"


def test_template_contents_are_children_and_marked() -> None:
    tree = html("<template><p><template><b></template></template><i>")
    marked = {node.tag: tree._core.in_template(node.index) for node in tree.elements}
    assert marked == {
        "html": False,
        "head": False,
        "template": True,
        "p": True,
        "b": True,
        "body": False,
        "i": False,
    }
    assert tree.to_brackets() == "{html{head{template{p{template{b}}}}}{body{i}}}"
    assert [node.tag for node in tree.elements if node.element_index is not None] == [
        "html",
        "head",
        "template",
        "body",
        "i",
    ]


def test_a_declarative_shadow_root_stays_a_template() -> None:
    assert (
        brackets('<div><template shadowrootmode="open"><p></template></div>')
        == "{html{head}{body{div{template{p}}}}}"
    )


@pytest.mark.parametrize(
    ("context", "markup", "expected"),
    [
        ("body", "<td>x<p>y", "{p}"),
        ("tr", "<td>x<td>y", "{td}{td}"),
        ("svg svg", "<clippath/><p/>", "{clipPath}{p}"),
        ("svg desc", "<clippath><p>", "{clippath{p}}"),
        ("math mi", "<mglyph/><b>", "{mglyph}{b}"),
        ("select", "<input><option>", "{option}"),
        ("textarea", "<b>", ""),
        ("template", "<tr><td>", "{tr{td}}"),
    ],
)
def test_fragments(context: str, markup: str, expected: str) -> None:
    tree = html(markup, fragment=context)
    assert tree.to_brackets() == expected
    assert tree.is_fragment


@pytest.mark.parametrize("context", ["", " ", "xml p", "a b c", "p>"])
def test_what_is_no_context(context: str) -> None:
    if context:
        with pytest.raises(UsageError, match="is no context"):
            html("<p>", fragment=context)


def test_selectedcontent_shows_the_selected_option() -> None:
    select = (
        "<select><button><selectedcontent>old</selectedcontent></button><option>a<option"
        " {}><b>x</b>y</select>"
    )
    shown = [
        node for node in html(select.format("selected")).elements if node.tag == "selectedcontent"
    ]
    assert [child.tag if child.is_element else child.text for child in shown[0].children] == [
        "b",
        "y",
    ]
    shown = [node for node in html(select.format("")).elements if node.tag == "selectedcontent"]
    assert [child.text for child in shown[0].children] == ["a"]
    shown = [
        node
        for node in html(
            select.format("selected").replace("<select>", "<select multiple>")
        ).elements
        if node.tag == "selectedcontent"
    ]
    assert [child.text for child in shown[0].children] == ["old"]


# encodings


@pytest.mark.parametrize(
    ("source", "transport", "encoding", "text"),
    [
        (b"\xef\xbb\xbf<p>\xc3\xa4", "latin1", "UTF-8", "ä"),
        (b"\xff\xfe<\0p\0>\0\xe4\0", None, "UTF-16LE", "ä"),
        (b"<meta charset=koi8-r><p>\xc1", "windows-1252", "windows-1252", "Á"),
        (b"<meta charset=koi8-r><p>\xc1", "text/html; charset=UTF-8", "UTF-8", "�"),
        (b"<meta charset=koi8-r><p>\xc1", None, "KOI8-R", "а"),
        (b"<!--" + b"x" * 2000 + b"--><meta charset=koi8-r><p>\xc1", None, "KOI8-R", "а"),
        (
            b"<!--" + b"x" * 2000 + b"--><meta charset=nosuch><meta charset=koi8-r><p>\xc1",
            None,
            "KOI8-R",
            "а",
        ),
        (b"<p>\xc3\xa4", None, "UTF-8", "ä"),
        (b"<p>na\xefve caf\xe9", None, "windows-1252", "naïve café"),
        (b"<meta charset=utf-16><p>\xc3\xa4", None, "UTF-8", "ä"),
    ],
)
def test_encodings(source: bytes, transport: str | None, encoding: str, text: str) -> None:
    tree = html(source, encoding=transport)
    assert tree.encoding == encoding
    assert next(node for node in tree.elements if node.tag == "p").text == text


def test_text_has_no_encoding() -> None:
    assert html("<meta charset=koi8-r>ä").encoding is None


def test_bytes_that_are_not_of_the_encoding_are_replaced_and_said() -> None:
    tree = html(b"<!doctype html><meta charset=utf-8>\n<p>a\xffb")
    assert tree.problems[0] == (2, "bytes that are not UTF-8 became U+FFFD")
    assert tree.root is not None and tree.root.text.strip() == "a�b"


def test_surrogates_that_stand_alone_are_replaced_and_said() -> None:
    tree = html("<!doctype html>\n<p>a\ud800b\udfffc😀")
    assert tree.problems == [(2, "surrogates that stood alone became U+FFFD")]
    assert tree.root is not None and tree.root.text == "a�b�c😀"


def test_null_characters() -> None:
    tree = html("<!doctype html><p a='\0'>x\0y<!--\0--><svg>\0</svg><textarea>\0</textarea>")
    assert [node.text for node in tree if not node.is_element and node.index and node.text] == [
        "xy",
        "�",
        "�",
        "�",
    ]
    assert next(node for node in tree.elements if node.tag == "p").attributes["a"] == "�"


def test_the_byte_limit_is_for_the_source_not_the_text() -> None:
    source = b"<p>" + b"\xe4" * 50
    assert html(source, limits=Limits(bytes=60), encoding="latin1").root is not None
    with pytest.raises(LimitError, match="bytes of input"):
        html(source, limits=Limits(bytes=52))
