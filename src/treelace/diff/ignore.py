"""Rules for reports: which changes are left out. The delta itself stays exact."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from treelace.diff.delta import Delta
from treelace.diff.operations import (
    Attribute,
    Delete,
    Insert,
    Move,
    Operation,
    Rename,
    Reorder,
    Update,
)
from treelace.tree import Kind, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """Rules for what a report leaves out.

    `xpath` and `css` name nodes, which are ignored with all inside them; `attributes` are names; a
    text or value whose old and new form are equal once everything `regex` matches is taken out has
    not changed; of elements named in `unordered` the order of the children does not matter; with
    `white_space` runs of it are one blank, at the ends none, and blank texts nothing.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<p class=a>at 12:01</p>"), parse("<p class=b>at 12:02</p>")
    >>> delta = diff(old, new)
    >>> [type(it).__name__ for it in Ignore(attributes=("class",)).reported(delta, old, new)]
    ['Update']
    >>> Ignore(attributes=("class",), regex=(r"[0-9:]+",)).reported(delta, old, new)
    ()
    """

    xpath: tuple[str, ...] = ()
    css: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    regex: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    white_space: bool = False

    def reported(self, delta: Delta, old: Tree, new: Tree) -> tuple[Operation, ...]:
        """The operations of `delta` that a report shows. The order of attributes is never shown."""
        look = _Look(self, delta, old, new)
        return tuple(operation for operation in delta.operations if look.is_reported(operation))

    def __bool__(self) -> bool:
        return self != Ignore()


class _Look:
    def __init__(self, rules: Ignore, delta: Delta, old: Tree, new: Tree) -> None:
        self.rules, self.old, self.new = rules, old, new
        self.patterns = [re.compile(pattern) for pattern in rules.regex]
        self.old_index = {xid: index for index, xid in enumerate(delta.old_xids(old).of.tolist())}
        self.new_index = {xid: index for index, xid in enumerate(delta.new_xids(new).of.tolist())}
        self.old_out = self._left_out(old)
        self.new_out = self._left_out(new)

    def _left_out(self, tree: Tree) -> set[int]:
        found: set[int] = set()
        tops: Iterable[object] = [node for rule in self.rules.css for node in tree.select(rule)]
        for rule in self.rules.xpath:
            answer = tree.select_xpath(rule)
            tops = [*tops, *(answer if isinstance(answer, list) else [])]
        for node in tops:
            index = getattr(node, "index", None)
            if index is not None:
                found.update(range(index, int(tree.end(index))))
        return found

    def is_reported(self, operation: Operation) -> bool:
        match operation:
            case Reorder():
                return False
            case Delete(place=place, xids=xids):
                return self._any_reported(
                    self.old, self.old_index, self.old_out, place.parent, xids
                )
            case Insert(place=place, xids=xids):
                return self._any_reported(
                    self.new, self.new_index, self.new_out, place.parent, xids
                )
            case Move(xids=xids, origin=origin, target=target):
                is_out = all(
                    self.old_index[xid] in self.old_out or self.new_index[xid] in self.new_out
                    for xid in xids
                )
                parent = self.new[self.new_index[target.parent]]
                is_free = (
                    origin.parent == target.parent
                    and parent.is_element
                    and parent.name.local in self.rules.unordered
                )
                return not is_out and not is_free
            case Update(xid=xid):
                return not self._is_out(xid) and self._differ(
                    self.old.own_text(self.old_index[xid]), self.new.own_text(self.new_index[xid])
                )
            case Attribute(xid=xid, name=(_, uri, local)):
                if self._is_out(xid) or local in self.rules.attributes:
                    return False
                was, now = (
                    tree.attribute(index[xid], local, namespace=uri)
                    for tree, index in ((self.old, self.old_index), (self.new, self.new_index))
                )
                return was is None or now is None or self._differ(was, now)
            case Rename(xid=xid):
                return not self._is_out(xid)

    def _is_out(self, xid: int) -> bool:
        return self.old_index[xid] in self.old_out or self.new_index[xid] in self.new_out

    def _any_reported(
        self, tree: Tree, index: dict[int, int], out: set[int], parent: int, xids: tuple[int, ...]
    ) -> bool:
        if index[parent] in out:
            return False
        nodes = [index[xid] for xid in xids if index[xid] not in out]
        return any(not self._is_nothing(tree, node) for node in nodes)

    def _is_nothing(self, tree: Tree, node: int) -> bool:
        return (
            tree.kind(node) == Kind.TEXT
            and not self._compared(tree.own_text(node))
            and (self.rules.white_space or bool(self.patterns))
        )

    def _compared(self, text: str) -> str:
        for pattern in self.patterns:
            text = pattern.sub("", text)
        return " ".join(text.split()) if self.rules.white_space else text

    def _differ(self, old: str, new: str) -> bool:
        return self._compared(old) != self._compared(new)
