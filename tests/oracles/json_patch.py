"""RFC 6902, as its text says: a plain applier for JSON patches, nothing of ours in it."""

from __future__ import annotations

import copy
from typing import Any


class PatchError(Exception):
    """The patch cannot be applied."""


def apply(document: Any, patch: list[dict[str, Any]]) -> Any:
    """The patched document; the one handed in is left alone."""
    document = copy.deepcopy(document)
    for operation in patch:
        document = _step(document, operation)
    return document


def _step(document: Any, operation: dict[str, Any]) -> Any:
    try:
        name, path = operation["op"], _tokens(operation["path"])
    except (KeyError, TypeError) as error:
        raise PatchError(str(error)) from error
    if name == "test":
        if not _same(_get(document, path), _value(operation)):
            raise PatchError("test failed")
        return document
    if name == "remove":
        return _remove(document, path)
    if name == "add":
        return _add(document, path, copy.deepcopy(_value(operation)))
    if name == "replace":
        _get(document, path)
        return (
            _add(_remove(document, path), path, copy.deepcopy(_value(operation)))
            if path
            else copy.deepcopy(_value(operation))
        )
    if name in ("move", "copy"):
        if "from" not in operation:
            raise PatchError("from is missing")
        source = _tokens(operation["from"])
        value = copy.deepcopy(_get(document, source))
        if name == "move":
            if path[: len(source)] == source and path != source:
                raise PatchError("into itself")
            document = _remove(document, source)
        return _add(document, path, value)
    raise PatchError(f"no operation {name}")


def _value(operation: dict[str, Any]) -> Any:
    if "value" not in operation:
        raise PatchError("value is missing")
    return operation["value"]


def _tokens(pointer: Any) -> list[str]:
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise PatchError(f"no pointer: {pointer!r}")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _index(token: str, length: int) -> int:
    if (
        not token.isascii()
        or not token.isdigit()
        or (len(token) > 1 and token[0] == "0")
        or int(token) >= length
    ):
        raise PatchError(f"no index: {token}")
    return int(token)


def _get(document: Any, path: list[str]) -> Any:
    for token in path:
        if isinstance(document, list):
            document = document[_index(token, len(document))]
        elif isinstance(document, dict) and token in document:
            document = document[token]
        else:
            raise PatchError(f"nothing at {token}")
    return document


def _add(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    parent = _get(document, path[:-1])
    if isinstance(parent, list):
        parent.insert(len(parent) if path[-1] == "-" else _index(path[-1], len(parent) + 1), value)
    elif isinstance(parent, dict):
        parent[path[-1]] = value
    else:
        raise PatchError("no container")
    return document


def _remove(document: Any, path: list[str]) -> Any:
    if not path:
        return None
    parent = _get(document, path[:-1])
    if isinstance(parent, list):
        del parent[_index(path[-1], len(parent))]
    elif isinstance(parent, dict) and path[-1] in parent:
        del parent[path[-1]]
    else:
        raise PatchError("nothing to remove")
    return document


def _same(left: Any, right: Any) -> bool:
    """Equal as JSON: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return bool(left == right)
