"""JSON documents as trees, there and back exactly.

The mapping is the one that XPath 3.1 publishes for `json-to-xml` (W3C, *XPath and XQuery Functions
and Operators 3.1*, §17.4): objects are `map`, lists `array`, values `string`, `number`, `boolean`
and `null`, in the namespace of XPath's functions; a member of an object carries its name in the
attribute `key`. We add one thing: numbers keep the figures they were written with, and a name that
an object has twice stays twice. White space between values is not kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from treelace import _kernel
from treelace.errors import LimitError, ParseError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree.node import Node
from treelace.tree.tree import Tree

NAMESPACE = "http://www.w3.org/2005/xpath-functions"

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTE = _IN_TEXT | str.maketrans({"\t": "&#9;", "\n": "&#10;", '"': "&quot;"})


class _Object(list[tuple[str, Any]]):
    """The members of an object in their order, repeated names too."""


class _Number(str):
    """A number as it was written."""


def tree_of_json(text: str | bytes, *, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """The tree of a JSON document. What is not JSON raises `ParseError` with line and column.

    >>> tree_of_json('{"tea": [3, null]}').root.select("number")[0].text
    '3'
    """
    if len(text) > limits.bytes:
        raise LimitError("bytes", bound=limits.bytes, needed=len(text))
    try:
        value = json.loads(
            text,
            object_pairs_hook=_Object,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as error:
        raise ParseError(error.msg, line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise LimitError("depth", bound=MAX_DEPTH) from error
    except UnicodeDecodeError as error:
        raise ParseError(f"not {error.encoding}: {error.reason}") from error
    return Tree(_kernel.parse_xml("".join(_elements(value)), None, False, limits))


MAX_DEPTH = 900
"""Levels of a JSON document that are read."""


def is_json_tree(tree: Tree) -> bool:
    """Whether a tree is one of a JSON document."""
    return any(
        node.is_element and node.name.namespace == NAMESPACE for node in tree.document.children
    )


def json_of_tree(tree: Tree) -> str:
    """The JSON document of a tree; a tree of anything else is wrong use.

    >>> json_of_tree(tree_of_json(' {"a": [1.50, "x"], "a": true}'))
    '{"a": [1.50, "x"], "a": true}'
    """
    if not is_json_tree(tree):
        raise UsageError("this is no tree of a JSON document")
    return "".join(_texts(tree))


def json_pointer(node: Node) -> str:
    """Where a node of such a tree stands in its document, as a JSON pointer (RFC 6901); a text
    stands where its value does.

    >>> tree = tree_of_json('{"teas": [{"name": "Assam"}, {"name": "Sencha", "a/b": 3}]}')
    >>> [json_pointer(node) for node in tree.select("string, number")]
    ['/teas/0/name', '/teas/1/name', '/teas/1/a~1b']
    """
    steps = []
    at: Node | None = node if node.is_element else node.parent
    while at is not None and (above := at.parent) is not None and above.is_element:
        name = at.attribute("key") if above.name.local == "map" else None
        if name is None:
            before = takewhile(at.__ne__, (child for child in above.children if child.is_element))
            name = str(sum(1 for _ in before))
        name = _unescaped(name, at.attribute("escaped-key") == "true")
        steps.append(name.replace("~", "~0").replace("/", "~1"))
        at = above
    return "".join(f"/{step}" for step in reversed(steps))


def _no_number(word: str) -> None:
    raise ParseError(f"{word} is no number of JSON")


def _elements(value: Any) -> Iterator[str]:
    """The document as XML, piece by piece."""
    ahead: list[Any] = [("", value)]
    is_first = True
    while ahead:
        piece = ahead.pop()
        if isinstance(piece, str):
            yield piece
            continue
        key, value = piece
        attributes = f'{key} xmlns="{NAMESPACE}"' if is_first else key
        is_first = False
        if isinstance(value, list):
            tag = "map" if isinstance(value, _Object) else "array"
            yield f"<{tag}{attributes}>"
            ahead.append(f"</{tag}>")
            members = value if tag == "map" else [(None, inner) for inner in value]
            ahead += [
                ("" if name is None else _key(name), inner) for name, inner in reversed(members)
            ]
        elif isinstance(value, _Number):
            yield f"<number{attributes}>{value}</number>"
        elif isinstance(value, bool):
            yield f"<boolean{attributes}>{str(value).lower()}</boolean>"
        elif value is None:
            yield f"<null{attributes}/>"
        else:
            text, is_escaped = _escaped(value)
            mark = ' escaped="true"' if is_escaped else ""
            yield f"<string{attributes}{mark}>{text.translate(_IN_TEXT)}</string>"


def _key(name: str) -> str:
    text, is_escaped = _escaped(name)
    mark = ' escaped-key="true"' if is_escaped else ""
    return f' key="{text.translate(_IN_ATTRIBUTE)}"{mark}'


def _escaped(text: str) -> tuple[str, bool]:
    """A text with the characters that XML cannot write as `\\uXXXX`, and whether it has any."""
    if not _NOT_IN_XML.search(text):
        return text, False
    doubled = text.replace("\\", "\\\\")
    return _NOT_IN_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", doubled), True


def _unescaped(text: str, is_escaped: bool) -> str:
    if not is_escaped:
        return text
    return re.sub(
        r"\\(?:u([0-9a-f]{4})|\\)", lambda it: chr(int(it[1], 16)) if it[1] else "\\", text
    )


def _texts(tree: Tree) -> Iterator[str]:
    ahead: list[Any] = [node for node in tree.document.children if node.is_element][:1]
    while ahead:
        piece = ahead.pop()
        if isinstance(piece, str):
            yield piece
            continue
        kind = piece.tag.rpartition("}")[2].rpartition(":")[2]
        if kind in ("map", "array"):
            opening, closing = "{}" if kind == "map" else "[]"
            yield opening
            ahead.append(closing)
            children = [child for child in piece.children if child.is_element]
            for number, child in reversed(list(enumerate(children))):
                ahead.append(child)
                before = ", " if number else ""
                if kind == "map":
                    is_escaped = child.attribute("escaped-key") == "true"
                    name = _unescaped(child.attribute("key") or "", is_escaped)
                    before += f"{json.dumps(name, ensure_ascii=False)}: "
                ahead.append(before)
        elif kind == "string":
            text = _unescaped(piece.text, piece.attribute("escaped") == "true")
            yield json.dumps(text, ensure_ascii=False)
        else:
            yield piece.text if kind != "null" else "null"
