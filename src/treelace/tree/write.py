"""Writes a tree or a node with all it holds: XML, Canonical XML, JSON, outline, HTML.

Each function is a method of `Tree` and of `Node` too: `page.to_xml()`, `node.to_outline()`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
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
    version: str
    exclusive: bool
    comments: bool
    prefixes: list[str]
    on_invalid: str


class _OutlineOptions(NamedTuple):
    depth: int | None
    fold: bool
    attributes: bool | None
    width: int


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

    `parse(to_xml(tree), format="xml") == tree` for every tree of which `is_expressible_xml` is
    true.

    `declaration` begins with `<?xml …?>`; `doctype` writes the document type with its internal
    subset; `defaults` writes the attributes that came from it. Namespace declarations are
    attributes of the tree and are written as they are: a prefix that an XML tree does not declare
    is a `UsageError`. HTML trees have none, so they get those their names need (XHTML);
    `declare_namespaces` says otherwise for either. A node below the root gets the declarations in
    scope there, or it could not be read alone.

    HTML trees may hold what XML cannot write: control characters, names such as `@click`, `--` in
    comments. With `on_invalid="error"` that is a `UsageError` that names the node; with `"replace"`
    the HTML standard's rules for "coercing an HTML DOM into an infoset" hold: `@click` becomes
    `U000040click`, a character XML has not becomes U+FFFD.

    >>> from treelace import parse
    >>> to_xml(parse("<a><b>1 &lt; 2</b><c/></a>", format="xml"))
    '<a><b>1 &lt; 2</b><c/></a>'
    """
    core, index = source._place
    options = _XmlOptions(declaration, doctype, defaults, declare_namespaces, on_invalid)
    return _kernel.write_xml(core, index, options, limits)


def to_c14n(
    source: Tree | Node,
    *,
    version: Literal["1.0", "1.1"] = "1.1",
    exclusive: bool = False,
    comments: bool = True,
    prefixes: Iterable[str] = (),
    on_invalid: OnInvalid = "error",
    limits: Limits = DEFAULT_LIMITS,
) -> bytes:
    """Canonical XML of a tree or an element: equal content, equal bytes (UTF-8).

    Canonical XML 1.0 or 1.1, or, with `exclusive`, Exclusive Canonical XML 1.0 whatever the
    version; `prefixes` is then its InclusiveNamespaces PrefixList (`"#default"` for the default
    namespace). Node sets other than whole subtrees are not offered. HTML trees get the declarations
    that their names need; `on_invalid` is as in `to_xml`.

    >>> from treelace import parse
    >>> to_c14n(parse("<a z='1' b='2'/>", format="xml"))
    b'<a b="2" z="1"></a>'
    """
    core, index = source._place
    listed = ["" if prefix == "#default" else prefix for prefix in prefixes]
    return _kernel.c14n(
        core, index, _CanonicalOptions(version, exclusive, comments, listed, on_invalid), limits
    )


def to_html(source: Tree | Node, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """HTML by the standard's serialisation, which reads back equal where HTML can express it.

    >>> from treelace import parse
    >>> to_html(parse("<p>a<br>b &amp; c").root)
    '<html><head></head><body><p>a<br>b &amp; c</p></body></html>'
    """
    core, index = source._place
    return _kernel.write_html(core, index, limits)


def to_html_bytes(tree: Tree, *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """HTML in UTF-8, with a byte-order mark if the document declares another encoding."""
    return _kernel.write_html_bytes(tree._core, limits)


def to_json(
    source: Tree | Node, *, indent: int | None = None, limits: Limits = DEFAULT_LIMITS
) -> str:
    """The published JSON form (`docs/reference/json-form.md`), which `from_json` reads back.

    With `indent`, each node stands on a line of its own, so many blanks deeper for each level.

    >>> from treelace import parse
    >>> to_json(parse("<a b='1'>x<!--y--></a>", format="xml").root)
    '{"kind":"element","version":1,"format":"xml","name":"a","attributes":{"b":"1"},"children":["x",{"kind":"comment","text":"y"}]}'
    """
    core, index = source._place
    return _kernel.write_json(core, index, indent, limits)


def to_outline(
    source: Tree | Node,
    *,
    depth: int | None = None,
    fold: bool = False,
    attributes: bool | None = None,
    width: int = 100,
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """An outline for people: a line per element, with id and classes as in CSS, and its text.

    `depth` levels are shown, what is below is counted. With `fold`, a run of three or more siblings
    of one structure is shown once, with its number. `attributes` shows the other attributes too (by
    default where the tree is XML). `width` is the room of a line beyond its indentation, in columns
    of a terminal. Blank texts are left out; control characters are escaped.

    >>> from treelace import parse
    >>> print(parse("<ul id=menu>" + "<li class=x>one" * 24, fragment=True).to_outline(fold=True))
    ul#menu
      li.x ×24 "one"
    """
    core, index = source._place
    return _kernel.outline(core, index, _OutlineOptions(depth, fold, attributes, width), limits)


def is_expressible_xml(tree: Tree, *, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Whether XML can express the tree: then parsing `to_xml(tree)` gives an equal tree.

    `docs/explanation/equality-and-digests.md` has the conditions, one by one: no adjacent or empty
    texts, no `--` in a comment, every prefix declared, and so on.

    >>> from treelace import parse
    >>> is_expressible_xml(parse("<a/>", format="xml"))
    True
    >>> is_expressible_xml(parse("<p>HTML declares no namespaces"))
    False
    """
    return _kernel.is_expressible_xml(tree._core, limits)
