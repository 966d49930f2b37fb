"""A change in the words of others: XML patch (RFC 5261), JSON patch (RFC 6902), unified text. One
way, not back.

None of them knows moves or renames, so that such nodes are removed and added; none knows node
identities.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from treelace.diff.operations import Move
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treelace.diff.delta import Delta
    from treelace.tree import Node, Tree

XMLNS = "http://www.w3.org/2000/xmlns/"


class _Kept(NamedTuple):
    """The nodes that stay where they are, under the same name, in the same order: old index to new
    index.
    """

    new_of: dict[int, int]
    old_of: dict[int, int]


def _kept(delta: Delta, old: Tree, new: Tree, *, breaks: frozenset[int] = frozenset()) -> _Kept:
    """Pairs that need no move and no rename: matched, under kept parents, and no move names
    them.
    """
    old_index = {xid: index for index, xid in enumerate(delta.old_xids(old).of.tolist())}
    moved = {
        old_index[xid]
        for operation in delta.operations
        if isinstance(operation, Move)
        for xid in operation.xids
    }
    old_of_new = [old_index.get(xid, -1) for xid in delta.new_xids(new).of.tolist()]
    parents, old_parents = new.parents.tolist(), old.parents.tolist()
    new_of = {0: 0}
    for number in range(1, len(new)):
        node = old_of_new[number]
        if (
            node < 0
            or node in moved
            or node in breaks
            or new_of.get(old_parents[node]) != parents[number]
        ):
            continue
        was, now = old[node], new[number]
        if was.name == now.name and was.is_reference == now.is_reference:
            new_of[node] = number
    return _Kept(new_of, {number: node for node, number in new_of.items()})


def to_json_patch(delta: Delta, old: Tree, new: Tree, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """RFC 6902 over the JSON form of `parse --to json` (`docs/reference/json-form.md`): applied to
    `old.to_json()` it gives `new.to_json()`.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<a k='1'>x</a>", format="xml"), parse("<a k='2'>x<b/></a>", format="xml")
    >>> print(to_json_patch(diff(old, new), old, new))
    [{"op": "replace", "path": "/children/0/attributes/k", "value": "2"},
     {"op": "add", "path": "/children/0/children/1", "value": {"kind": "element", "name": "b", "attributes": {}, "children": []}}]
    """
    kept = _kept(delta, old, new)
    before, after = json.loads(old.to_json(limits=limits)), json.loads(new.to_json(limits=limits))
    changes: list[dict[str, Any]] = []
    for key in ("version", "format", "fragment"):
        if before.get(key) != after.get(key):
            _member(changes, f"/{key}", before, after, key)
    waiting = [(0, 0, "", before, after)]
    while waiting:
        node, number, path, was, now = waiting.pop()
        if node and was != now:
            for key in (
                sorted((was.keys() | now.keys()) - {"attributes", "children", "kind"})
                if isinstance(now, dict)
                else ()
            ):
                _member(changes, f"{path}/{key}", was, now, key)
            if isinstance(now, dict) and "attributes" in now:
                for key in sorted(was["attributes"].keys() | now["attributes"].keys()):
                    _member(
                        changes,
                        f"{path}/attributes/{_pointer(key)}",
                        was["attributes"],
                        now["attributes"],
                        key,
                    )
        if isinstance(now, str) and was != now:
            changes.append({"op": "replace", "path": path, "value": now})
        if not isinstance(now, dict) or "children" not in now:
            continue
        old_children, new_children = old.children(node), new.children(number)
        stay = {child for child in old_children if kept.new_of.get(child) is not None}
        gone = [
            place
            for place in range(len(old_children) - 1, -1, -1)
            if old_children[place] not in stay
        ]
        changes += [{"op": "remove", "path": f"{path}/children/{place}"} for place in gone]
        place_of = {child: place for place, child in enumerate(old_children)}
        for place, child in enumerate(new_children):
            below = f"{path}/children/{place}"
            partner = kept.old_of.get(child)
            if partner is None:
                changes.append({"op": "add", "path": below, "value": now["children"][place]})
            else:
                waiting.append(
                    (
                        partner,
                        child,
                        below,
                        was["children"][place_of[partner]],
                        now["children"][place],
                    )
                )
    return "[" + ",\n ".join(json.dumps(change, ensure_ascii=False) for change in changes) + "]"


def _member(
    changes: list[dict[str, Any]], path: str, was: dict[str, Any], now: dict[str, Any], key: str
) -> None:
    if key not in now:
        changes.append({"op": "remove", "path": path})
    elif key not in was:
        changes.append({"op": "add", "path": path, "value": now[key]})
    elif was[key] != now[key]:
        changes.append({"op": "replace", "path": path, "value": now[key]})


def _pointer(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def to_xml_patch(delta: Delta, old: Tree, new: Tree) -> str:
    """RFC 5261: applied to the old document it gives what Canonical XML without its doctype sees of
    the new one.

    `UsageError` for HTML, for a root element or a namespace declaration that changed in a way the
    format cannot say, for what XML cannot write, and for a changed doctype.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<a k='1'>x<b/></a>", format="xml"), parse("<a k='2'>y<b/><c/></a>", format="xml")
    >>> print(to_xml_patch(diff(old, new), old, new))
    <?xml version="1.0" encoding="UTF-8"?>
    <diff>
    <replace sel="/*/@k">2</replace>
    <add sel="/*"><c/></add>
    <replace sel="/*/text()[1]">y</replace>
    </diff>
    """
    if old.format == "html" or new.format == "html":
        raise UsageError("XML patches are for XML documents")
    doctypes = [
        [node.digest for node in tree.document.children if node.kind == Kind.DOCTYPE]
        for tree in (old, new)
    ]
    if doctypes[0] != doctypes[1]:
        raise UsageError("an XML patch cannot change a doctype")
    return _XmlPatch(old, new, _kept_for_xml(delta, old, new)).text()


def _kept_for_xml(delta: Delta, old: Tree, new: Tree) -> _Kept:
    """Elements whose namespace declarations changed are not kept: the format cannot change
    those.
    """
    kept = _kept(delta, old, new)
    broken = set()
    for node, number in kept.new_of.items():
        own = [
            sorted(it for it in tree.attribute_rows(at) if it[1] == XMLNS)
            for tree, at in ((old, node), (new, number))
        ]
        if own[0] != own[1]:
            broken.add(node)
    return _kept(delta, old, new, breaks=frozenset(broken)) if broken else kept


class _XmlPatch:
    def __init__(self, old: Tree, new: Tree, kept: _Kept) -> None:
        self.old, self.new, self.kept = old, new, kept
        self.lines: list[str] = []

    def text(self) -> str:
        """Parents before children: when a parent is done, its list of children is that of the new
        document.
        """
        waiting = [(0, 0, "")]
        while waiting:
            node, number, path = waiting.pop()
            if self.new.kind(number) in (Kind.ELEMENT, Kind.DOCUMENT):
                if node:
                    self._attributes(node, number, path)
                self._children(node, number, path)
                waiting += reversed(list(self._kept_children(number, path)))
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<diff>\n'
            + "".join(line + "\n" for line in self.lines)
            + "</diff>"
        )

    def _kept_children(self, number: int, path: str) -> Iterator[tuple[int, int, str]]:
        element = 0
        for child in self.new.children(number):
            if self.new.kind(child) == Kind.ELEMENT:
                element += 1
                if self.kept.old_of.get(child, -1) >= 0:
                    yield self.kept.old_of[child], child, f"{path}/*[{element}]" if path else "/*"

    def _attributes(self, node: int, number: int, path: str) -> None:
        rows = []
        for tree, at in ((self.old, node), (self.new, number)):
            rows.append(
                {
                    (uri, local): (prefix, value)
                    for prefix, uri, local, value in tree.attribute_rows(at)
                    if uri != XMLNS
                }
            )
        was, now = rows
        for key in sorted(was.keys() | now.keys()):
            uri, local = key
            declared = (
                f" xmlns:n={quoteattr(uri)}"
                if uri and uri != "http://www.w3.org/XML/1998/namespace"
                else ""
            )
            spelled = ("xml:" if uri and not declared else "n:" if uri else "") + local
            if key not in now:
                self.lines.append(f"<remove{declared} sel={quoteattr(f'{path}/@{spelled}')}/>")
            elif key not in was or was[key][0] != now[key][0]:
                if key in was:
                    self.lines.append(f"<remove{declared} sel={quoteattr(f'{path}/@{spelled}')}/>")
                prefix, value = now[key]
                bound = f" xmlns:{prefix}={quoteattr(uri)}" if declared else ""
                typed = f"@{prefix}:{local}" if prefix else f"@{local}"
                self.lines.append(
                    f"<add{bound} sel={quoteattr(path)}"
                    f" type={quoteattr(typed)}>{_text(value)}</add>"
                )
            elif was[key] != now[key]:
                self.lines.append(
                    f"<replace{declared}"
                    f" sel={quoteattr(f'{path}/@{spelled}')}>{_text(now[key][1])}</replace>"
                )

    def _children(self, node: int, number: int, path: str) -> None:
        """Non-texts first: those that go, then those that come; then the texts in the gaps between
        them.
        """
        old, new = self.old, self.new
        stay = {child for child in old.children(node) if child in self.kept.new_of}
        # the list as the patch leaves it: [kind, new index or -1], texts as [TEXT, characters]
        now: list[list[Any]] = []
        for child in old.children(node):
            kind = old.kind(child)
            if kind == Kind.TEXT:
                _glue(now, old.own_text(child))
            elif kind != Kind.DOCTYPE:
                now.append([kind, self.kept.new_of[child] if child in stay else -1, child])
        at = len(now) - 1
        while at >= 0:
            if now[at][0] != Kind.TEXT and now[at][1] == -1:
                self._remove(now, at, path)
            at -= 1
        wanted = [
            child
            for child in new.children(number)
            if new.kind(child) not in (Kind.TEXT, Kind.DOCTYPE)
        ]
        for place, child in enumerate(wanted):
            if child not in self.kept.old_of:
                before = wanted[place - 1] if place else None
                self._add(now, before, child, path)
            elif new.kind(child) != Kind.ELEMENT:
                self._replace_leaf(now, child, path)
        if path:
            self._texts(now, number, path)

    def _remove(self, now: list[list[Any]], at: int, path: str) -> None:
        if not path and now[at][0] == Kind.ELEMENT:
            replacement = next(
                child for child in self.new.children(0) if self.new.kind(child) == Kind.ELEMENT
            )
            self.lines.append(f'<replace sel="/*">{self._written(self.new[replacement])}</replace>')
            now[at] = [Kind.ELEMENT, replacement, -1]
            self.kept.old_of.setdefault(replacement, -1)
            return
        self.lines.append(f"<remove sel={quoteattr(self._selector(now, at, path))}/>")
        del now[at]
        if 0 < at < len(now) and now[at - 1][0] == now[at][0] == Kind.TEXT:
            now[at - 1][1] += now.pop(at)[1]

    def _add(self, now: list[list[Any]], before: int | None, child: int, path: str) -> None:
        written = self._written(self.new[child])
        entry = [self.new.kind(child), child, -1]
        if before is None:
            first = next((at for at, it in enumerate(now) if it[0] != Kind.TEXT), None)
            if not path and first is not None:
                self.lines.append(
                    f"<add sel={quoteattr(self._selector(now, first, path))}"
                    f' pos="before">{written}</add>'
                )
                now.insert(first, entry)
            else:
                self.lines.append(f'<add sel={quoteattr(path)} pos="prepend">{written}</add>')
                now.insert(0, entry)
            return
        at = next(place for place, it in enumerate(now) if it[0] != Kind.TEXT and it[1] == before)
        if path and at == len(now) - 1:
            self.lines.append(f"<add sel={quoteattr(path)}>{written}</add>")
        else:
            self.lines.append(
                f'<add sel={quoteattr(self._selector(now, at, path))} pos="after">{written}</add>'
            )
        now.insert(at + 1, entry)

    def _replace_leaf(self, now: list[list[Any]], child: int, path: str) -> None:
        before = self.kept.old_of[child]
        if before >= 0 and self.old.own_text(before) != self.new.own_text(child):
            at = next(
                place for place, it in enumerate(now) if it[0] != Kind.TEXT and it[1] == child
            )
            self.lines.append(
                "<replace"
                f" sel={quoteattr(self._selector(now, at, path))}>{self._written(self.new[child])}</replace>"
            )

    def _texts(self, now: list[list[Any]], number: int, path: str) -> None:
        wanted: list[list[Any]] = []
        for child in self.new.children(number):
            if self.new.kind(child) == Kind.TEXT:
                _glue(wanted, self.new.own_text(child))
            else:
                wanted.append([self.new.kind(child), child, -1])
        have, want = _gaps(now), _gaps(wanted)
        # from the end, so that the numbers of the texts before do not change
        for gap in range(len(want) - 1, -1, -1):
            if have[gap] == want[gap]:
                continue
            count = sum(1 for text in have[:gap] if text)
            if have[gap] and want[gap]:
                self.lines.append(
                    "<replace"
                    f" sel={quoteattr(f'{path}/text()[{count + 1}]')}>{_text(want[gap])}</replace>"
                )
            elif have[gap]:
                self.lines.append(f"<remove sel={quoteattr(f'{path}/text()[{count + 1}]')}/>")
            elif gap == 0:
                self.lines.append(
                    f'<add sel={quoteattr(path)} pos="prepend">{_text(want[gap])}</add>'
                )
            else:
                solid = [place for place, it in enumerate(now) if it[0] != Kind.TEXT]
                self.lines.append(
                    f"<add sel={quoteattr(self._selector(now, solid[gap - 1], path))}"
                    f' pos="after">{_text(want[gap])}</add>'
                )

    def _selector(self, now: list[list[Any]], at: int, path: str) -> str:
        kind = now[at][0]
        count = sum(1 for it in now[: at + 1] if it[0] == kind)
        if kind == Kind.ELEMENT:
            return f"{path}/*[{count}]" if path else "/*"
        return (
            f"{path}/{'comment' if kind == Kind.COMMENT else 'processing-instruction'}()[{count}]"
        )

    def _written(self, node: Node) -> str:
        return node.to_xml()


def _glue(now: list[list[Any]], text: str) -> None:
    if now and now[-1][0] == Kind.TEXT:
        now[-1][1] += text
    elif text:
        now.append([Kind.TEXT, text])


def _gaps(now: list[list[Any]]) -> list[str]:
    """The text before each other node, and after the last."""
    gaps = [""]
    for it in now:
        if it[0] == Kind.TEXT:
            gaps[-1] += it[1]
        else:
            gaps.append("")
    return gaps


def _text(value: str) -> str:
    return escape(value, {"\r": "&#13;"})


def to_unified(
    old: Tree, new: Tree, *, old_name: str = "old", new_name: str = "new", context: int = 3
) -> str:
    """A unified diff of the two documents as treelace writes them, line by line: what `patch`
    takes.

    >>> from treelace.tree import parse
    >>> print(to_unified(parse("<a>\\n<b/>\\n</a>", format="xml"), parse("<a>\\n<c/>\\n</a>", format="xml")), end="")
    --- old
    +++ new
    @@ -1,3 +1,3 @@
     <a>
    -<b/>
    +<c/>
     </a>
    \\ No newline at end of file
    """
    import difflib

    before, after = (_lines(tree) for tree in (old, new))
    lines = difflib.unified_diff(before, after, old_name, new_name, n=context)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


def _lines(tree: Tree) -> list[str]:
    text = tree.to_html() if tree.format == "html" else tree.to_xml()
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
