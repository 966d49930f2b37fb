"""CSS and XPath on real pages, the tree already there on both sides, expressions compiled on both
sides.

Both sides have the same tree: the page as an HTML parser reads it, written as XML without
namespaces, and read again by treelace and by lxml. Every answer is compared in every round, on
every page: elements by position, texts, strings and numbers by value. Pages that XML cannot write
are left out and counted in the note. parsel is given lxml's tree in its own selector object.
"""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import treelace as tl
from benchmarks.compare import Row, compare
from benchmarks.corpus import part

CSS = [
    "a",
    "a[href]",
    "#content",
    ".title",
    "div p a",
    "ul > li > a",
    "li:first-child",
    "tr:nth-child(2n+1) > td",
    "a[href^='http']:not([class])",
    "h2 + p, h3 ~ ul",
]
XPATH = [
    "//a",
    "//a/@href",
    "//div[@class]",
    "//*[@id='content']",
    "//div[contains(concat(' ', normalize-space(@class), ' '), ' item ')]//a",
    "//ul/li[1]/a",
    "//table//tr[position() > 1]/td[last()]",
    "//text()[normalize-space()]",
    "//h2/following-sibling::*[1]",
    "count(//a[starts-with(@href, 'http')])",
    "//img/ancestor::div[1]",
    "//li[.//a and not(.//img)]",
    "string(//title)",
    "//p | //li | //td",
]
INSIDE = [
    ("css", "a"),
    ("css", "span.title a"),
    ("xpath", ".//a/@href"),
    ("xpath", "count(descendant::*)"),
]
TURNS = 3
NAME = re.compile(r"[A-Za-z_][\w.-]*")
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Page:
    """One page on both sides."""

    def __init__(self, tree: tl.Tree, theirs: Any) -> None:
        from parsel import Selector

        self.tree = tree
        self.theirs = theirs
        self.selector = Selector(root=theirs.getroot(), type="xml")


def as_xml(tree: tl.Tree) -> str:
    """The tree as XML that knows no namespaces, as lxml's HTML trees do."""
    out: list[str] = []
    open_tags: list[tuple[int, str]] = []
    ends = tree.ends.tolist()
    for node in tree:
        while open_tags and open_tags[-1][0] <= node.index:
            out.append(f"</{open_tags.pop()[1]}>")
        if node.kind is tl.Kind.TEXT:
            out.append(escape(NOT_XML.sub("", node.text), {"\r": "&#13;"}))
        elif node.kind is tl.Kind.COMMENT:
            out.append(f"<!--{NOT_XML.sub('', node.text).replace('-', '=')}-->")
        elif node.is_element:
            attributes = {name.rpartition("}")[2]: value for name, value in node.attributes.items()}
            written = "".join(
                f" {name}={quoted(value)}"
                for name, value in attributes.items()
                if NAME.fullmatch(name) and name != "xmlns"
            )
            tag = node.name.local.replace(":", "-")
            out.append(f"<{tag}{written}>")
            open_tags.append((ends[node.index], tag))
    return "".join([*out, *(f"</{tag}>" for _, tag in reversed(open_tags))])


def quoted(value: str) -> str:
    return (
        '"'
        + escape(
            NOT_XML.sub("", value), {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
        )
        + '"'
    )


def pages(folder: Path) -> tuple[list[Page], int]:
    """The pages, and how many were left out."""
    from lxml import etree

    found: list[Page] = []
    left_out = 0
    for path in sorted(folder.glob("*.html.gz")):
        text = as_xml(tl.parse(gzip.decompress(path.read_bytes()).decode()))
        try:
            theirs = etree.fromstring(
                text.encode(), etree.XMLParser(huge_tree=True, resolve_entities=False)
            ).getroottree()
        except etree.XMLSyntaxError:
            left_out += 1
            continue
        found.append(Page(tl.parse(text, format="xml"), theirs))
    return found, left_out


def positions(page: Page, answer: Any) -> Any:
    """An answer of either side as something that compares: element positions, strings, numbers."""
    if not isinstance(answer, list):
        return answer
    kept = list(page.theirs.iter("*"))
    places = {id(node): place for place, node in enumerate(kept)}
    out: list[Any] = []
    for item in answer:
        if isinstance(item, tl.Node):
            out.append(item.element_index if item.is_element else item.text)
        elif isinstance(item, str):
            out.append(str(item))
        else:
            out.append(places[id(getattr(item, "root", item))])
    return out


def is_same(found: list[Page]) -> Callable[[list[Any], list[Any]], bool]:
    def same(ours: list[Any], theirs: list[Any]) -> bool:
        for page, left, right in zip(found, ours, theirs, strict=True):
            left, right = positions(page, left), positions(page, right)
            if left != right and not (
                isinstance(left, float) and math.isnan(left) and math.isnan(right)
            ):
                return False
        return True

    return same


def over(things: list[Any], ask: Callable[[Any], Any]) -> Callable[[], list[Any]]:
    def run() -> list[Any]:
        for _ in range(TURNS - 1):
            for thing in things:
                ask(thing)
        return [ask(thing) for thing in things]

    return run


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """Each expression against lxml, and against parsel."""
    from lxml import etree
    from lxml.cssselect import CSSSelector

    found, left_out = pages(part(corpus, "data", "pages"))
    trees = [page.tree for page in found]
    roots = [page.theirs for page in found]
    selectors = [page.selector for page in found]
    note = f"{len(found)} pages, {sum(len(tree) for tree in trees):,} nodes; {left_out} left out"
    made: list[Row] = []
    for place, expression in enumerate(CSS):
        css = tl.compile_css(expression)
        ours = ("compile_css", over(trees, css.select))
        said = note if place == 0 else ""
        theirs = ("lxml.cssselect", over(roots, CSSSelector(expression)))
        made.append(
            compare(
                shown(expression),
                ours,
                theirs,
                is_same=is_same(found),
                goal=1.0,
                rounds=rounds,
                note=said,
            )
        )
        parsel = ("parsel", over(selectors, ask_parsel(expression)))
        made.append(
            compare(
                shown(expression), ours, parsel, is_same=is_same(found), goal=1.0, rounds=rounds
            )
        )
    for expression in XPATH:
        xpath = tl.compile_xpath(expression)
        ours = ("compile_xpath", over(trees, xpath.evaluate))
        theirs = ("lxml XPath", over(roots, etree.XPath(expression)))
        made.append(
            compare(
                shown(expression), ours, theirs, is_same=is_same(found), goal=1.0, rounds=rounds
            )
        )
    for language, expression in INSIDE:
        made.append(inside(found, language, expression, rounds))
    return made


def ask_parsel(query: str) -> Callable[[Any], list[Any]]:
    return lambda selector: list(selector.css(query))


def inside(found: list[Page], language: str, expression: str, rounds: int) -> Row:
    """Many small questions: the same one asked of each `li`, `tr` and `p` of the pages."""
    from lxml import etree
    from lxml.cssselect import CSSSelector

    ours: list[Any] = [node for page in found for node in page.tree.select("li, tr, p")]
    theirs: list[Any] = [node for page in found for node in page.theirs.iter("li", "tr", "p")]
    ask: Callable[[Any], Any]
    ask_them: Callable[[Any], Any]
    if language == "css":
        ask, ask_them = tl.compile_css(expression).select, CSSSelector(expression, translator="xml")
    else:
        ask, ask_them = tl.compile_xpath(expression).evaluate, etree.XPath(expression)
    count = len(ours)
    mine = (f"compile_{language}", lambda: [ask(node) for node in ours])
    rival = (f"lxml {language}", lambda: [ask_them(node) for node in theirs])
    return compare(
        f"{shown(expression)} inside each of {count:,} elements",
        mine,
        rival,
        is_same=lambda left, right: [size(it) for it in left] == [size(it) for it in right],
        goal=1.0,
        rounds=rounds,
    )


def shown(expression: str) -> str:
    """The expression as a cell of a table."""
    return "`" + expression.replace("|", "\\|") + "`"


def size(answer: Any) -> Any:
    return len(answer) if isinstance(answer, list) else answer
