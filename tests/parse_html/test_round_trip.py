"""What is written as HTML reads back equal, for every tree that HTML can express (`html_obstacle`
states which).
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import corpus
from tests.strategies import page_trees
from treelace import Tree, _kernel, parse
from treelace.limits import DEFAULT_LIMITS

HTML, SVG, MATHML = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1998/Math/MathML",
)
ELEMENT, TEXT, COMMENT, DOCTYPE = 1, 2, 3, 5
NAMES = """a b p div span ul li dl dd table caption colgroup col tbody tr td form select option
optgroup button input h1 pre textarea object template script style title noscript
ruby rt nobr br hr img link svg math body html head plaintext""".split()
FOREIGN = {
    "svg": SVG,
    "foreignObject": SVG,
    "desc": SVG,
    "math": MATHML,
    "mi": MATHML,
    "mglyph": MATHML,
    "annotation-xml": MATHML,
}
TEXTS = [
    " ",
    "x",
    "\n",
    "\nx",
    "<b>",
    "&amp;",
    "\r",
    "\xa0",
    "</script>",
    "<!--<script>",
    "</form>",
    "\ufeffy",
    '"',
]
COMMENTS = ["c", "", "-", "->x", "a-->b", "--!>", ">", "<!--", "a--!"]
ATTRIBUTES = ["class", "type", "encoding", "color", "a b", "A", "viewBox", "=x", 'q"']
VALUES = ["hidden", "text/html", 'x\n"<>&\r\xa0', ""]

Name = tuple[str, str, str]
Row = tuple[int, int, Name, str, list[tuple[Name, str]], int]
NOTHING: Name = ("", "", "")


@st.composite
def rows(draw: st.DrawFn, level: int, size: int) -> list[Row]:
    """Nodes below a level, the sensible and the impossible alike."""
    found: list[Row] = []
    depths = [(level, HTML)]
    for _ in range(draw(st.integers(0, size))):
        depths = depths[: draw(st.integers(1, len(depths)))]
        depth, around = depths[-1]
        kind = draw(st.sampled_from([ELEMENT, ELEMENT, ELEMENT, TEXT, COMMENT]))
        if kind == TEXT:
            found.append((TEXT, depth, NOTHING, draw(st.sampled_from(TEXTS)), [], 0))
        elif kind == COMMENT:
            found.append((COMMENT, depth, NOTHING, draw(st.sampled_from(COMMENTS)), [], 0))
        else:
            name = draw(st.sampled_from([*NAMES, *FOREIGN]))
            namespace = FOREIGN.get(name, draw(st.sampled_from([HTML, around])))
            named = draw(
                st.lists(
                    st.tuples(st.sampled_from(ATTRIBUTES), st.sampled_from(VALUES)), max_size=1
                )
            )
            found.append(
                (
                    ELEMENT,
                    depth,
                    ("", namespace, name),
                    "",
                    [(("", "", key), value) for key, value in named],
                    0,
                )
            )
            depths.append((depth + 1, namespace))
    return found


@st.composite
def html_trees(draw: st.DrawFn) -> Tree:
    """Fragments, and documents with html, head and body."""
    if draw(st.booleans()):
        return Tree(_kernel.tree_from_rows(draw(rows(1, 8)), True, True, DEFAULT_LIMITS))
    doctype: list[Row] = [(DOCTYPE, 1, ("", "", "html"), "", [], 0)] if draw(st.booleans()) else []
    html, head, body = (
        (ELEMENT, level, ("", HTML, name), "", [], 0)
        for level, name in ((1, "html"), (2, "head"), (2, "body"))
    )
    return Tree(
        _kernel.tree_from_rows(
            [*doctype, html, head, *draw(rows(3, 3)), body, *draw(rows(3, 7))],
            True,
            False,
            DEFAULT_LIMITS,
        )
    )


def again(tree: Tree) -> Tree:
    """The tree, written and read."""
    return parse(
        _kernel.write_html(tree._core, 0, DEFAULT_LIMITS), format="html", fragment=tree.is_fragment
    )


def is_equal(left: Tree, right: Tree) -> bool:
    return _kernel.equal(left._core, right._core)


@given(html_trees())
def test_what_html_can_express_reads_back_equal(tree: Tree) -> None:
    if _kernel.html_obstacle(tree._core) is None:
        assert is_equal(again(tree), tree), _kernel.write_html(tree._core, 0, DEFAULT_LIMITS)


@given(page_trees())
def test_pages_read_back_equal(tree: Tree) -> None:
    assert is_equal(again(tree), tree)


@given(st.text(alphabet=list("<>/!-=\"'&; \n\r\0abptdr"), max_size=60))
def test_what_is_read_from_soup_is_a_whole_tree(soup: str) -> None:
    tree = parse(soup, format="html")
    _kernel.check_tree(tree._core)
    if _kernel.html_obstacle(tree._core) is None:
        assert is_equal(again(tree), tree)


REFUSED = {
    "<p>": ("p", "p"),
    "a row outside a table": ("div", "tr"),
    "a link in a link": ("a", "a"),
    "a form in a form": ("form", "form"),
    "contents of br": ("br", "b"),
    "an item in an item": ("li", "li"),
    "html inside svg": ("svg", "b"),
}


@pytest.mark.parametrize(("outer", "inner"), REFUSED.values(), ids=REFUSED.keys())
def test_what_html_cannot_express_is_refused_and_does_not_read_back(outer: str, inner: str) -> None:
    made: list[Row] = [
        (ELEMENT, level, ("", FOREIGN.get(name, HTML), name), "", [], 0)
        for level, name in ((1, outer), (2, inner))
    ]
    tree = Tree(_kernel.tree_from_rows(made, True, True, DEFAULT_LIMITS))
    found = _kernel.html_obstacle(tree._core)
    assert found is not None and found[0] == 2
    assert not is_equal(again(tree), tree)


KEPT = [
    "<!DOCTYPE html><pre>\n\nx</pre><textarea>\n\n</textarea><listing>\n\ny</listing>",
    "<!DOCTYPE html><p>&#13;&nbsp;&lt;<b title='&quot;&#13;<>'>x",
    (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN"'
        ' "http://www.w3.org/TR/html4/strict.dtd"><p>x'
    ),
    "<!DOCTYPE html SYSTEM 'a\"b'><p>x",
    "<!DOCTYPE html bogus><p><table><td>x",
    "<p><table><td>x",
    "<!DOCTYPE html><div><plaintext>a</plaintext></div>",
    "<!DOCTYPE html><form id=outer><div></form><form id=inner><input></form>x</div>y",
    (
        "<!DOCTYPE"
        " html><div><form><table><tr><td></form><form><input></form></td></tr></table>z</div>w"
    ),
    (
        "<!DOCTYPE html><svg viewBox=a"
        " xlink:href=b><foreignObject><p>x</foreignObject><clipPath/></svg>"
    ),
    "<!DOCTYPE html><template><tr><td>x</template><script>a<b && '<!--'</script>",
    (
        "<!-- a --><!DOCTYPE html><!-- b --><html><head></head> <!-- c --><body>x</body><!-- d"
        " --></html><!-- e -->"
    ),
]


@pytest.mark.parametrize("source", KEPT)
def test_what_the_standard_would_lose_is_kept(source: str) -> None:
    tree = parse(source, format="html")
    read = again(tree)
    assert is_equal(read, tree)
    assert read.quirks == tree.quirks


def test_a_mark_overrules_a_declared_encoding() -> None:
    tree = parse(b"<!DOCTYPE html><meta charset=iso-8859-2><p>\xb1&rsquo;", format="html")
    written = _kernel.write_html_bytes(tree._core, DEFAULT_LIMITS)
    assert written.startswith(b"\xef\xbb\xbf")
    read = parse(written, format="html")
    assert is_equal(read, tree)
    assert _kernel.write_html_bytes(read._core, DEFAULT_LIMITS) == written
    assert not _kernel.write_html_bytes(
        parse("<meta charset=utf-8>ä", format="html")._core, DEFAULT_LIMITS
    ).startswith(b"\xef")


@pytest.mark.parametrize(
    "path",
    corpus.cases(lambda folder: sorted((folder / "data/pages").glob("*.html.gz"))),
    ids=lambda path: getattr(path, "stem", None),
)
def test_real_pages_are_written_the_same_again(path: Path) -> None:
    tree = parse(gzip.decompress(path.read_bytes()), format="html")
    written = _kernel.write_html_bytes(tree._core, DEFAULT_LIMITS)
    read = parse(written, format="html")
    assert is_equal(read, tree)
    assert _kernel.write_html_bytes(read._core, DEFAULT_LIMITS) == written
