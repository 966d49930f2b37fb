"""Node: a light view of one row of a Tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import write
from treelace.tree.names import Kind, Name
from treelace.tree.select import Css, XPath, XPathAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from treelace.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree: a pair (tree, index) and nothing more.

    >>> from treelace import parse
    >>> item = parse("<ul><li class=first>one<li>two</ul>").element(4)
    >>> item.tag, item.attributes["class"], item.text, item.parent.tag
    ('li', 'first', 'one', 'ul')
    """

    tree: Tree
    index: int

    @property
    def kind(self) -> Kind:
        """What the node is."""
        return Kind(self.tree._core.kind(self.index))

    @property
    def is_element(self) -> bool:
        """Whether the node is an element."""
        return self.tree._core.kind(self.index) == Kind.ELEMENT

    @property
    def name(self) -> Name:
        """The name of an element or doctype, or an instruction's target; else empty parts."""
        return Name(*self.tree._core.name_parts(self.index))

    @property
    def tag(self) -> str:
        """`div`, `{urn:x}item`; for nodes that are no elements `#text`, `#comment`, …"""
        kind = self.kind
        return self.name.expanded if kind is Kind.ELEMENT else f"#{kind.name.lower()}"

    @property
    def attributes(self) -> dict[str, str]:
        """Names, written as in `tag`, to values, in document order; a new dict at each call."""
        rows = self.tree._core.attributes(self.index)
        return {
            Name(prefix, namespace, local).expanded: value
            for prefix, namespace, local, value in rows
        }

    def attribute(
        self, local: str, default: str | None = None, *, namespace: str = ""
    ) -> str | None:
        """One attribute's value, or `default`."""
        value = self.tree._core.attribute(self.index, namespace, local)
        return default if value is None else value

    @property
    def text(self) -> str:
        """All text inside, joined in document order; of a text, comment or instruction its own."""
        return self.tree._core.string_value(self.index)

    @property
    def own_text(self) -> str:
        """The text of a text, comment or instruction; empty for elements."""
        return self.tree._core.text(self.index)

    @property
    def is_reference(self) -> bool:
        """Whether a text stands for an entity whose replacement is not known."""
        return self.tree._core.is_reference(self.index)

    to_html = write.to_html
    to_xml = write.to_xml
    to_c14n = write.to_c14n
    to_json = write.to_json
    to_outline = write.to_outline

    @property
    def _place(self) -> tuple[_kernel.Tree, int]:
        return self.tree._core, self.index

    @property
    def digest(self) -> str:
        """128 bits that equal subtrees, and only those, share, as 32 hexadecimal digits."""
        return _kernel.digest(self.tree._core, self.index).hex()

    def equals(self, other: Node) -> bool:
        """Whether two subtrees are equal as `Tree` compares; `==` also asks for the same place."""
        return _kernel.equal_subtree(self.tree._core, self.index, other.tree._core, other.index)

    @property
    def parent(self) -> Node | None:
        """The parent; None for the document."""
        parent = self.tree._core.parent(self.index)
        return None if parent is None else Node(self.tree, parent)

    @property
    def children(self) -> list[Node]:
        """The children, left to right, texts and comments included."""
        return [Node(self.tree, child) for child in self.tree._core.children(self.index)]

    @property
    def ancestors(self) -> Iterator[Node]:
        """Parent, its parent, … up to the document."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def descendants(self) -> Iterator[Node]:
        """Every node inside, in document order, the node itself left out."""
        return (
            Node(self.tree, index)
            for index in range(self.index + 1, self.tree._core.end(self.index))
        )

    @property
    def end(self) -> int:
        """One past the index of the last node inside."""
        return self.tree._core.end(self.index)

    @property
    def depth(self) -> int:
        """Level; the document has 0."""
        return self.tree._core.depth(self.index)

    @property
    def line(self) -> int | None:
        """Line of the source from 1, where the parser knows it."""
        return self.tree._core.line(self.index) or None

    @property
    def element_index(self) -> int | None:
        """Number among elements in document order from 0, templates excluded; None for others."""
        return self.tree._core.element_index(self.index)

    @property
    def in_template(self) -> bool:
        """Whether the node stands inside the contents of an HTML `template`."""
        return self.tree._core.in_template(self.index)

    # selection

    def select(
        self,
        selector: str | Css,
        *,
        namespaces: Mapping[str, str] | None = None,
        limit: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> list[Node]:
        """The elements inside that match a CSS selector, in order, up to `limit` (`compile_css`).

        >>> from treelace import parse
        >>> [node.text for node in parse("<ul><li>one<li>two</ul>").root.select("li:last-child")]
        ['two']
        """
        compiled = Css(selector, namespaces) if isinstance(selector, str) else selector
        return compiled.select(self, limit=limit, limits=limits)

    def select_xpath(
        self,
        expression: str | XPath,
        /,
        *,
        namespaces: Mapping[str, str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
        **variables: Any,
    ) -> XPathAnswer:
        """The value of an XPath 1.0 expression here; `variables` give `$name` (`compile_xpath`).

        >>> from treelace import parse
        >>> parse("<ul><li>one<li>two</ul>").root.select_xpath("count(.//li)")
        2.0
        """
        compiled = XPath(expression, namespaces) if isinstance(expression, str) else expression
        return compiled.evaluate(self, limits=limits, **variables)

    def matches(
        self,
        selector: str | Css,
        *,
        namespaces: Mapping[str, str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> bool:
        """Whether this node matches a CSS selector; never for what is no element."""
        compiled = Css(selector, namespaces) if isinstance(selector, str) else selector
        return compiled.matches(self, limits=limits)

    @property
    def xpath(self) -> str | None:
        """The absolute XPath that selects this node alone: `/html/body/ul[2]/li`.

        A name with a namespace is written `*[local-name()='…']`, so that no prefixes are needed.
        None for the doctype and for texts without a character, which XPath does not see. Adjacent
        texts are one for XPath and have one path.
        """
        return _kernel.xpath_of(self.tree._core, self.index)

    @property
    def css(self) -> str | None:
        """A selector that matches this element and nothing else: `:root > body > ul:nth-child(2) >
        li`; None for other nodes.
        """
        return _kernel.css_of(self.tree._core, self.index)

    def __repr__(self) -> str:
        kind = self.kind
        if kind is Kind.ELEMENT:
            marks = "".join(
                f" {key}={value!r}"
                for key, value in self.attributes.items()
                if key in ("id", "class")
            )
            return f"<Node {self.index}: {self.tag}{marks}>"
        text = self.own_text
        return f"<Node {self.index}: {self.tag}{f' {text[:40]!r}' if text else ''}>"
