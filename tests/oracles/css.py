"""Selectors from their definitions: does this element match, asked of one element at a time, by
looking around it.

A selector is a list of compounds from left to right with the combinators between them; `text()`
writes it as CSS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from treelace import Node, Tree


@dataclass
class Nth:
    """`:nth-*(an+b of …)`."""

    a: int
    b: int
    from_end: bool = False
    of_type: bool = False
    of: list[Complex] = field(default_factory=list)

    def text(self) -> str:
        kind = "of-type" if self.of_type else "child"
        of = f" of {listed(self.of)}" if self.of else ""
        return f":nth-{'last-' if self.from_end else ''}{kind}({self.a}n{self.b:+}{of})"

    def holds(self, node: Node, scope: Node) -> bool:
        siblings = [it for it in elements(node.parent) if not self.of_type or it.tag == node.tag]
        if self.of:
            siblings = [
                it for it in siblings if any(selector.matches(it, scope) for selector in self.of)
            ]
        if self.from_end:
            siblings.reverse()
        return node in siblings and any(
            self.a * n + self.b == siblings.index(node) + 1
            for n in range(len(siblings) + abs(self.b) + 2)
        )


@dataclass
class Compound:
    """Simple selectors for one element."""

    tag: str = "*"
    classes: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    pseudos: list[str] = field(default_factory=list)
    nths: list[Nth] = field(default_factory=list)
    any_of: list[list[Complex]] = field(default_factory=list)
    none_of: list[list[Complex]] = field(default_factory=list)
    has: list[list[tuple[str, Complex]]] = field(default_factory=list)

    def text(self) -> str:
        parts = [
            self.tag,
            *(f".{it}" for it in self.classes),
            *(f"[{name}{operator}'{value}']" for name, operator, value in self.attributes),
        ]
        parts += [*(f":{it}" for it in self.pseudos), *(it.text() for it in self.nths)]
        parts += [
            *(f":is({listed(it)})" for it in self.any_of),
            *(f":not({listed(it)})" for it in self.none_of),
        ]
        parts += [
            f":has({', '.join(f'{link} {selector.text()}' for link, selector in it)})"
            for it in self.has
        ]
        return "".join(parts)

    def holds(self, node: Node, scope: Node) -> bool:
        return (
            self.tag in ("*", node.tag)
            and all(it in (node.attribute("class") or "").split() for it in self.classes)
            and all(
                compares(node.attribute(name), operator, value)
                for name, operator, value in self.attributes
            )
            and all(PSEUDOS[it](node, scope) for it in self.pseudos)
            and all(it.holds(node, scope) for it in self.nths)
            and all(any(selector.matches(node, scope) for selector in it) for it in self.any_of)
            and not any(selector.matches(node, scope) for it in self.none_of for selector in it)
            and all(
                any(leads(link, selector, node, scope) for link, selector in it) for it in self.has
            )
        )


@dataclass
class Complex:
    """Compounds with combinators: `links[k]` stands before `compounds[k + 1]`."""

    compounds: list[Compound]
    links: list[str]

    def text(self) -> str:
        first, *rest = self.compounds
        return first.text() + "".join(
            f" {link} {compound.text()}" for link, compound in zip(self.links, rest, strict=True)
        )

    def matches(self, node: Node, scope: Node, first: list[Node] | None = None) -> bool:
        """Whether `node` fits the last compound and the others fit where they must; `first`: where
        the first compound may stand.
        """
        if not self.compounds[-1].holds(node, scope):
            return False
        if not self.links:
            return first is None or node in first
        left = Complex(self.compounds[:-1], self.links[:-1])
        return any(left.matches(it, scope, first) for it in sources(self.links[-1], node))


def listed(selectors: list[Complex]) -> str:
    return ", ".join(it.text() for it in selectors)


def elements(parent: Node | None) -> list[Node]:
    return [] if parent is None else [it for it in parent.children if it.is_element]


def sources(link: str, node: Node) -> list[Node]:
    """From where a combinator leads to `node`."""
    if link in (">", " "):
        above = [it for it in node.ancestors if it.is_element]
        return above[:1] if link == ">" else above
    before = [it for it in elements(node.parent) if it.index < node.index]
    return before[-1:] if link == "+" else before


def targets(link: str, node: Node) -> list[Node]:
    """Where a combinator leads from `node`."""
    if link == ">":
        return elements(node)
    if link == " ":
        return [it for it in node.descendants if it.is_element]
    after = [it for it in elements(node.parent) if it.index > node.index]
    return after[:1] if link == "+" else after


def leads(link: str, selector: Complex, anchor: Node, scope: Node) -> bool:
    """`:has(link selector)`: some element matches, with the first compound where `link` leads from
    the anchor.
    """
    first = targets(link, anchor)
    return any(selector.matches(it, scope, first) for it in anchor.tree.elements)


def compares(given: str | None, operator: str, value: str) -> bool:
    if given is None:
        return False
    match operator:
        case "=":
            return given == value
        case "~=":
            return bool(value) and value in given.split()
        case "|=":
            return given == value or given.startswith(value + "-")
        case "^=":
            return bool(value) and given.startswith(value)
        case "$=":
            return bool(value) and given.endswith(value)
    return bool(value) and value in given


def is_root(node: Node, scope: Node) -> bool:
    return node.parent is not None and node.parent.index == 0 and not node.tree.is_fragment


PSEUDOS: dict[str, Callable[[Node, Node], bool]] = {
    "empty": lambda node, _: (
        not any(it.is_element or it.text for it in node.children if it.tag != "#comment")
    ),
    "root": is_root,
    "scope": lambda node, scope: node == scope if scope.index else is_root(node, scope),
    "first-child": lambda node, _: elements(node.parent)[0] == node,
    "last-child": lambda node, _: elements(node.parent)[-1] == node,
    "only-child": lambda node, _: len(elements(node.parent)) == 1,
    "only-of-type": lambda node, _: [it.tag for it in elements(node.parent)].count(node.tag) == 1,
}


def select(selectors: list[Complex], start: Node) -> list[Node]:
    """The elements below `start` that match."""
    return [
        it
        for it in start.descendants
        if it.is_element and any(selector.matches(it, start) for selector in selectors)
    ]


def tree_select(selectors: list[Complex], tree: Tree) -> list[Node]:
    return select(selectors, tree.document)
