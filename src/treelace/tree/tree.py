"""Tree: an immutable document, flat and in document order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import write
from treelace.tree.names import Kind, Name
from treelace.tree.node import Node
from treelace.tree.select import Css, XPath, XPathAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray


class Problem(NamedTuple):
    """Something the parser had to mend: where (0 where it is not known), and what."""

    line: int
    message: str


class Tree:
    """An immutable document. Node `i` is row `i` of every column; row 0 is the document; the
    subtree of `i` is `i..ends[i]`.

    Made by `treelace.parse`; read from many threads at once; compares by what Canonical XML sees,
    and the doctype.

    >>> tree = Tree.from_brackets("{ul{li}{li}}")
    >>> len(tree), tree.root.tag, tree.parents.tolist()[1:]
    (4, 'ul', [0, 1, 1])
    """

    __slots__ = ("__weakref__", "_core")

    def __init__(self, core: _kernel.Tree) -> None:
        self._core = core

    @classmethod
    def from_brackets(cls, text: str, *, limits: Limits = DEFAULT_LIMITS) -> Tree:
        r"""A tree in one line, as papers write it: `{a{b}{c{d}}}`; a backslash escapes a brace."""
        return cls(_kernel.parse_brackets(text, limits))

    def to_brackets(self) -> str:
        """The elements in bracket notation; other nodes are left out."""
        return self._core.brackets()

    @classmethod
    def from_json(cls, text: str, *, limits: Limits = DEFAULT_LIMITS) -> Tree:
        """The tree of its JSON form, equal to the one written; a part becomes a fragment.

        What is not that form is a `ParseError` with line and column. Source lines are not in the
        form, so there are none.

        >>> Tree.from_json('{"kind": "element", "name": "a", "children": ["x"]}').to_xml()
        '<a>x</a>'
        """
        return cls(_kernel.read_json(text, limits))

    to_html = write.to_html
    to_html_bytes = write.to_html_bytes
    to_xml = write.to_xml
    to_c14n = write.to_c14n
    to_json = write.to_json
    to_outline = write.to_outline

    @property
    def _place(self) -> tuple[_kernel.Tree, int]:
        return self._core, 0

    def to_lxml(self) -> Any:
        """As an lxml `ElementTree`; HTML elements without namespace, as lxml's parser has it."""
        from treelace.tree.lxml_output import to_lxml

        return to_lxml(self)

    # equality: what Canonical XML sees, and the doctype

    def __eq__(self, other: object) -> bool:
        return _kernel.equal(self._core, other._core) if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(_kernel.digest(self._core, 0))

    @property
    def digest(self) -> str:
        """128 bits that only equal trees share, as 32 hexadecimal digits; same on any machine."""
        return _kernel.digest(self._core, 0).hex()

    @property
    def digests(self) -> NDArray[np.uint8]:
        """The digest of every subtree, 16 bytes a row; computed once, in one pass over the tree."""
        return _kernel.digests(self._core)

    # a tree is immutable: a copy is itself; between processes it travels in the kernel's compact
    # form

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: object) -> Tree:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (_kernel.store_tree(self._core),)

    # nodes

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, index: int) -> Node:
        if not 0 <= index < len(self._core):
            raise IndexError(f"node {index} of a tree of {len(self._core)} nodes")
        return Node(self, index)

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, index) for index in range(len(self._core)))

    @property
    def document(self) -> Node:
        """The document node, row 0."""
        return Node(self, 0)

    @property
    def root(self) -> Node | None:
        """The first element below the document; None if there is none."""
        return next((child for child in self.document.children if child.is_element), None)

    @property
    def elements(self) -> Iterator[Node]:
        """Every element in document order, template contents included."""
        kind, element = self._core.kind, Kind.ELEMENT
        return (Node(self, index) for index in range(len(self._core)) if kind(index) == element)

    def element(self, element_index: int) -> Node:
        """The node with this element index (the number that files for outsiders use)."""
        index = self._core.node_of_element(element_index) if element_index >= 0 else None
        if index is None:
            raise IndexError(f"no element {element_index} in this tree")
        return Node(self, index)

    # one row by its number, for loops over many nodes: no object is made for a node

    def kind(self, index: int) -> int:
        """`Kind` of a node, as a number."""
        return self._core.kind(index)

    def local_name(self, index: int) -> str:
        """The local name of a node; empty where there is none."""
        return self._core.local_name(index)

    def own_text(self, index: int) -> str:
        """The text of a text, comment or instruction; empty for elements."""
        return self._core.text(index)

    def parent(self, index: int) -> int | None:
        """The parent of a node; None for the document."""
        return self._core.parent(index)

    def children(self, index: int) -> list[int]:
        """The children of a node, left to right, texts and comments included."""
        return self._core.children(index)

    def end(self, index: int) -> int:
        """One past the last node of a node's subtree."""
        return self._core.end(index)

    def depth(self, index: int) -> int:
        """The level of a node; the document has 0."""
        return self._core.depth(index)

    def attribute(self, index: int, local: str, *, namespace: str = "") -> str | None:
        """The value of one attribute of a node; None where it has none."""
        return self._core.attribute(index, namespace, local)

    def attribute_rows(self, index: int) -> list[tuple[str, str, str, str]]:
        """Prefix, namespace, local name and value of each attribute of a node."""
        return self._core.attributes(index)

    # selection

    def select(
        self,
        selector: str | Css,
        *,
        namespaces: Mapping[str, str] | None = None,
        limit: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> list[Node]:
        """The elements that match a CSS selector, in order, up to `limit` (`compile_css`).

        >>> [node.tag for node in Tree.from_brackets("{ul{li}{li{b}}}").select("li:has(b), b")]
        ['li', 'b']
        """
        return self.document.select(selector, namespaces=namespaces, limit=limit, limits=limits)

    def select_xpath(
        self,
        expression: str | XPath,
        /,
        *,
        namespaces: Mapping[str, str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
        **variables: Any,
    ) -> XPathAnswer:
        """The value of an XPath 1.0 expression with the document as context; see `compile_xpath`.

        >>> Tree.from_brackets("{ul{li}{li{b}}}").select_xpath("count(//li[b])")
        1.0
        """
        return self.document.select_xpath(
            expression, namespaces=namespaces, limits=limits, **variables
        )

    # what is known beside the nodes

    @property
    def kernel(self) -> _kernel.Tree:
        """The tree as functions of the kernel take it; it is handed on, never read from."""
        return self._core

    @property
    def is_html(self) -> bool:
        """Whether the tree was read from HTML."""
        return self._core.is_html

    @property
    def format(self) -> Literal["html", "xml"]:
        """The language the tree was read from."""
        return "html" if self._core.is_html else "xml"

    @property
    def encoding(self) -> str | None:
        """What the bytes were read with; None for text that came as text."""
        return self._core.encoding or None

    @property
    def quirks(self) -> str:
        """HTML's quirks mode: `no-quirks`, `limited-quirks` or `quirks`."""
        return self._core.quirks

    @property
    def is_fragment(self) -> bool:
        """Whether this is a fragment: the document may hold any children."""
        return self._core.is_fragment

    @property
    def problems(self) -> list[Problem]:
        """What the parser mended, the first thousand; `problem_count` has the number."""
        return [Problem(line, message) for line, message in self._core.problems]

    @property
    def problem_count(self) -> int:
        """How many things the parser mended."""
        return self._core.problem_count

    # columns, as NumPy arrays that look at the tree in place (read-only)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """`Kind` of each node."""
        return self._core.kinds

    @property
    def name_ids(self) -> NDArray[np.uint32]:
        """Number of each node's name in `names`."""
        return self._core.name_ids

    @property
    def names(self) -> list[Name]:
        """The names of this tree by their numbers; number 0 is the empty one."""
        return [Name(*parts) for parts in self._core.name_table()]

    @property
    def parents(self) -> NDArray[np.uint32]:
        """Parent of each node; 2³² − 1 for the document."""
        return self._core.parents

    @property
    def ends(self) -> NDArray[np.uint32]:
        """One past the last node of each node's subtree."""
        return self._core.ends

    @property
    def depths(self) -> NDArray[np.uint32]:
        """Level of each node."""
        return self._core.depths

    @property
    def lines(self) -> NDArray[np.uint32]:
        """Source line of each node from 1, or 0."""
        return self._core.lines

    @property
    def element_indexes(self) -> NDArray[np.uint32]:
        """Element index of each node; 2³² − 1 for nodes that have none."""
        return self._core.element_indexes

    def __repr__(self) -> str:
        root = self.root
        inside = "" if root is None else f" in {root.tag}"
        problems = f", {self.problem_count:,} problems" if self.problem_count else ""
        return f"<Tree: {len(self):,} nodes{inside}, {self.format}{problems}>"


def _load(stored: bytes) -> Tree:
    """The tree of a pickle; `DamagedError` where the bytes are not those that were written."""
    return Tree(_kernel.load_tree(stored))
