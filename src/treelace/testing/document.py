"""A page one may edit: plain linked nodes, read from a `Tree` and written back as HTML.

`Tree` is immutable, and rightly so. Tools that make changed pages on purpose need something to push
around; this is that and no more: a node knows its parent and its children, an element also its
attributes and the *mark* it carries through edits.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field

from treelace.tree import Kind, Tree
from treelace.tree.names import HTML_NAMESPACE

_VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track"
    " wbr".split()
)
_RAW = frozenset(["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"])
_NEWLINE = frozenset(["pre", "textarea", "listing"])


@dataclass(eq=False, slots=True)
class Leaf:
    """A text, with what it says; or a comment or doctype, with how it is written."""

    text: str = ""
    markup: str = ""
    parent: Element | None = None


@dataclass(eq=False, slots=True)
class Element:
    """An element. `mark` is its name in the page it came from; None for one that is new."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    mark: int | None = None
    is_html: bool = True
    children: list[Element | Leaf] = field(default_factory=list)
    parent: Element | None = None

    def insert(self, position: int, child: Element | Leaf) -> None:
        """Puts a child, which stands nowhere yet, at this place among the children."""
        child.parent = self
        self.children.insert(position, child)

    def append(self, child: Element | Leaf) -> None:
        """Puts a child, which stands nowhere yet, after the others."""
        child.parent = self
        self.children.append(child)

    def position(self) -> int:
        """Place among the children of the parent."""
        assert self.parent is not None
        return next(i for i, child in enumerate(self.parent.children) if child is self)

    def detach(self) -> None:
        """Takes the element out of its parent, with all it holds."""
        assert self.parent is not None
        del self.parent.children[self.position()]
        self.parent = None

    def elements(self) -> Iterator[Element]:
        """This element and those below it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(child for child in reversed(node.children) if isinstance(child, Element))

    def texts(self) -> list[Leaf]:
        """Its own texts that say something."""
        return [child for child in self.children if isinstance(child, Leaf) and child.text.strip()]

    def copy(self) -> Element:
        """The subtree again, without marks."""
        top = Element(self.tag, dict(self.attributes), is_html=self.is_html)
        pairs = [(self, top)]
        for source, target in pairs:
            for child in source.children:
                twin: Element | Leaf
                if isinstance(child, Element):
                    twin = Element(child.tag, dict(child.attributes), is_html=child.is_html)
                    pairs.append((child, twin))
                else:
                    twin = Leaf(child.text, child.markup)
                target.append(twin)
        return top

    @property
    def holds_markup(self) -> bool:
        """Whether an element put inside would be read as one."""
        return not (self.is_html and self.tag in _VOID | _RAW | {"title", "textarea"})


def read(tree: Tree) -> Element:
    """The editable copy of a tree, its elements marked with their index; the root is nameless."""
    parents = tree.parents.tolist()
    nodes: list[Element | Leaf] = []
    for i in range(len(tree)):
        kind = tree.kind(i)
        node: Element | Leaf
        if kind in (Kind.DOCUMENT, Kind.ELEMENT):
            _, namespace, local = tree[i].name
            attributes = {
                f"{prefix}:{name}" if prefix else name: value
                for prefix, _, name, value in tree.attribute_rows(i)
            }
            node = Element(
                local, attributes, is_html=namespace == HTML_NAMESPACE, mark=tree[i].element_index
            )
        elif kind == Kind.TEXT:
            node = Leaf(text=tree.own_text(i))
        elif kind == Kind.DOCTYPE:
            node = Leaf(markup=_doctype(tree, i))
        else:
            node = Leaf(markup=f"<!--{tree.own_text(i)}-->")
        if i:
            parent = nodes[parents[i]]
            assert isinstance(parent, Element)
            parent.append(node)
        nodes.append(node)
    top = nodes[0]
    assert isinstance(top, Element)
    return top


def write(document: Element, *, signature: str | None = None) -> str:
    """The page as HTML; `signature` names an attribute that holds each element's mark."""
    out: list[str] = []
    stack: list[Element | Leaf | str] = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            out.append(node)
        elif isinstance(node, Leaf):
            raw = node.parent is not None and node.parent.is_html and node.parent.tag in _RAW
            out.append(node.markup or (node.text if raw else _escaped(node.text)))
        else:
            if node.tag:
                marked = {signature: str(node.mark)} if signature and node.mark is not None else {}
                pairs = "".join(
                    f' {name}="{_escaped(value, quoted=True)}"'
                    for name, value in (node.attributes | marked).items()
                )
                out.append(f"<{node.tag}{pairs}>")
                if node.is_html and node.tag in _VOID:
                    continue
                first = node.children[0] if node.children else None
                if (
                    node.is_html
                    and node.tag in _NEWLINE
                    and isinstance(first, Leaf)
                    and first.text.startswith("\n")
                ):
                    out.append("\n")
                stack.append(f"</{node.tag}>")
            stack.extend(reversed(node.children))
    return "".join(out)


def _escaped(text: str, *, quoted: bool = False) -> str:
    return (
        html.escape(text, quote=False)
        .replace("\u00a0", "&nbsp;")
        .replace('"', "&quot;" if quoted else '"')
    )


def _doctype(tree: Tree, i: int) -> str:
    ids = {name: value for _, _, name, value in tree.attribute_rows(i)}
    public, system = ids.get("public", ""), ids.get("system", "")
    words = [f'PUBLIC "{public}"'] if public else ["SYSTEM"] if system else []
    words += [f'"{system}"'] if system else []
    return f"<!DOCTYPE {' '.join([tree.local_name(i), *words])}>"
