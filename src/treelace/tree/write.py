"""Writing: a tree, or one node with all it holds, as XML, as Canonical XML, as JSON, as an outline for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree.node import Node
from treelace.tree.tree import Tree

OnInvalid = Literal["error", "replace"]


class _XmlOptions(NamedTuple):
    declaration: bool
    doctype: bool
    defaults: bool
    declare_namespaces: bool | None
    on_invalid: str


class _CanonicalOptions(NamedTuple):
    method: str
    comments: bool
    prefixes: list[str]
    on_invalid: str


def to_xml(
    source: Tree | Node,
    *,
    declaration: bool = False,
    doctype: bool = True,
    defaults: bool = True,
    declare_namespaces: bool | None = None,
    on_invalid: OnInvalid = "error",
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """XML 1.0 of a tree or of one node, attributes in document order, escaped no more than needed.

    `parse(to_xml(tree), format="xml") == tree` for every tree of which `is_expressible_xml` is true.

    `declaration` begins with `<?xml …?>`; `doctype` writes the document type with its internal subset; `defaults` writes the attributes
    that came from it. Namespace declarations are attributes of the tree and are written as they are: a prefix that an XML tree does not
    declare is a `UsageError`. HTML trees have none, so they get those their names need (XHTML); `declare_namespaces` says
    otherwise for either. A node below the root gets the declarations in scope there, or it could not be read alone.

    HTML trees may hold what XML cannot write: control characters, names such as `@click`, `--` in comments. With
    `on_invalid="error"` that is a `UsageError` that names the node; with `"replace"` the HTML standard's rules for
    "coercing an HTML DOM into an infoset" hold: `@click` becomes `U000040click`, a character XML has not becomes U+FFFD.

    >>> from treelace import parse
    >>> to_xml(parse("<a><b>1 &lt; 2</b><c/></a>", format="xml"))
    '<a><b>1 &lt; 2</b><c/></a>'
    """
    core, index = _place(source)
    options = _XmlOptions(declaration, doctype, defaults, declare_namespaces, on_invalid)
    return _kernel.write_xml(core, index, options, limits)


def to_c14n(
    source: Tree | Node,
    *,
    method: Literal["1.0", "1.1", "exclusive"] = "1.1",
    comments: bool = True,
    prefixes: Iterable[str] = (),
    on_invalid: OnInvalid = "error",
    limits: Limits = DEFAULT_LIMITS,
) -> bytes:
    """Canonical XML of a tree or of one element with all it holds: equal content, equal bytes (UTF-8).

    `method` is the W3C recommendation: Canonical XML 1.0, 1.1, or Exclusive Canonical XML 1.0, for which `prefixes` is the
    InclusiveNamespaces PrefixList (`"#default"` or `""` for the default namespace). Node sets other than whole subtrees are not offered.

    >>> from treelace import parse
    >>> to_c14n(parse("<a z='1' b='2'/>", format="xml"))
    b'<a b="2" z="1"></a>'
    """
    core, index = _place(source)
    listed = ["" if prefix == "#default" else prefix for prefix in prefixes]
    return _kernel.c14n(core, index, _CanonicalOptions(method, comments, listed, on_invalid), limits)


def _place(source: Tree | Node) -> tuple[_kernel.Tree, int]:
    return (source.tree._core, source.index) if isinstance(source, Node) else (source._core, 0)
