"""Select: which nodes of a tree a CSS selector or an XPath expression means.

`tree.select("a[href]")` and `tree.select_xpath("//a/@href")` read the expression and run it. In a
loop, read it once: `compile_css` and `compile_xpath` give objects that work on any tree, from any
thread. There is no cache behind the strings: reading one takes microseconds, and nothing is kept
that nobody asked to keep.
"""

from __future__ import annotations

from collections import deque
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree.names import Name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treelace.tree.node import Node
    from treelace.tree.tree import Tree

_FEW = 4


class Attribute(str):
    """An attribute in an XPath answer: its value, a string, with its `name` and `element`.

    >>> from treelace import parse
    >>> link = parse("<a href=/x>y</a>").select_xpath("//@href")[0]
    >>> link, link.name.local, link.element.text
    ('/x', 'href', 'y')
    """

    __slots__ = ("_index", "_number", "_tree")

    _tree: Tree
    _index: int
    _number: int

    @property
    def element(self) -> Node:
        """The element it stands on."""
        return self._tree[self._index]

    @property
    def name(self) -> Name:
        """Prefix, namespace and local name."""
        return Name(*self._tree._core.attributes(self._index)[self._number][:3])

    def __reduce__(self) -> tuple[Any, ...]:
        return _attribute, (str(self), self._tree, self._index, self._number)


class Namespace(NamedTuple):
    """A namespace in an XPath answer: its prefix (empty for the default one) and its name."""

    prefix: str
    uri: str


XPathAnswer = Any
"""`list[Node | Attribute | Namespace]`, `str`, `float` or `bool`, as the expression decides."""


class Css:
    """A compiled CSS selector list: selectors level 4, as browsers have them (`compile_css`)."""

    __slots__ = ("_core", "expression", "namespaces")

    def __init__(self, expression: str, namespaces: Mapping[str, str] | None = None) -> None:
        self.expression = expression
        self.namespaces = dict(namespaces or {})
        self._core = _kernel.CompiledCss(expression, self.namespaces)

    def select(
        self, start: Tree | Node, *, limit: int | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> list[Node]:
        """The elements below `start` that match, in document order, at most `limit`.

        As browsers' `querySelectorAll`: what stands above `start` counts when the selector looks
        there, and `:scope` is `start`.
        """
        node = _node(start)
        if limit is not None and limit < 0:
            raise UsageError(f"limit={limit}: at most how many nodes? 0 or more, or None for all")
        return _nodes(node, self._core.select(node.tree._core, node.index, limit, limits.seconds))

    def matches(self, node: Node, *, limits: Limits = DEFAULT_LIMITS) -> bool:
        """Whether `node` itself matches; never for what is no element."""
        return self._core.matches(node.tree._core, node.index, limits.seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        return Css, (self.expression, self.namespaces)

    def __repr__(self) -> str:
        return f"<Css {self.expression!r}>"


class XPath:
    """An XPath 1.0 expression, read once (see `compile_xpath`)."""

    __slots__ = ("_core", "expression", "namespaces")

    def __init__(self, expression: str, namespaces: Mapping[str, str] | None = None) -> None:
        self.expression = expression
        self.namespaces = dict(namespaces or {})
        self._core = _kernel.CompiledXPath(expression, self.namespaces)

    def evaluate(
        self, start: Tree | Node, /, *, limits: Limits = DEFAULT_LIMITS, **variables: Any
    ) -> XPathAnswer:
        """The value of the expression with `start` as context node.

        A node-set is a list in document order: nodes as `Node`, attributes as `Attribute` (a
        string), namespaces as `Namespace`. Other values are a `str`, a `float` or a `bool`.
        `variables` are the values of `$name`: the same kinds, and nodes of the tree.
        """
        node = _node(start)
        given = (
            [(name, _variable(node, name, value)) for name, value in variables.items()]
            if variables
            else []
        )
        answer = self._core.evaluate(node.tree._core, node.index, given, limits.seconds)
        if isinstance(answer, list):
            return _nodes(node, answer)
        if isinstance(answer, tuple):
            return (
                _attributes(node, *answer)
                if len(answer) == 3
                else [_one(node, *parts) for parts in zip(*answer, strict=True)]
            )
        return answer

    def __reduce__(self) -> tuple[Any, ...]:
        return XPath, (self.expression, self.namespaces)

    def __repr__(self) -> str:
        return f"<XPath {self.expression!r}>"


def compile_css(expression: str, *, namespaces: Mapping[str, str] | None = None) -> Css:
    """Reads a CSS selector list, to be used on any number of trees, from any thread.

    Selectors level 4 as browsers have them: all combinators, `:is :where :not :has`, `:nth-child(…
    of …)` and its sisters, attribute selectors with `i` and `s`, `:lang :dir :checked :disabled`
    and the like by markup. States that no document on disk has (`:hover`) match nothing. HTML names
    ignore case, XML names do not; ids and classes ignore it in quirks mode. `namespaces` maps
    prefixes to namespaces for `svg|path`; the prefix `""` is the default namespace. Matching takes
    time O(nodes × length of the selector), whatever the tree.

    Not promised: browsers skip what they cannot read inside `:is()`; here every error is a
    `UsageError` that says what and where.

    >>> from treelace import compile_css, parse
    >>> rows = compile_css("li:not(.ad)")
    >>> [node.text for node in rows.select(parse("<ul><li>one<li class=ad>two<li>three"))]
    ['one', 'three']
    """
    return Css(expression, namespaces)


def compile_xpath(expression: str, *, namespaces: Mapping[str, str] | None = None) -> XPath:
    """Reads an XPath 1.0 expression, to be used on any number of trees, from any thread.

    The whole of XPath 1.0 (W3C Recommendation, 1999). `namespaces` maps the prefixes in it to
    namespaces. In an HTML tree a name without prefix means elements of that name in any namespace,
    in any case of letters. Time is linear in the tree for each step, but for predicates that
    compute something from all descendants of each node; `limits.seconds` bounds those.

    >>> from treelace import compile_xpath, parse
    >>> price = compile_xpath("number(substring-after(//b[@class=$kind], '$'))")
    >>> price.evaluate(parse("<b class=was>$12</b><b class=now>$9.50</b>"), kind="now")
    9.5
    """
    return XPath(expression, namespaces)


def _nodes(like: Node, indexes: list[int]) -> list[Node]:
    # answers of many thousand nodes are common: they are made without a call into Python for each
    if not indexes:
        return []
    node_class: Any = type(like)
    tree, new, set_tree, set_index = (
        like.tree,
        object.__new__,
        node_class.tree.__set__,
        node_class.index.__set__,
    )
    if len(indexes) < _FEW:
        made = [new(node_class) for _ in indexes]
        for node, index in zip(made, indexes, strict=True):
            set_tree(node, tree)
            set_index(node, index)
        return made
    made = list(map(new, repeat(node_class, len(indexes))))
    deque(map(set_tree, made, repeat(tree)), 0)
    deque(map(set_index, made, indexes), 0)
    return made


def _attributes(
    like: Node, indexes: list[int], numbers: list[int], values: list[str]
) -> list[Attribute]:
    if len(indexes) < _FEW:
        tree = like.tree
        return [
            _attribute(value, tree, index, number)
            for index, number, value in zip(indexes, numbers, values, strict=True)
        ]
    attribute_class: Any = Attribute
    made = list(map(attribute_class, values))
    deque(map(attribute_class._tree.__set__, made, repeat(like.tree)), 0)
    deque(map(attribute_class._index.__set__, made, indexes), 0)
    deque(map(attribute_class._number.__set__, made, numbers), 0)
    return made


def _one(
    like: Node, index: int, number: int, value: str, prefix: str
) -> Node | Attribute | Namespace:
    if number == -1:
        return like.tree[index]
    return Namespace(prefix, value) if number == -2 else _attribute(value, like.tree, index, number)


def _attribute(value: str, tree: Tree, index: int, number: int) -> Attribute:
    made = Attribute(value)
    made._tree = tree
    made._index = index
    made._number = number
    return made


def _node(start: Tree | Node) -> Node:
    return cast("Node", start) if hasattr(start, "index") else start.document


def _variable(like: Node, name: str, value: Any) -> str | float | bool | list[int]:
    if isinstance(value, str | bool | int | float):
        return value
    given = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(node, type(like)) and node.tree is like.tree for node in given):
        raise UsageError(
            f"XPath variable ${name}={value!r}: give a string, a number, a boolean, or nodes of the"
            " same tree"
        )
    return [node.index for node in given]
