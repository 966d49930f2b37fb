"""A tree as lxml has it. lxml is imported when this is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace.errors import MissingError, UsageError
from treelace.tree.names import Kind

if TYPE_CHECKING:
    from treelace.tree.node import Node
    from treelace.tree.tree import Tree

_XMLNS = "http://www.w3.org/2000/xmlns/"


def to_lxml(tree: Tree) -> Any:
    """The tree as an lxml `ElementTree`; see `Tree.to_lxml`."""
    try:
        from lxml import etree
    except ImportError as error:
        raise MissingError("to_lxml", package="lxml", extra="lxml") from error
    root = tree.root
    if root is None:
        raise UsageError("this tree has no element: lxml cannot hold it")
    made: dict[int, Any] = {}
    try:
        for node in [root, *root.descendants]:
            above: Any = None if node is root or node.parent is None else made[node.parent.index]
            if node.kind is Kind.TEXT:
                _add_text(above, node.text)
            elif node.kind is Kind.ELEMENT:
                made[node.index] = _lxml_element(etree, node, above)
            else:
                above.append(_lxml_leaf(etree, node))
        beside = [
            node for node in tree.document.children if node.kind in (Kind.COMMENT, Kind.INSTRUCTION)
        ]
        for node in beside:
            if node.index < root.index:
                made[root.index].addprevious(_lxml_leaf(etree, node))
        for node in reversed(beside):
            if node.index > root.index:
                made[root.index].addnext(_lxml_leaf(etree, node))
    except ValueError as error:
        raise UsageError(f"lxml cannot hold this tree: {error}") from error
    if any(node.is_element and node.index != root.index for node in tree.document.children):
        raise UsageError("this tree has several top elements: lxml holds one")
    return made[root.index].getroottree()


def _lxml_leaf(etree: Any, node: Node) -> Any:
    return (
        etree.Comment(node.text)
        if node.kind is Kind.COMMENT
        else etree.ProcessingInstruction(node.name.local, node.text)
    )


def _lxml_element(etree: Any, node: Node, above: Any) -> Any:
    is_html = node.tree.format == "html"
    rows = node.tree.attribute_rows(node.index)
    declared = (
        {}
        if is_html
        else {
            local if prefix else None: uri
            for prefix, space, local, uri in rows
            if space == _XMLNS and uri
        }
    )
    attributes = {
        f"{{{uri}}}{local}" if uri else local: value
        for _, uri, local, value in rows
        if uri != _XMLNS
    }
    tag = (
        node.name.local
        if is_html or not node.name.namespace
        else f"{{{node.name.namespace}}}{node.name.local}"
    )
    return (
        etree.Element(tag, attributes, nsmap=declared)
        if above is None
        else etree.SubElement(above, tag, attributes, nsmap=declared)
    )


def _add_text(above: Any, text: str) -> None:
    if len(above):
        above[-1].tail = (above[-1].tail or "") + text
    else:
        above.text = (above.text or "") + text
