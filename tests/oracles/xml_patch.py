"""RFC 5261 by lxml: a plain applier for XML patches, nothing of ours in it. White space counts;
`ws` is honoured for removals.
"""

from __future__ import annotations

import copy
from typing import Any

from lxml import etree


class PatchError(Exception):
    """The patch cannot be applied."""


def apply(document: bytes, patch: bytes) -> Any:
    """The patched document, as lxml has it."""
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True)
    tree = etree.ElementTree(etree.fromstring(document, parser))
    for step in etree.fromstring(patch, parser):
        if isinstance(step.tag, str):
            _step(tree, step)
    return tree


def _step(tree: Any, step: Any) -> None:
    name = etree.QName(step).localname
    selector = step.get("sel") or "/*"
    found = tree.xpath(
        selector if selector.startswith(("/", "id(")) else "/" + selector,
        namespaces={k: v for k, v in step.nsmap.items() if k},
    )
    if len(found) != 1:
        raise PatchError(f"{selector}: {len(found)} nodes")
    {"add": _add, "replace": _replace, "remove": _remove}[name](tree, step, found[0])


def _nodes(step: Any) -> list[Any]:
    """What stands inside a step: texts as strings, the rest as copies without a tail."""
    nodes: list[Any] = [step.text] if step.text else []
    for child in step:
        bare = copy.deepcopy(child)
        bare.tail = None
        nodes.append(bare)
        if child.tail:
            nodes.append(child.tail)
    return nodes


def _add(tree: Any, step: Any, target: Any) -> None:
    kind = step.get("type", "")
    if kind.startswith("@"):
        prefix, _, local = kind[1:].rpartition(":")
        uri = (
            "http://www.w3.org/XML/1998/namespace"
            if prefix == "xml"
            else step.nsmap[prefix]
            if prefix
            else ""
        )
        target.set(f"{{{uri}}}{local}" if uri else local, step.text or "")
        return
    position = step.get("pos")
    nodes = _nodes(step)
    if position == "before":
        _insert(target.getparent(), _place(target), nodes, target, tree)
    elif position == "after":
        _insert(target.getparent(), _place(target) + 1, nodes, target, tree, is_after=True)
    elif position == "prepend":
        _insert(target, 0, nodes, None, tree)
    else:
        _insert(target, len(_flat(target)), nodes, None, tree)


def _flat(parent: Any) -> list[Any]:
    """Children with the texts between them."""
    flat: list[Any] = [parent.text] if parent.text else []
    for child in parent:
        flat.append(child)
        if child.tail:
            flat.append(child.tail)
    return flat


def _set(parent: Any, flat: list[Any]) -> None:
    for child in list(parent):
        child.tail = None
        parent.remove(child)
    parent.text = None
    last = None
    for node in flat:
        if isinstance(node, str):
            if last is None:
                parent.text = (parent.text or "") + node
            else:
                last.tail = (last.tail or "") + node
        else:
            node.tail = None
            parent.append(node)
            last = node


def _place(target: Any) -> int:
    parent = target.getparent()
    if parent is None:
        return -1
    flat = _flat(parent)
    return next(at for at, node in enumerate(flat) if node is target)


def _insert(
    parent: Any, at: int, nodes: list[Any], target: Any, tree: Any, *, is_after: bool = False
) -> None:
    if parent is None:  # beside the root
        for node in nodes if not is_after else reversed(nodes):
            if not isinstance(node, str):
                (target.addnext if is_after else target.addprevious)(node)
        return
    flat = _flat(parent)
    _set(parent, flat[:at] + nodes + flat[at:])


def _is_text(target: Any) -> bool:
    return bool(getattr(target, "is_text", False) or getattr(target, "is_tail", False))


def _is_attribute(target: Any) -> bool:
    return bool(getattr(target, "is_attribute", False))


def _text_place(target: Any) -> tuple[Any, int]:
    owner = target.getparent()
    if target.is_text:
        return owner, 0
    parent = owner.getparent()
    return parent, _place(owner) + 1


def _replace(tree: Any, step: Any, target: Any) -> None:
    if _is_attribute(target):
        target.getparent().set(target.attrname, step.text or "")
        return
    nodes = _nodes(step)
    if _is_text(target):
        parent, at = _text_place(target)
        flat = _flat(parent)
        _set(parent, flat[:at] + nodes + flat[at + 1 :])
        return
    if len(nodes) != 1 or isinstance(nodes[0], str):
        raise PatchError("one node for one node")
    parent = target.getparent()
    if parent is None:
        if target is tree.getroot():
            before, after = list(target.itersiblings(preceding=True)), list(target.itersiblings())
            tree._setroot(nodes[0])
            for node in before[::-1]:
                nodes[0].addprevious(node)
            for node in after[::-1]:
                nodes[0].addnext(node)
        else:
            target.addnext(nodes[0])
            _drop_beside_root(target)
        return
    flat = _flat(parent)
    at = _place(target)
    _set(parent, flat[:at] + nodes + flat[at + 1 :])


def _drop_beside_root(target: Any) -> None:
    # lxml removes a node beside the root only by moving it away
    etree.Element("away").append(target)


def _remove(tree: Any, step: Any, target: Any) -> None:
    if _is_attribute(target):
        del target.getparent().attrib[target.attrname]
        return
    if _is_text(target):
        parent, at = _text_place(target)
        flat = _flat(parent)
        _set(parent, flat[:at] + flat[at + 1 :])
        return
    parent = target.getparent()
    if parent is None:
        if target is tree.getroot():
            raise PatchError("the root stays")
        _drop_beside_root(target)
        return
    flat = _flat(parent)
    at = _place(target)
    ws = step.get("ws", "")
    before, after = flat[:at], flat[at + 1 :]
    if ws in ("before", "both"):
        if not before or not isinstance(before[-1], str) or before[-1].strip():
            raise PatchError("no white space before")
        before = before[:-1]
    if ws in ("after", "both"):
        if not after or not isinstance(after[0], str) or after[0].strip():
            raise PatchError("no white space after")
        after = after[1:]
    _set(parent, before + after)
