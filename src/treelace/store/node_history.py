"""Node history: what a node was in each version, and changes as documents that can be queried.

A node is named by CSS, XPath or its XID, in a version of the caller's choice; its XID is what stays
the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from treelace.diff import Delta
from treelace.errors import UsageError
from treelace.store import chain
from treelace.store.body import Body
from treelace.store.store import Store
from treelace.tree import Attribute, Node, parse

DELTA = "urn:treelace:delta:1"


@dataclass(frozen=True, slots=True)
class NodeMoment:
    """What a node was from a version on; `value` is None where it is not there."""

    version: int
    time: datetime
    value: str | None
    xpath: str | None


@dataclass(frozen=True, slots=True)
class PageChange:
    """What an XPath found in the delta that led to a version."""

    url: str
    version: int
    time: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Identity:
    """What stays the same: a node's XID, and the attribute's name where it is an attribute."""

    xid: int
    attribute: str | None = None

    def __str__(self) -> str:
        return f"#{self.xid}" + (f"/@{self.attribute}" if self.attribute else "")


def identify(body: Body, expression: str) -> Identity:
    """The one node that CSS, XPath (`/…`, `(…`, `xpath:…`) or `#XID` names; else `UsageError`."""
    if expression.startswith("#") and expression[1:].partition("/@")[0].isdigit():
        xid, _, attribute = expression[1:].partition("/@")
        return Identity(int(xid), attribute or None)
    if expression.startswith(("/", "(", "xpath:")):
        found = body.tree.select_xpath(expression.removeprefix("xpath:"))
        nodes = list(found) if isinstance(found, list | tuple) else []
        if not isinstance(found, list | tuple):
            raise UsageError(f"{expression} gives no node but the value {found!r}")
    else:
        nodes = list(body.tree.select(expression))
    if len(nodes) != 1:
        what = "nothing" if not nodes else f"{len(nodes)} nodes"
        raise UsageError(f"{expression} names {what} in this version, where one node is needed")
    one = nodes[0]
    if isinstance(one, Node):
        return Identity(int(body.xids.of[one.index]))
    if not isinstance(one, Attribute):
        raise UsageError(f"{expression} names a namespace, which has no history")
    return Identity(int(body.xids.of[one.element.index]), one.name.expanded)


def history(
    store: Store, url: str, identity: Identity, *, first: int | None = None
) -> list[NodeMoment]:
    """What a node was through all versions (or from `first` on): a moment for each change of its
    text or attribute, its coming and its going.

    A version is only parsed where it can matter: what is the same as before up to the end of the
    node, or from its start on, with the same node ids, has the same node.
    """
    clock = {version.number: version.time for version in store.versions(url)}
    made: list[NodeMoment] = []
    seen: _Seen | None = None
    for number, data, digest in store.texts(url, first):
        if seen is not None and (still := seen.still(data)) is not None:
            seen = still
            continue
        body = store.checked(data, digest, url, number)
        value, xpath = _value(body, identity)
        seen = _Seen.of(data, body, identity)
        if made and made[-1].value == value:
            continue
        if made or value is not None:
            made.append(NodeMoment(number, clock[number], value, xpath))
    if not made:
        raise UsageError(f"{url} never had the node {identity}")
    return made


@dataclass(frozen=True, slots=True)
class _Seen:
    """The bytes of a version, where its head ends, and the span of the node in them."""

    data: bytes
    head: int
    start: int
    end: int

    @classmethod
    def of(cls, data: bytes, body: Body, identity: Identity) -> _Seen | None:
        """None where it cannot be told for sure where the node stands."""
        head = data.index(b"\n") + 1
        try:
            node = body.tree[body.xids.index(identity.xid)]
        except KeyError:
            return cls(data, head, head, head) if data[:1] == b"h" else None
        if data[:1] != b"h" or not node.is_element:
            return None
        markup = node.to_html().encode("utf-8")
        start = data.find(markup, head)
        return (
            cls(data, head, start, start + len(markup))
            if start >= 0 and data.find(markup, start + 1) < 0
            else None
        )

    def still(self, data: bytes) -> _Seen | None:
        """The same for the next version if the node is unchanged there; None if not known."""
        import numpy as np

        if data[: self.head] != self.data[: self.head]:
            return None
        old, new = np.frombuffer(self.data, dtype=np.uint8), np.frombuffer(data, dtype=np.uint8)
        size = min(len(old), len(new))
        ahead = np.flatnonzero(old[:size] != new[:size])
        if not len(ahead) or ahead[0] >= self.end:
            return _Seen(data, self.head, self.start, self.end)
        behind = np.flatnonzero(old[::-1][:size] != new[::-1][:size])
        if len(behind) and len(old) - behind[0] <= self.start:
            shift = len(new) - len(old)
            return _Seen(data, self.head, self.start + shift, self.end + shift)
        return None


def _value(body: Body, identity: Identity) -> tuple[str | None, str | None]:
    try:
        index = body.xids.index(identity.xid)
    except KeyError:
        return None, None
    node = body.tree[index]
    if identity.attribute is None:
        return node.text, node.xpath
    value = node.attributes.get(identity.attribute)
    return value, None if value is None else f"{node.xpath}/@{identity.attribute}"


def deltas(
    store: Store, url: str, *, since: datetime | None = None, until: datetime | None = None
) -> Iterator[tuple[int, datetime, Delta]]:
    """The delta, number and time of each version in a period; a first version has no delta."""
    wanted = {
        version.number: version.time for version in store.versions(url, since=since, until=until)
    }
    if not wanted:
        return
    before: Body | None = None
    for number, body in store.bodies(url, min(wanted) - 1, max(wanted)):
        if before is not None and number in wanted:
            yield number, wanted[number], chain.delta_between(before, body, limits=store.limits)
        before = body


def changes(
    store: Store,
    url: str,
    expression: str,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Iterator[PageChange]:
    """What an XPath finds in the deltas of a page, as documents (prefix `d`).

    `//d:insert//li` are the list items that came in, `//d:update/d:new` what texts became. HTML
    elements have no namespace here, as in pages.
    """
    for number, time, delta in deltas(store, url, since=since, until=until):
        written = delta.to_xml(long=True, limits=store.limits)
        document = parse(_without_html(written), format="xml", limits=store.limits)
        found = document.select_xpath(expression, namespaces={"d": DELTA})
        for one in found if isinstance(found, list | tuple) else [found]:
            shown = one.text if isinstance(one, Node) else str(getattr(one, "value", one))
            yield PageChange(url, number, time, " ".join(str(shown).split()))


def _without_html(markup: str) -> str:
    """HTML elements without their namespace. A `<` begins a tag, and a quote inside a value is
    escaped: so only declarations match.
    """
    return re.sub(r'(<[^<]*?)\sxmlns="http://www\.w3\.org/1999/xhtml"', r"\1", markup)
