"""Trees of other libraries, read by duck type: none of those packages is imported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import Limits
from treelace.tree.names import HTML_NAMESPACE, Kind
from treelace.tree.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

NameParts = tuple[str, str, str]
Row = tuple[int, int, NameParts, str, list[tuple[NameParts, str]], int]

_NO_NAME: NameParts = ("", "", "")
_XML = "http://www.w3.org/XML/1998/namespace"
_XMLNS = "http://www.w3.org/2000/xmlns/"


def tree_from(source: Any, *, limits: Limits) -> Tree:
    """A Tree of the same shape from an lxml element or tree, parsel selector or BeautifulSoup."""
    kind = type(source)
    package = kind.__module__.split(".")[0]
    # BeautifulSoup answers every attribute name, so it is asked for first
    if package == "bs4" and hasattr(source, "contents"):
        return _from_soup(source, limits)
    if hasattr(source, "root") and hasattr(source, "css") and hasattr(source, "xpath"):
        source = source.root
        kind = type(source)
        package = kind.__module__.split(".")[0]
    if package == "lxml" and hasattr(source, "docinfo"):
        return _from_lxml(source.getroot(), source, limits)
    if package == "lxml" and hasattr(source, "iterchildren"):
        return _from_lxml(
            source, source.getroottree() if source.getparent() is None else None, limits
        )
    raise UsageError(
        f"cannot read a document from {kind.__name__}: give str, bytes, a path, an open file, lxml,"
        " parsel or BeautifulSoup"
    )


def _build(rows: Iterator[Row], *, is_html: bool, is_fragment: bool, limits: Limits) -> Tree:
    return Tree(_kernel.tree_from_rows(list(rows), is_html, is_fragment, limits))


# lxml


def _from_lxml(top: Any, document: Any, limits: Limits) -> Tree:
    if top is None:
        raise UsageError("this lxml tree has no root element")
    is_html = (
        type(top).__module__ == "lxml.html"
        or type(top.getroottree().parser).__name__ == "HTMLParser"
    )
    return _build(
        _lxml_rows(top, document, is_html),
        is_html=is_html,
        is_fragment=document is None,
        limits=limits,
    )


def _lxml_rows(top: Any, document: Any, is_html: bool) -> Iterator[Row]:
    if document is not None:
        if document.docinfo.doctype:
            info = document.docinfo
            ids = [
                (("", "", key), value)
                for key, value in (("public", info.public_id), ("system", info.system_url))
                if value
            ]
            yield (Kind.DOCTYPE, 1, ("", "", info.root_name or ""), "", ids, 0)
        for node in reversed(list(top.itersiblings(preceding=True))):
            yield _lxml_row(node, 1, is_html, {})
    yield from _lxml_inside(top, is_html)
    if document is not None:
        for node in top.itersiblings():
            yield _lxml_row(node, 1, is_html, {})


def _lxml_inside(top: Any, is_html: bool) -> Iterator[Row]:
    open_nodes: list[tuple[Any, Iterator[Any]]] = []
    node = top
    while True:
        depth = len(open_nodes) + 1
        inherited = {} if node is top else open_nodes[-1][0].nsmap
        yield _lxml_row(node, depth, is_html, inherited)
        if isinstance(node.tag, str):
            if node.text:
                yield (Kind.TEXT, depth + 1, _NO_NAME, node.text, [], 0)
            open_nodes.append((node, iter(node)))
        elif node is not top and node.tail:
            yield (Kind.TEXT, depth, _NO_NAME, node.tail, [], 0)
        child = None
        while open_nodes and child is None:
            parent, children = open_nodes[-1]
            child = next(children, None)
            if child is None:
                open_nodes.pop()
                if parent is not top and parent.tail:
                    yield (Kind.TEXT, len(open_nodes) + 1, _NO_NAME, parent.tail, [], 0)
        if child is None:
            return
        node = child


def _lxml_row(node: Any, depth: int, is_html: bool, inherited: dict[str | None, str]) -> Row:
    line = node.sourceline or 0
    if not isinstance(node.tag, str):
        if "Comment" in type(node).__name__:
            return (Kind.COMMENT, depth, _NO_NAME, node.text or "", [], line)
        target = getattr(node, "target", None)
        if target is None:
            raise UsageError(
                f"an unexpanded entity {node!r} cannot be read: parse with resolve_entities=True"
            )
        return (Kind.INSTRUCTION, depth, ("", "", target), node.text or "", [], line)
    declared = node.nsmap.items()
    attributes = [
        (("xmlns", _XMLNS, key) if key else ("", _XMLNS, "xmlns"), uri)
        for key, uri in declared
        if inherited.get(key) != uri
    ]
    prefixes = {uri: key for key, uri in declared if key} | {_XML: "xml"}
    for key, value in node.attrib.items():
        uri, local = _split(key)
        attributes.append(((prefixes.get(uri, "") if uri else "", uri, local), value))
    uri, local = _split(node.tag)
    return (
        Kind.ELEMENT,
        depth,
        (node.prefix or "", uri or (HTML_NAMESPACE if is_html else ""), local),
        "",
        attributes,
        line,
    )


def _split(tag: str) -> tuple[str, str]:
    uri, brace, local = tag[1:].partition("}")
    return (uri, local) if tag.startswith("{") and brace else ("", tag)


# BeautifulSoup


def _from_soup(top: Any, limits: Limits) -> Tree:
    is_document = type(top).__name__ == "BeautifulSoup"
    is_html = not getattr(top, "is_xml", False)
    return _build(
        _soup_rows(top, is_document, is_html),
        is_html=is_html,
        is_fragment=not is_document,
        limits=limits,
    )


def _soup_rows(top: Any, is_document: bool, is_html: bool) -> Iterator[Row]:
    waiting: list[tuple[Any, int]] = (
        [(node, 1) for node in reversed(top.contents)] if is_document else [(top, 1)]
    )
    while waiting:
        node, depth = waiting.pop()
        if hasattr(node, "contents"):
            attributes = [
                (_soup_name(key), " ".join(value) if isinstance(value, list) else str(value))
                for key, value in node.attrs.items()
            ]
            uri = node.namespace or (HTML_NAMESPACE if is_html else "")
            local = node.name.removeprefix(f"{node.prefix}:") if node.prefix else node.name
            yield (
                Kind.ELEMENT,
                depth,
                (node.prefix or "", uri, local),
                "",
                attributes,
                node.sourceline or 0,
            )
            waiting.extend((child, depth + 1) for child in reversed(node.contents))
            continue
        kind, text = type(node).__name__, str(node)
        if kind == "Comment":
            yield (Kind.COMMENT, depth, _NO_NAME, text, [], 0)
        elif kind == "Doctype":
            name, _, rest = text.partition(" ")
            yield (Kind.DOCTYPE, depth, ("", "", name), "", _soup_ids(rest), 0)
        elif kind in ("ProcessingInstruction", "XMLProcessingInstruction"):
            target, _, data = text.rstrip("?").partition(" ")
            if target != "xml":
                yield (Kind.INSTRUCTION, depth, ("", "", target), data, [], 0)
        elif kind != "Declaration":
            yield (Kind.TEXT, depth, _NO_NAME, text, [], 0)


def _soup_name(key: Any) -> NameParts:
    text = str(key)
    if text == "xmlns":
        return ("", _XMLNS, "xmlns")
    if text.startswith("xmlns:"):
        return ("xmlns", _XMLNS, text[6:])
    if getattr(key, "namespace", None):
        return (key.prefix or "", key.namespace, key.name or text)
    return ("", "", text)


def _soup_ids(rest: str) -> list[tuple[NameParts, str]]:
    quoted = [first or second for first, second in re.findall(r'"([^"]*)"|\'([^\']*)\'', rest)]
    keys = ("public", "system") if rest.upper().startswith("PUBLIC") else ("system",)
    return [(("", "", key), value) for key, value in zip(keys, quoted, strict=False) if value]
