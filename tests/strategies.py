"""What property tests are fed with: trees that look like pages, documents full of namespaces, and
every tree there can be.

trees()          small trees with few labels, so that equal subtrees meet (brackets() is the same as
text) pages()          HTML text: a header, wrappers of div, lists and tables of records, a footer
page_trees()     the same, parsed page_pairs()     two versions of a page: records gone, new, moved,
changed; blocks moved; another wrapper xml_documents()  well-formed XML text, heavy on namespaces,
with comments, instructions, CDATA, a doctype xml_trees()      trees that XML can express
any_trees()      every tree a Builder can make: odd names, adjacent and empty texts, characters XML
has not
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from treelace import Tree, _kernel, parse
from treelace.limits import DEFAULT_LIMITS

XML = "http://www.w3.org/XML/1998/namespace"
XMLNS = "http://www.w3.org/2000/xmlns/"
HTML = "http://www.w3.org/1999/xhtml"

ELEMENT, TEXT, COMMENT, INSTRUCTION, DOCTYPE = 1, 2, 3, 4, 5

Name = tuple[str, str, str]
Row = tuple[int, int, Name, str, list[tuple[Name, str]], int]

# small trees


@st.composite
def brackets(draw: st.DrawFn, *, max_nodes: int = 12, labels: str = "abc") -> str:
    """A tree of at least one node in bracket notation."""
    count = draw(st.integers(1, max_nodes))
    text, open_nodes = "{" + draw(st.sampled_from(labels)), 1
    for _ in range(count - 1):
        closed = draw(st.integers(0, open_nodes - 1))
        text += "}" * closed + "{" + draw(st.sampled_from(labels))
        open_nodes += 1 - closed
    return text + "}" * open_nodes


def trees(*, max_nodes: int = 12, labels: str = "abc") -> st.SearchStrategy[Tree]:
    """A tree of at least one element, made of few labels."""
    return brackets(max_nodes=max_nodes, labels=labels).map(Tree.from_brackets)


# pages

WORDS = [
    "red",
    "blue",
    "lamp",
    "chair",
    "oak",
    "steel",
    "small",
    "large",
    "new",
    "sale",
    "of",
    "and",
    "the",
    "4",
    "12",
    "1999",
    "Grüße",
    "椅子",
]
CLASSES = [
    "item",
    "card",
    "row",
    "price",
    "name",
    "title",
    "sale",
    "hot",
    "col-4",
    "wide",
    "active",
]


@dataclass(frozen=True)
class Record:
    """One thing on a page."""

    name: str
    price: str
    marks: tuple[str, ...]
    has_image: bool
    note: str


@dataclass(frozen=True)
class Page:
    """What a page says, before it is markup: a template's parameters and its data."""

    shape: str
    depth: int
    header: tuple[str, ...]
    records: tuple[Record, ...]
    more: tuple[Record, ...]
    footer: str
    footer_first: bool = False

    def html(self) -> str:
        """The page as a site would send it."""
        menu = "".join(
            f'<li><a href="/{i}">{html.escape(word)}</a></li>' for i, word in enumerate(self.header)
        )
        blocks = [
            f"<nav><ul>{menu}</ul></nav>",
            _list(self.records, self.shape),
            _list(self.more, "div"),
        ]
        footer = f"<footer><p>{html.escape(self.footer)}</p></footer>"
        blocks = [footer, *blocks] if self.footer_first else [*blocks, footer]
        inside = "\n".join(blocks)
        for level in range(self.depth):
            inside = f'<div class="wrap-{level}">{inside}</div>'
        return (
            f"<!doctype html><html><head><title>{html.escape(self.footer)}</title></head>"
            f"<body>{inside}</body></html>"
        )


def _list(records: tuple[Record, ...], shape: str) -> str:
    outer, inner, field = {
        "ul": ("ul", "li", "span"),
        "table": ("table", "tr", "td"),
        "div": ("div", "div", "p"),
    }[shape]
    rows = []
    for record in records:
        image = f'<img src="/{html.escape(record.name)}.png" alt="">' if record.has_image else ""
        note = f"<{field}><em>{html.escape(record.note)}</em>!</{field}>" if record.note else ""
        fields = (
            f'<{field} class="name">{image}<b>{html.escape(record.name)}</b></{field}>'
            f"<{field}>{html.escape(record.price)}</{field}>{note}"
        )
        rows.append(f'<{inner} class="{" ".join(record.marks)}">{fields}</{inner}>')
    return f"<{outer}>{chr(10).join(rows)}</{outer}>" if rows else ""


_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
_records = st.builds(
    Record,
    name=_words,
    price=st.integers(1, 999).map(lambda cents: f"${cents / 100:.2f}"),
    marks=st.lists(st.sampled_from(CLASSES), max_size=2, unique=True).map(tuple),
    has_image=st.booleans(),
    note=st.one_of(st.just(""), _words),
)
_pages = st.builds(
    Page,
    shape=st.sampled_from(["ul", "table", "div"]),
    depth=st.integers(0, 3),
    header=st.lists(_words, max_size=4).map(tuple),
    records=st.lists(_records, max_size=6).map(tuple),
    more=st.lists(_records, max_size=2).map(tuple),
    footer=_words,
)


def pages() -> st.SearchStrategy[str]:
    """HTML that looks like a page of a site."""
    return _pages.map(Page.html)


def page_trees() -> st.SearchStrategy[Tree]:
    """Trees of such pages."""
    return pages().map(lambda text: parse(text, format="html"))


@st.composite
def page_pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Two versions of one page, the second changed a little as sites change: often not at all in
    most places.
    """
    old = draw(_pages)
    records = list(old.records)
    for change in draw(
        st.lists(st.sampled_from(["drop", "add", "move", "update", "mark"]), max_size=3)
    ):
        at = draw(st.integers(0, len(records)))
        if change == "add":
            records.insert(at, draw(_records))
        elif at < len(records):
            if change == "drop":
                del records[at]
            elif change == "move":
                records.insert(draw(st.integers(0, len(records) - 1)), records.pop(at))
            elif change == "update":
                records[at] = replace(records[at], price=draw(_records).price)
            else:
                records[at] = replace(records[at], marks=(*records[at].marks, "changed"))
    new = replace(
        old,
        records=tuple(records),
        depth=draw(st.sampled_from([old.depth, old.depth, old.depth + 1])),
        footer=draw(st.one_of(st.just(old.footer), _words)),
        footer_first=draw(st.sampled_from([False, False, True])),
    )
    return parse(old.html(), format="html"), parse(new.html(), format="html")


# XML

LOCALS = ["a", "b", "item", "π", "x-1.2"]
PREFIXES = ["", "p", "q"]
URIS = ["urn:1", "urn:2", "http://example.org/?a=1&b=2"]
_xml_text = st.text(
    st.sampled_from("ab <>&'\"\n\t\r]é\U0001f600\u2028\x85"), min_size=1, max_size=8
)
_comment = st.text(st.sampled_from("ab <>&'\"\n"), max_size=6)
_data = st.text(st.sampled_from("ab <>&'\"\n"), max_size=6).map(str.lstrip)


def _in_scope(scope: dict[str, str]) -> list[tuple[str, str]]:
    """Prefix and namespace an element may have here."""
    return [("", scope.get("", ""))] + [(prefix, uri) for prefix, uri in scope.items() if prefix]


@st.composite
def _xml_rows(draw: st.DrawFn, *, max_nodes: int) -> list[Row]:
    """Rows of a document that XML can express: namespaces declared, no adjacent texts, nothing that
    cannot be written.
    """
    rows: list[Row] = []
    if draw(st.integers(0, 3)) == 0:
        ids = draw(
            st.sampled_from(
                [
                    [],
                    [(("", "", "system"), "a.dtd")],
                    [(("", "", "public"), "-//X"), (("", "", "system"), "it's")],
                ]
            )
        )
        rows.append((DOCTYPE, 1, ("", "", "a"), "", ids, 0))
    beside = st.lists(_leaf(1), max_size=1)
    rows += draw(beside)
    scopes: list[dict[str, str]] = [{}]
    after_text = False
    for number in range(draw(st.integers(1, max_nodes))):
        if number:
            closed = draw(st.integers(0, len(scopes) - 2))
            if closed:
                del scopes[-closed:]
                after_text = False
        depth = len(scopes)
        if number and draw(st.integers(0, 2)) == 0:
            leaf = draw(
                _leaf(depth)
                if after_text
                else st.one_of(
                    _leaf(depth),
                    _xml_text.map(
                        lambda text, depth=depth: (TEXT, depth, ("", "", ""), text, [], 0)
                    ),
                )
            )
            after_text = leaf[0] == TEXT
            rows.append(leaf)
            continue
        scope, attributes = dict(scopes[-1]), []
        for prefix in draw(st.lists(st.sampled_from(PREFIXES), max_size=2, unique=True)):
            uri = draw(st.sampled_from(URIS if prefix else [*URIS, ""]))
            scope[prefix] = uri
            attributes.append((("xmlns", XMLNS, prefix) if prefix else ("", XMLNS, "xmlns"), uri))
        names = [("", "", local) for local in LOCALS] + [
            ("xml", XML, local) for local in ("lang", "space", "base", "id")
        ]
        names += [
            (prefix, uri, local) for prefix, uri in scope.items() if prefix for local in LOCALS
        ]
        for name in draw(st.lists(st.sampled_from(names), max_size=3, unique_by=lambda it: it[1:])):
            value = draw(st.text(st.sampled_from("ab <>&'\"\n\t\ré/."), max_size=5))
            attributes.append((name, f"id{number}" if name[1:] == (XML, "id") else value))
        prefix, uri = draw(st.sampled_from(_in_scope(scope)))
        rows.append(
            (
                ELEMENT,
                depth,
                (prefix, uri, draw(st.sampled_from(LOCALS))),
                "",
                draw(st.permutations(attributes)),
                0,
            )
        )
        scopes.append(scope)
        after_text = False
    return rows + draw(beside)


def _leaf(depth: int) -> st.SearchStrategy[Row]:
    comment = _comment.map(lambda text: (COMMENT, depth, ("", "", ""), text, [], 0))
    return comment | st.builds(
        lambda target, data: (INSTRUCTION, depth, ("", "", target), data, [], 0),
        st.sampled_from(["pi", "php"]),
        _data,
    )


def xml_trees(*, max_nodes: int = 12) -> st.SearchStrategy[Tree]:
    """Trees that XML can express."""
    return _xml_rows(max_nodes=max_nodes).map(
        lambda rows: Tree(_kernel.tree_from_rows(rows, False, False, DEFAULT_LIMITS))
    )


@st.composite
def xml_documents(draw: st.DrawFn, *, max_nodes: int = 12) -> str:
    """Well-formed XML text, written in the many ways XML has: quotes, CDATA, references, blanks,
    empty tags.
    """
    rows = draw(_xml_rows(max_nodes=max_nodes))
    out, open_tags = "", []
    for number, (kind, depth, name, text, attributes, _) in enumerate(rows):
        while len(open_tags) >= depth:
            out += f"</{open_tags.pop()}>"
        if kind == ELEMENT:
            tag = f"{name[0]}:{name[2]}" if name[0] else name[2]
            out += f"<{tag}"
            for (prefix, _, local), value in attributes:
                quote = draw(st.sampled_from("'\""))
                blank = draw(st.sampled_from([" ", "\n", "  "]))
                name_in_full = f"{prefix}:{local}" if prefix else local
                out += f"{blank}{name_in_full}={quote}{_escaped(value, quote)}{quote}"
            is_empty = number + 1 == len(rows) or rows[number + 1][1] <= depth
            if is_empty and draw(st.booleans()):
                out += "/>"
            else:
                out += ">"
                open_tags.append(tag)
        elif kind == TEXT:
            is_cdata = "]]>" not in text and "\r" not in text and draw(st.booleans())
            out += (
                f"<![CDATA[{text}]]>"
                if is_cdata
                else _escaped(text, "\0").replace("&#10;", "\n").replace("&#9;", "\t")
            )
        elif kind == COMMENT:
            out += f"<!--{text}-->"
        elif kind == INSTRUCTION:
            out += f"<?{name[2]} {text}?>" if text else f"<?{name[2]}?>"
        else:
            ids = {key[2]: value for key, value in attributes}
            word = f' PUBLIC "{ids["public"]}"' if "public" in ids else " SYSTEM" if ids else ""
            out += f'<!DOCTYPE {name[2]}{word}{f""" "{ids["system"]}" """ if ids else ""}>'
        if depth == 1 and not open_tags:
            out += draw(st.sampled_from(["", "\n"]))
    return out + "".join(f"</{tag}>" for tag in reversed(open_tags))


def _escaped(text: str, quote: str) -> str:
    for character, reference in [
        ("&", "&amp;"),
        ("<", "&lt;"),
        ("]]>", "]]&gt;"),
        (quote, f"&#{ord(quote)};"),
    ]:
        text = text.replace(character, reference)
    return text.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")


# every tree

_odd_names: list[Name] = [
    ("", "", "a"),
    ("", "", "b"),
    ("", HTML, "p"),
    ("", "urn:1", "a"),
    ("p", "urn:1", "a"),
    ("q", "urn:1", "a"),
    ("xml", XML, "id"),
    ("xmlns", XMLNS, "p"),
    ("", XMLNS, "xmlns"),
    ("", "", "xmlns"),
    ("", "", "@click"),
    ("", "", 'o:p"<'),
    ("", "", "ünï"),
]
# declarations are attributes: no parser makes an element in their namespace, and `Node.tag` has no
# word for one
_odd_node_names = [name for name in _odd_names if name[1] != XMLNS]
_any_text = st.text(st.sampled_from("ab<>&'\"-?]\n\t\r\0\x0b\f\ufffe\ufffd\U0001f600 "), max_size=6)


@st.composite
def any_trees(draw: st.DrawFn, *, max_nodes: int = 12, is_html: bool | None = None) -> Tree:
    """Every tree a Builder can make, with names and characters that no syntax can write."""
    rows: list[Row] = []
    open_nodes = 0
    for _ in range(draw(st.integers(0, max_nodes))):
        open_nodes -= draw(st.integers(0, open_nodes))
        kind = draw(
            st.sampled_from([ELEMENT, ELEMENT, ELEMENT, TEXT, TEXT, COMMENT, INSTRUCTION, DOCTYPE])
        )
        name = ("", "", "") if kind in (TEXT, COMMENT) else draw(st.sampled_from(_odd_node_names))
        attributes: list[tuple[Name, str]] = []
        if kind == ELEMENT:
            names = draw(st.lists(st.sampled_from(_odd_names), max_size=3, unique=True))
            attributes = [(it, draw(_any_text)) for it in names]
        elif kind == DOCTYPE:
            keys = draw(st.lists(st.sampled_from(["public", "system"]), unique=True))
            name, attributes = ("", "", name[2]), [(("", "", key), draw(_any_text)) for key in keys]
        rows.append(
            (
                kind,
                open_nodes + 1,
                name,
                "" if kind == ELEMENT else draw(_any_text),
                attributes,
                draw(st.integers(0, 9)),
            )
        )
        open_nodes += kind == ELEMENT
    html_or_not = draw(st.booleans()) if is_html is None else is_html
    return Tree(_kernel.tree_from_rows(rows, html_or_not, draw(st.booleans()), DEFAULT_LIMITS))
