"""JSON patch (RFC 6902): one way, not back, and without node identities."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from treelace.diff.outputs.kept_nodes import KeptNodes, kept_nodes
from treelace.diff.outputs.output import Change
from treelace.tree import Tree


def json_patch(change: Change) -> str:
    """RFC 6902 over the JSON form: applied to `old.to_json()` it gives `new.to_json()`.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> from treelace.diff.outputs import Change
    >>> old, new = parse("<a k='1'>x</a>", format="xml"), parse("<a k='2'>x<b/></a>", format="xml")
    >>> print(json_patch(Change(delta=diff(old, new), old=old, new=new)), end="")
    [{"op": "replace", "path": "/children/0/attributes/k", "value": "2"},
     {"op": "add", "path": "/children/0/children/1", "value": {"kind": ...}}]
    """
    patch = _JsonPatch(change.old, change.new, kept_nodes(change.delta, change.old, change.new))
    before, after = (
        json.loads(tree.to_json(limits=change.limits)) for tree in (change.old, change.new)
    )
    patch.run(before, after)
    return "[" + ",\n ".join(json.dumps(it, ensure_ascii=False) for it in patch.changes) + "]\n"


_Json = dict[str, Any]


class _JsonPatch:
    def __init__(self, old: Tree, new: Tree, kept: KeptNodes) -> None:
        self.old, self.new, self.kept = old, new, kept
        self.changes: list[_Json] = []

    def run(self, before: _Json, after: _Json) -> None:
        """Parents before children: when a parent is done, its list of children is the new one."""
        for key in ("version", "format", "fragment"):
            self._member(f"/{key}", before, after, key)
        waiting: list[tuple[int, int, str, Any, Any]] = [(0, 0, "", before, after)]
        while waiting:
            node, number, path, was, now = waiting.pop()
            if isinstance(now, str):
                if was != now:
                    self.changes.append({"op": "replace", "path": path, "value": now})
                continue
            if node and was != now:
                self._own_members(path, was, now)
            if "children" in now:
                waiting += self._children(node, number, path, was, now)

    def _own_members(self, path: str, was: _Json, now: _Json) -> None:
        for key in sorted((was.keys() | now.keys()) - {"attributes", "children", "kind"}):
            self._member(f"{path}/{key}", was, now, key)
        if "attributes" in now:
            before, after = was["attributes"], now["attributes"]
            for key in sorted(before.keys() | after.keys()):
                self._member(f"{path}/attributes/{_pointer(key)}", before, after, key)

    def _member(self, path: str, was: _Json, now: _Json, key: str) -> None:
        if key not in now:
            if key in was:
                self.changes.append({"op": "remove", "path": path})
        elif key not in was:
            self.changes.append({"op": "add", "path": path, "value": now[key]})
        elif was[key] != now[key]:
            self.changes.append({"op": "replace", "path": path, "value": now[key]})

    def _children(
        self, node: int, number: int, path: str, was: _Json, now: _Json
    ) -> Iterator[tuple[int, int, str, Any, Any]]:
        """Removes and adds children; gives those that stay, to be compared in their turn."""
        place_of = {child: place for place, child in enumerate(self.old.children(node))}
        # from the end, so that the numbers of those before do not change
        self.changes += [
            {"op": "remove", "path": f"{path}/children/{place}"}
            for child, place in reversed(place_of.items())
            if child not in self.kept.new_of
        ]
        for place, child in enumerate(self.new.children(number)):
            below, value = f"{path}/children/{place}", now["children"][place]
            partner = self.kept.old_of.get(child)
            if partner is None:
                self.changes.append({"op": "add", "path": below, "value": value})
            else:
                yield partner, child, below, was["children"][place_of[partner]], value


def _pointer(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
