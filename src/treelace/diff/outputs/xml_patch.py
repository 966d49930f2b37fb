"""XML patch (RFC 5261): one way, not back, and without node identities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from treelace.diff.delta import Delta
from treelace.diff.outputs.kept_nodes import KeptNodes, kept_nodes
from treelace.diff.outputs.output import Change
from treelace.errors import UsageError
from treelace.tree import Kind, Tree

XMLNS = "http://www.w3.org/2000/xmlns/"


def xml_patch(change: Change) -> str:
    """RFC 5261: gives what Canonical XML, without its doctype, sees of the new document.

    `UsageError` for HTML, for a root element or a namespace declaration that changed in a way the
    format cannot say, for what XML cannot write, and for a changed doctype.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> from treelace.diff.outputs import Change
    >>> old = parse("<a k='1'>x<b/></a>", format="xml")
    >>> new = parse("<a k='2'>y<b/><c/></a>", format="xml")
    >>> print(xml_patch(Change(delta=diff(old, new), old=old, new=new)), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <diff>
    <replace sel="/*/@k">2</replace>
    <add sel="/*"><c/></add>
    <replace sel="/*/text()[1]">y</replace>
    </diff>
    """
    old, new = change.old, change.new
    if old.is_html or new.is_html:
        raise UsageError("XML patches are for XML documents")
    doctypes = [
        [node.digest for node in tree.document.children if node.kind == Kind.DOCTYPE]
        for tree in (old, new)
    ]
    if doctypes[0] != doctypes[1]:
        raise UsageError("an XML patch cannot change a doctype")
    return _XmlPatch(old, new, _kept(change.delta, old, new)).text()


def _kept(delta: Delta, old: Tree, new: Tree) -> KeptNodes:
    """Elements with changed namespace declarations are not kept: the format cannot change those.

    Neither are comments that went to the other side of the root, which stays where it is.
    """
    kept = kept_nodes(delta, old, new)
    root, new_root = (tree.root.index if tree.root else len(tree) for tree in (old, new))
    broken = {
        child
        for child in old.children(0)
        if child in kept.new_of and (child < root) != (kept.new_of[child] < new_root)
    }
    for node, number in kept.new_of.items():
        own = [
            sorted(it for it in tree.attribute_rows(at) if it[1] == XMLNS)
            for tree, at in ((old, node), (new, number))
        ]
        if own[0] != own[1]:
            broken.add(node)
    return kept_nodes(delta, old, new, breaks=frozenset(broken)) if broken else kept


class _XmlPatch:
    def __init__(self, old: Tree, new: Tree, kept: KeptNodes) -> None:
        self.old, self.new, self.kept = old, new, kept
        self.lines: list[str] = []

    def text(self) -> str:
        """Parents before children: a finished parent has the children of the new document."""
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
            + "</diff>\n"
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
        """Non-texts first, deleted then inserted; then the texts in the gaps between them."""
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
            self.lines.append(f'<replace sel="/*">{self.new[replacement].to_xml()}</replace>')
            now[at] = [Kind.ELEMENT, replacement, -1]
            self.kept.old_of.setdefault(replacement, -1)
            return
        self.lines.append(f"<remove sel={quoteattr(self._selector(now, at, path))}/>")
        del now[at]
        if 0 < at < len(now) and now[at - 1][0] == now[at][0] == Kind.TEXT:
            now[at - 1][1] += now.pop(at)[1]

    def _add(self, now: list[list[Any]], before: int | None, child: int, path: str) -> None:
        written = self.new[child].to_xml()
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
            place = quoteattr(self._selector(now, at, path))
            self.lines.append(f"<replace sel={place}>{self.new[child].to_xml()}</replace>")

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
